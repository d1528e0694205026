// TypeScript to the JavaScript files that users import: one file per entry and format.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { entries } from './entries.mjs'
import { toText } from './text.mjs'

const options = {
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  minifySyntax: true,
  // Lines stay: Node prints the one that threw.
  minifyWhitespace: false,
  // Names stay: they are what a stack trace, a heap snapshot and `constructor.name` show.
  minifyIdentifiers: false,
  // Sub-entries import the package by its own name, so that its classes exist once.
  external: ['keyrota', 'node:*'],
  // The glue asks for globals that not every platform has.
  inject: ['js/wasm/utf8.ts'],
  metafile: true,
  logLevel: 'warning',
}

/**
 * Bundles every entry into `out`, which holds the core already.
 * @param {string} out
 */
export async function bundle(out) {
  for (const entry of entries) {
    let names = []
    for (const format of entry.formats) {
      const outfile = join(out, `${entry.name}.${format === 'cjs' ? 'cjs' : 'js'}`)
      const { metafile } = await build({
        ...options,
        entryPoints: [entry.source],
        outfile,
        format,
        plugins: [core(out, entry.wasm), peers(entry, format)],
        footer: format === 'cjs' ? { js: exportNames(names) } : {},
      })
      // Asked of the ES module: what a CommonJS file exports is known to nobody but its reader.
      if (format === 'esm') names = Object.values(metafile.outputs)[0].exports.toSorted()
    }
    if (entry.node !== undefined) {
      const handsOn = `export { ${names.join(', ')} } from './${entry.name}.cjs'\n`
      writeFileSync(join(out, entry.node), handsOn)
    }
  }
}

/**
 * Finds the built core, wherever it was built to, and imports the WebAssembly as the entry does.
 * @param {string} out
 * @param {string} wasm
 */
function core(out, wasm) {
  return {
    name: 'core',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /\/pkg\/core_bg\.js$/ }, () => ({ path: resolve(out, 'core_bg.js') }))
      onResolve({ filter: /\/keyrota\.wasm$/ }, ({ importer }) => {
        if (wasm === 'inline') return { path: 'keyrota.wasm', namespace: 'inline' }
        if (wasm === 'none')
          return {
            errors: [{ text: `${importer} brings WebAssembly into an entry that has none` }],
          }
        return { path: wasm, external: true }
      })
      onLoad({ filter: /./, namespace: 'inline' }, ({ path }) => ({
        contents: toText(readFileSync(join(out, path))),
        loader: 'text',
      }))
    },
  }
}

/**
 * Leaves the packages that the user installs where they are. A CommonJS file, which can, says how to install
 * what is missing.
 * @param {import('./entries.mjs').Entry} entry
 * @param {string} format
 */
function peers({ name, peers = [] }, format) {
  return {
    name: 'peers',
    setup({ onLoad, onResolve }) {
      if (peers.length === 0) return
      onResolve({ filter: new RegExp(`^(?:${peers.join('|')})$`) }, ({ path, namespace }) => {
        return format === 'esm' || namespace === 'peer'
          ? { path, external: true }
          : { path, namespace: 'peer' }
      })
      onLoad({ filter: /./, namespace: 'peer' }, ({ path }) => ({
        contents: `
          const { KeyrotaError } = require('keyrota')
          try {
            module.exports = require('${path}')
          } catch (error) {
            if (error.code !== 'MODULE_NOT_FOUND') throw error
            const message = "keyrota/${name} needs '${path}': npm install ${peers.join(' ')}"
            throw new KeyrotaError('missing_peer', message, {}, error)
          }`,
      }))
    },
  }
}

/** Node reads a CommonJS file for its names before running it: this line is for that reader. */
function exportNames(names) {
  return `0&&(module.exports={${names.join(',')}})`
}
