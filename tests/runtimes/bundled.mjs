// TypeScript of the tests, for scripts that every Node runs.
import { basename, resolve } from 'node:path'
import { build } from 'esbuild'

/** Imports a TypeScript module of the tests, with all that it imports from them. */
export async function bundled(entry) {
  const outfile = resolve('target', 'runtimes', `${basename(entry, '.ts')}.mjs`)
  const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external' }
  await build({ entryPoints: [entry], outfile, ...options })
  return import(outfile)
}
