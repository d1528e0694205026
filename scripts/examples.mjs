// Runs the examples with the packed package and the packages of their lock files, as a user would. What a
// script of examples/sdks prints must be what it says that it prints; examples/worker and examples/gateway-node are
// served, and asked what their READMEs say and more.
//
//   npm run examples              every one
//   npm run examples -- openai    only this script, or: worker, gateway-node
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { whyNot } from '../tests/runtimes/npm.mjs'
import { run } from '../tests/runtimes/process.mjs'
import { check, finish, notTested } from '../tests/runtimes/row.mjs'
import { checkGateways } from './examples/gateways.mjs'
import { installExample } from './examples/install.mjs'

process.chdir(join(import.meta.dirname, '..'))
const SOURCES = join('examples', 'sdks')
const HOME = resolve('target', 'examples')

let app
try {
  app = installExample('sdks', HOME)
} catch (error) {
  notTested('examples/sdks', `the SDKs could not be installed: ${whyNot(error)}`)
  finish()
  process.exit()
}
const wanted = process.argv.slice(2)
const isWanted = (name) => wanted.length === 0 || wanted.includes(name)
const files = readdirSync(SOURCES).filter((name) => name.endsWith('.mjs'))
for (const file of files) {
  const promised = promiseOf(file)
  if (promised === undefined) continue // others import it
  if (!isWanted(file.replace('.mjs', ''))) continue
  await check(`examples/sdks/${file}`, 'it prints what it says', async () => {
    const printed = await run([process.execPath, file], { cwd: app, seconds: 30 })
    if (printed !== promised) throw new Error(`it promises\n${promised}and prints\n${printed}`)
  })
}
await checkGateways(isWanted, HOME)
finish()

/** What stands in the comment at the beginning of a script. */
function promiseOf(file) {
  const source = readFileSync(join(SOURCES, file), 'utf8')
  return /^\/\/ Prints:\n((?:\/\/ {3}.*\n)+)/m.exec(source)?.[1].replaceAll('//   ', '')
}
