// Vitest, with each of its environments.
import { join } from 'node:path'
import { installApp, installTools, versionOf } from '../install.mjs'
import { finish } from '../row.mjs'
import { checkTests } from '../test-runner.mjs'

const home = installTools('test-runners')
const vitest = join(home, 'node_modules', 'vitest', 'vitest.mjs')
const report = ['--reporter=json', '--outputFile=report.json']
for (const environment of ['node', 'jsdom']) {
  const app = installApp('runners', home)
  const where = `Vitest ${versionOf(home, 'vitest')}, ${environment}`
  await checkTests(where, app, [vitest, 'run', `--environment=${environment}`, ...report])
}
finish()
