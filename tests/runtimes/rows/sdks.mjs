// The newest official SDKs over `keyrota/fetch`, under the releases of Node that they need.
import { join } from 'node:path'
import { installSdks, loaderOf } from '../../fetch/install.mjs'
import { nodeBinary } from '../install.mjs'
import { whyNot } from '../npm.mjs'
import { run } from '../process.mjs'
import { check, finish, notTested } from '../row.mjs'

const VERSIONS = ['22.23.5', '24.22.3']
const PROGRAM = join('tests', 'fetch', 'newest.ts')

try {
  installSdks('newest')
} catch (error) {
  notTested('the newest SDKs', `they could not be installed: ${whyNot(error)}`)
  finish()
  process.exit()
}
for (const version of VERSIONS) {
  const binary = nodeBinary(version)
  const where = `Node ${version}`
  if (binary === null) notTested(where, 'it could not be installed')
  else await check(where, 'the newest SDKs', () => checkAll(binary, where))
}
finish()

/** Every check that the program made counts here too. */
async function checkAll(binary, where) {
  const command = [
    binary,
    '--disable-warning=ExperimentalWarning',
    PROGRAM,
    loaderOf('newest'),
    where,
  ]
  const output = await run(command, { seconds: 100 }).catch((error) => error.message)
  const made = [...output.matchAll(/^(ok|FAILED) +[^:]+: (.+)$/gm)]
  for (const [, result, what] of made) {
    await check(where, what, () => {
      if (result === 'FAILED') throw new Error('it says why below')
    })
  }
  const isWhole = new RegExp(`^${made.length} passed, 0 failed$`, 'm').test(output)
  if (!isWhole || made.length === 0) throw new Error(output)
}
