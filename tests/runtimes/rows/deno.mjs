// Deno, which finds the package in node_modules as Node does. No permission is given.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { addPeers, installApp, installTools, isLinuxX64 } from '../install.mjs'
import { run } from '../process.mjs'
import { checkFetch, checkGateway, checkProgram, finish, notTested, printed } from '../row.mjs'

if (isLinuxX64()) {
  const home = installTools('deno')
  const deno = join(home, 'node_modules', '@deno', 'linux-x64-glibc', 'deno')
  chmodSync(deno, 0o755)
  const app = installApp('app', home)
  addPeers(app)
  const options = { cwd: app, env: { ...process.env, DENO_DIR: join(home, 'cache') } }
  const version = (await run([deno, '--version'], options)).match(/^deno (\S+)/)?.[1]
  const flags = ['run', '--cached-only', '--no-prompt', '--node-modules-dir=manual']
  const play = (what, ...args) =>
    checkProgram(`Deno ${version}`, what, () => run([deno, ...flags, ...args], options))
  await play('import', 'plain.mjs')
  await play('require', 'require.cjs')
  // Deno wants it for the file of any worker.
  await play('Web Worker', `--allow-read=${app}`, 'web-worker.mjs')
  await checkFetch(`Deno ${version}`, 'keyrota/fetch', async (url) => {
    const net = `--allow-net=${new URL(url).host}`
    return printed(await run([deno, ...flags, net, 'fetch.mjs', url], options))
  })
  await checkGateway(`Deno ${version}`, 'keyrota/gateway', async () =>
    printed(await run([deno, ...flags, 'gateway.mjs'], options)),
  )
} else {
  notTested('Deno', 'only for Linux x64')
}
finish()
