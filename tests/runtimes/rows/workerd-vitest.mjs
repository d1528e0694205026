// Cloudflare Workers: tests that vitest runs inside workerd.
import { join } from 'node:path'
import { addPeers, installApp, installTools, versionOf } from '../install.mjs'
import { finish } from '../row.mjs'
import { checkTests } from '../test-runner.mjs'

const home = installTools('workerd')
const app = installApp('workerd-vitest', home)
addPeers(app)
const pool = versionOf(home, '@cloudflare/vitest-pool-workers')
const vitest = join(home, 'node_modules', 'vitest', 'vitest.mjs')
const report = ['--reporter=json', '--outputFile=report.json']
await checkTests(`vitest-pool-workers ${pool}`, app, [vitest, 'run', ...report])
finish()
