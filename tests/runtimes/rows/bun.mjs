// Bun, which finds the package in node_modules as Node does.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { addPeers, installApp, installTools, isLinuxX64 } from '../install.mjs'
import { run } from '../process.mjs'
import { checkFetch, checkGateway, checkProgram, finish, notTested, printed } from '../row.mjs'

if (isLinuxX64()) {
  const home = installTools('bun')
  const bun = join(home, 'node_modules', '@oven', 'bun-linux-x64', 'bin', 'bun')
  chmodSync(bun, 0o755)
  const app = installApp('app', home)
  addPeers(app)
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
  await checkFetch(`Bun ${version}`, 'keyrota/fetch', async (url) =>
    printed(await run([bun, '--no-install', 'fetch.mjs', url], { cwd: app })),
  )
  for (const [what, program] of Object.entries({
    'keyrota/gateway': 'gateway.mjs',
    'keyrota/gateway by require': 'gateway.cjs',
  })) {
    await checkGateway(`Bun ${version}`, what, async () =>
      printed(await run([bun, '--no-install', program], { cwd: app })),
    )
  }
} else {
  notTested('Bun', 'only for Linux x64')
}
finish()
