// Jest, with each of its environments and kinds of modules.
import { join } from 'node:path'
import { commonJsStory, installApp, installTools, versionOf } from '../install.mjs'
import { finish } from '../row.mjs'
import { checkTests } from '../test-runner.mjs'

const home = installTools('test-runners')
const jest = join(home, 'node_modules', 'jest', 'bin', 'jest.js')
for (const environment of ['node', 'jsdom']) {
  for (const file of ['jest-require.check.cjs', 'jest-import.check.mjs']) {
    const app = installApp('runners', home)
    commonJsStory(app)
    const config = {
      rootDir: app,
      testEnvironment: environment,
      testMatch: [`**/${file}`],
      moduleFileExtensions: ['js', 'mjs', 'cjs', 'json'],
      transform: {},
    }
    await checkTests(
      `Jest ${versionOf(home, 'jest')}, ${environment}`,
      app,
      [jest, `--config=${JSON.stringify(config)}`, '--json', '--outputFile=report.json'],
      { NODE_OPTIONS: file.endsWith('.mjs') ? '--experimental-vm-modules' : '' },
    )
  }
}
finish()
