// esbuild: each format and platform.
import { join } from 'node:path'
import { expectSmall, load, tellInChromium, tellInNode } from '../bundles.mjs'
import { addPeers, installApp, installTools, versionOf } from '../install.mjs'
import { run } from '../process.mjs'
import { check, checkGateway, finish, printed } from '../row.mjs'

const home = installTools('bundlers')
const app = installApp('bundlers', home)
const { build } = await load(home, 'esbuild')
const where = `esbuild ${versionOf(home, 'esbuild')}`

async function bundle(name, options, entry = 'story.mjs') {
  const outfile = join(app, 'dist', name)
  const entryPoints = [join(app, entry)]
  await build({ entryPoints, bundle: true, outfile, logLevel: 'silent', ...options })
  return outfile
}

for (const [what, file, options] of [
  ['esm for Node', 'node.mjs', { format: 'esm', platform: 'node' }],
  ['cjs for Node', 'node.cjs', { format: 'cjs', platform: 'node' }],
  ['neutral esm', 'neutral.mjs', { format: 'esm', platform: 'neutral' }],
]) {
  await check(where, what, async () => tellInNode(await bundle(file, options)))
}
for (const [what, file, options, type] of [
  ['esm in Chromium', 'page.mjs', { format: 'esm', minify: true }, 'module'],
  ['iife in Chromium', 'page.js', { format: 'iife', minify: true }, 'text/javascript'],
]) {
  await check(where, what, async () => {
    await bundle(file, options)
    await tellInChromium(join(app, 'dist'), file, type)
  })
}
await check(where, 'an unused import vanishes', async () => {
  const options = { format: 'esm', logLevel: 'error' }
  expectSmall(await bundle('unused.mjs', options, 'unused.mjs'))
})
// Nothing before this had what the gateway alone needs.
addPeers(app)
for (const [platform, format] of [
  ...['node', 'neutral'].map((name) => [name, 'esm']),
  ['node', 'cjs'],
]) {
  const file = `gateway-${platform}.${format === 'esm' ? 'mjs' : 'cjs'}`
  await checkGateway(where, `keyrota/gateway, ${platform} ${format}`, async () =>
    printed(await run([process.execPath, await bundle(file, { platform, format }, 'gateway.mjs')])),
  )
}
finish()
