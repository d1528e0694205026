import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'

const pkg = new URL('../../pkg/', import.meta.url)
const core = new WebAssembly.Module(readFileSync(new URL('keyrota.wasm', pkg)))

/**
 * All that the core may ask of JavaScript: the host, random numbers, and the reading and making of
 * values. Whatever is added here is something that the core can do to the outside.
 */
const ALLOWED = [
  // The host.
  'disable',
  'emit',
  'now',
  'refresh',
  'validate',
  // A seed.
  'getRandomValues',
  // Values that come in.
  '__wbindgen_boolean_get',
  '__wbindgen_is_null',
  '__wbindgen_is_object',
  '__wbindgen_is_string',
  '__wbindgen_is_undefined',
  '__wbindgen_number_get',
  '__wbindgen_string_get',
  'entries',
  'get',
  'get_unchecked',
  'isArray',
  'length',
  // Values that go out.
  'Error',
  'new',
  'new_from_slice',
  'set',
  // The glue's own.
  '__wbindgen_generic',
  '__wbindgen_init_externref_table',
  '__wbindgen_throw',
]

test('the core imports its glue, and nothing else', () => {
  const imports = WebAssembly.Module.imports(core)
  expect(new Set(imports.map(({ module }) => module))).toEqual(new Set(['./core_bg.js']))
  expect(new Set(imports.map(({ kind }) => kind))).toEqual(new Set(['function']))
  const names = new Set(imports.map(({ name }) => plain(name)))
  expect([...names].sort()).toEqual([...ALLOWED].sort())
})

/** A name of the glue without its hash or number, which differ from build to build. */
function plain(name: string): string {
  return name.replace(/^__wbg_/, '').replace(/_[0-9a-f]{16}$/, '')
}

test('the glue imports nothing, and reaches for no network, file or process', () => {
  const glue = readFileSync(new URL('core_bg.js', pkg), 'utf8')
  expect(ts.preProcessFile(glue).importedFiles).toEqual([])
  const target = ts.ScriptTarget.ESNext
  const code = ts.transpile(glue, { removeComments: true, target, module: ts.ModuleKind.ESNext })
  const reach =
    /\b(fetch|require|process|Deno|Bun|XMLHttpRequest|WebSocket|localStorage|indexedDB)\b/
  expect(reach.exec(code)?.[0]).toBeUndefined()
})

test.each(['index.js', 'workerd.js', 'edge-light.js', 'slim.js', 'service.js'])(
  'the entry %s imports nothing but what its runtime hands it',
  (entry) => {
    const code = readFileSync(new URL(entry, pkg), 'utf8')
    const imported = ts.preProcessFile(code, true, true).importedFiles.map((file) => file.fileName)
    const allowed: Record<string, string[]> = {
      'workerd.js': ['./keyrota.wasm'],
      'edge-light.js': ['./keyrota.wasm?module'],
      'service.js': ['keyrota'],
    }
    expect(imported).toEqual(allowed[entry] ?? [])
  },
)
