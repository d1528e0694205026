// Runs examples/sdks with the packed package and the SDKs of its lock file, as a user would. What a
// script prints must be what it says that it prints.
//
//   npm run examples              every script
//   npm run examples -- openai    only this one
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { installLocked, npm, whyNot } from '../tests/runtimes/npm.mjs'
import { run } from '../tests/runtimes/process.mjs'
import { check, finish, notTested } from '../tests/runtimes/row.mjs'
import { pack } from './pack.mjs'

process.chdir(join(import.meta.dirname, '..'))
const SOURCES = join('examples', 'sdks')
const HOME = resolve('target', 'examples')
const APP = join(HOME, 'app')

try {
  installLocked(SOURCES, HOME)
} catch (error) {
  notTested('examples/sdks', `the SDKs could not be installed: ${whyNot(error)}`)
  finish()
  process.exit()
}
// In a folder of its own, so that the SDKs are kept and found, and the package is new.
rmSync(APP, { recursive: true, force: true })
mkdirSync(APP, { recursive: true })
writeFileSync(join(APP, 'package.json'), '{ "private": true }\n')
npm(['install', '--offline', '--no-package-lock', pack()], APP)

const wanted = process.argv.slice(2)
const files = readdirSync(SOURCES).filter((name) => name.endsWith('.mjs'))
for (const file of files) cpSync(join(SOURCES, file), join(APP, file))
for (const file of files) {
  const promised = promiseOf(file)
  if (promised === undefined) continue // others import it
  if (wanted.length > 0 && !wanted.includes(file.replace('.mjs', ''))) continue
  await check(`examples/sdks/${file}`, 'it prints what it says', async () => {
    const printed = await run([process.execPath, file], { cwd: APP, seconds: 30 })
    if (printed !== promised) throw new Error(`it promises\n${promised}and prints\n${printed}`)
  })
}
finish()

/** What stands in the comment at the beginning of a script. */
function promiseOf(file) {
  const source = readFileSync(join(SOURCES, file), 'utf8')
  return /^\/\/ Prints:\n((?:\/\/ {3}.*\n)+)/m.exec(source)?.[1].replaceAll('//   ', '')
}
