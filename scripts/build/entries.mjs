// The files that users import, one row each. A new entry is a row here and one in package.json's
// `exports`.

/**
 * How an entry gets the WebAssembly:
 * - `inline`: as text inside the JavaScript, so that one import works wherever JavaScript does;
 * - a specifier: imported by the platform, where compiling bytes is forbidden;
 * - `none`: the user hands it over, or another entry has it.
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} source
 * @property {('esm' | 'cjs')[]} formats
 * @property {string} wasm
 * @property {boolean} [types] false when it shares the types of another entry
 * @property {string} [node] the file that Node imports: it hands on what the CommonJS file has, so that import and
 *   require share one class and one WebAssembly instance, and so that what is missing can be said
 * @property {string[]} [peers] packages that the user installs beside this one
 */

/** @type {Entry[]} */
export const entries = [
  {
    name: 'index',
    source: 'js/entry/default.ts',
    formats: ['esm', 'cjs'],
    wasm: 'inline',
    node: 'node.mjs',
  },
  {
    name: 'workerd',
    source: 'js/entry/workerd.ts',
    formats: ['esm'],
    wasm: './keyrota.wasm',
    types: false,
  },
  {
    name: 'edge-light',
    source: 'js/entry/edge-light.ts',
    formats: ['esm'],
    wasm: './keyrota.wasm?module',
    types: false,
  },
  { name: 'slim', source: 'js/entry/slim.ts', formats: ['esm', 'cjs'], wasm: 'none' },
  { name: 'cli', source: 'js/cli.ts', formats: ['esm'], wasm: 'none', types: false },
  {
    name: 'gateway',
    source: 'js/gateway.ts',
    formats: ['esm', 'cjs'],
    wasm: 'none',
    node: 'gateway.mjs',
    peers: ['hono', 'zod'],
  },
  { name: 'fetch', source: 'js/fetch.ts', formats: ['esm', 'cjs'], wasm: 'none' },
  { name: 'service', source: 'js/service.ts', formats: ['esm', 'cjs'], wasm: 'none' },
]
