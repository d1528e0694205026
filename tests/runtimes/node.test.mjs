// The package under every major of Node that it promises to run on.
import { spawnSync } from 'node:child_process'
import { installApp, nodeBinary } from './install.mjs'

// The first that is promised, and the newest of each line in use.
const VERSIONS = ['20.0.0', '20.20.2', '22.23.5', '24.22.3']
const PROGRAMS = ['import.mjs', 'require.cjs', 'slim.mjs']
const COUNT = /^\d+ passed, \d+ failed$/m

const app = installApp()
for (const version of VERSIONS) {
  const binary = nodeBinary(version)
  if (binary) {
    for (const program of PROGRAMS) console.log(playUnder(binary, version, program))
  } else {
    console.log(`NOT TESTED: Node ${version}, which could not be installed`)
    if (process.env.CI) console.log('0 passed, 1 failed')
  }
}

/** The program's output, which ends with its count. */
function playUnder(binary, version, program) {
  const options = { cwd: app, encoding: 'utf8', timeout: 60_000 }
  const { stdout, stderr } = spawnSync(binary, [program], options)
  const count = COUNT.test(stdout) ? '' : `${stderr}\n0 passed, 1 failed`
  return `Node ${version}, ${program}\n${stdout.trim()}${count}`
}
