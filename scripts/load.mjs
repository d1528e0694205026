// npm run load: builds the load test of tests/gateway/load, which is TypeScript in several processes, and runs it.
//
//   KEYROTA_LOAD_SECONDS=10 npm run load      for so long; 60 s by default
//   KEYROTA_TEST_SEED=… npm run load          with the failures of another run
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const outdir = join(root, 'target', 'load')
const from = (name) => join(root, 'tests', 'gateway', 'load', `${name}.ts`)

await build({
  entryPoints: ['index', 'gateway', 'upstreams'].map(from),
  ...{ outdir, outExtension: { '.js': '.mjs' }, sourcemap: 'inline' },
  ...{ bundle: true, packages: 'external', platform: 'node', target: 'node20', format: 'esm' },
  logLevel: 'warning',
})
await import(pathToFileURL(join(outdir, 'index.mjs')).href)
