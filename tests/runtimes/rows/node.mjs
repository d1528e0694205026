// The package under every major of Node that it promises to run on.
import { installApp, nodeBinary } from '../install.mjs'
import { run } from '../process.mjs'
import { checkProgram, finish, notTested } from '../row.mjs'

// The first that is promised, and the newest of each line in use.
const VERSIONS = ['20.0.0', '20.20.2', '22.23.5', '24.22.3']
const PROGRAMS = {
  import: 'import.mjs',
  require: 'require.cjs',
  'keyrota/slim': 'slim.mjs',
  worker_threads: 'worker.mjs',
}

const app = installApp()
for (const version of VERSIONS) {
  const binary = nodeBinary(version)
  if (binary === null) notTested(`Node ${version}`, 'it could not be installed')
  for (const [what, program] of Object.entries(binary ? PROGRAMS : {})) {
    await checkProgram(`Node ${version}`, what, () => run([binary, program], { cwd: app }))
  }
}
finish()
