// `keyrota/gateway` in workerd, before the providers of the tests: all that the official SDKs see of it, and what
// the lives of requests make hard there. `npm run examples` has the Worker of examples/worker.
import { join } from 'node:path'
import { installSdks, loaderOf } from '../../fetch/install.mjs'
import { bundled } from '../bundled.mjs'
import { addPeers, installApp, installTools, versionOf } from '../install.mjs'
import { whyNot } from '../npm.mjs'
import { check, finish, notTested } from '../row.mjs'
import { bundleWorker, isolateOf } from '../workers.mjs'

const PROGRAM = join('tests', 'gateway', 'workerd.ts')

const home = installTools('workerd')
const where = `workerd ${versionOf(home, 'workerd')}, keyrota/gateway`
try {
  installSdks('node20')
} catch (error) {
  notTested(where, `the SDKs could not be installed: ${whyNot(error)}`)
  finish()
  process.exit()
}
const app = installApp('gateway-worker', home)
addPeers(app)
await check(where, `bundled by wrangler ${versionOf(home, 'wrangler')}`, () =>
  bundleWorker(home, app),
)
const isolate = isolateOf(home, app, {
  host: '127.0.0.1',
  port: 0,
  // It prints what breaks off, as scenarios let it.
  handleRuntimeStdio: (...streams) => streams.map((stream) => stream.resume()),
})
const { playAll } = await bundled(PROGRAM)
const { load } = await import(loaderOf('node20'))
const port = Number((await isolate.ready).port)
await playAll(port, load, (what, body) => check(where, what, body))
await isolate.dispose()
finish()
