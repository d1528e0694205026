// Cloudflare Workers: a Worker that wrangler bundled, in workerd by miniflare.
import { addPeers, installApp, installTools, versionOf } from '../install.mjs'
import { within } from '../process.mjs'
import { check, checkFetch, checkGateway, expectRecorded, finish } from '../row.mjs'
import { bundleWorker, isolateOf } from '../workers.mjs'

const home = installTools('workerd')
const app = installApp('workerd', home)
addPeers(app)
const [workerd, wrangler] = [versionOf(home, 'workerd'), versionOf(home, 'wrangler')]
const where = `workerd ${workerd}`

await check(where, `bundled by wrangler ${wrangler}`, () => bundleWorker(home, app))
const miniflare = isolateOf(home, app)
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
for (const [place, what] of Object.entries({ global: 'global scope', handler: 'a handler' })) {
  await checkGateway(where, `keyrota/gateway, made in ${what}`, () => ask(`/gateway-${place}`))
}
await miniflare.dispose()
finish()
