// Workers: bundled by wrangler, and run in workerd by miniflare.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { run } from './process.mjs'

const DIST = 'dist'

/** Bundles the Worker of a folder, as `wrangler deploy` would. */
export function bundleWorker(home, app) {
  const program = join(home, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  return run([process.execPath, program, 'deploy', '--dry-run', '--outdir', DIST], {
    cwd: app,
    env: { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
}

/** A new isolate with a bundled Worker. */
export function isolateOf(home, app, options = {}) {
  const { Miniflare } = createRequire(join(home, 'package.json'))('miniflare')
  const { compatibility_date, compatibility_flags = [] } = JSON.parse(
    readFileSync(join(app, 'wrangler.json'), 'utf8'),
  )
  const dist = join(app, DIST)
  const types = { '.js': 'ESModule', '.wasm': 'CompiledWasm' }
  // The program goes first, and then what it imports.
  const modules = Object.entries(types).flatMap(([ending, type]) => {
    const files = readdirSync(dist).filter((file) => file.endsWith(ending))
    return files.map((file) => ({ type, path: join(dist, file) }))
  })
  return new Miniflare({
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    modulesRoot: dist,
    modules,
    ...options,
  })
}
