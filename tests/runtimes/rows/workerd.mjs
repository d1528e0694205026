// Cloudflare Workers: a Worker that wrangler bundled, in workerd by miniflare.
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installApp, installTools, versionOf } from '../install.mjs'
import { run, within } from '../process.mjs'
import { check, checkFetch, expectRecorded, finish } from '../row.mjs'

const home = installTools('workerd')
const app = installApp('workerd', home)
const [workerd, wrangler] = [versionOf(home, 'workerd'), versionOf(home, 'wrangler')]
const where = `workerd ${workerd}`

await check(where, `bundled by wrangler ${wrangler}`, async () => {
  const program = join(home, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  await run([process.execPath, program, 'deploy', '--dry-run', '--outdir', 'dist'], {
    cwd: app,
    env: { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
})
const { Miniflare } = createRequire(join(home, 'package.json'))('miniflare')
const dist = join(app, 'dist')
const modules = readdirSync(dist).map((file) => ({ file, path: join(dist, file) }))
const miniflare = new Miniflare({
  compatibilityDate: '2026-04-01',
  modulesRoot: dist,
  modules: [
    ...modules.filter(({ file }) => file.endsWith('.js')).map(esModule),
    ...modules.filter(({ file }) => file.endsWith('.wasm')).map(wasmModule),
  ],
})
const ask = async (path) =>
  (await within(30, path, miniflare.dispatchFetch(`http://localhost${path}`))).json()

await check(where, 'pool in global scope', async () => expectRecorded(await ask('/global')))
await check(where, 'pool in a handler', async () => expectRecorded(await ask('/handler')))
await check(where, 'typed error for chance outside of a handler', async () => {
  const { early, inHandler } = await ask('/chance')
  if (early !== 'randomness_unavailable' || inHandler !== 'drawn') {
    throw new Error(`early ${early}, in the handler ${inHandler}`)
  }
})
await check(where, 'keyrota/fetch over a function', async () => {
  const faults = await ask('/fetch')
  if (faults.length > 0) throw new Error(faults.join('\n'))
})
for (const [place, what] of Object.entries({ global: 'global scope', handler: 'a handler' })) {
  await checkFetch(where, `keyrota/fetch, made in ${what}`, (url) =>
    ask(`/fetch-${place}?provider=${encodeURIComponent(url)}`),
  )
}
await miniflare.dispose()
finish()

function esModule({ path }) {
  return { type: 'ESModule', path }
}

function wasmModule({ path }) {
  return { type: 'CompiledWasm', path }
}
