// Bun, which finds the package in node_modules as Node does.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { installApp, installTools, isLinuxX64 } from '../install.mjs'
import { run } from '../process.mjs'
import { checkProgram, finish, notTested } from '../row.mjs'

if (isLinuxX64()) {
  const home = installTools('bun')
  const bun = join(home, 'node_modules', '@oven', 'bun-linux-x64', 'bin', 'bun')
  chmodSync(bun, 0o755)
  const app = installApp('app', home)
  const version = (await run([bun, '--version'])).trim()
  for (const [what, program] of Object.entries({
    import: 'import.mjs',
    require: 'require.cjs',
    'keyrota/slim': 'slim.mjs',
    'Web Worker': 'web-worker.mjs',
  })) {
    await checkProgram(`Bun ${version}`, what, () =>
      run([bun, '--no-install', program], { cwd: app }),
    )
  }
} else {
  notTested('Bun', 'only for Linux x64')
}
finish()
