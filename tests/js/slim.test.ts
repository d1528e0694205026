import { readFileSync } from 'node:fs'
import { initSync, KeyPool } from 'keyrota/slim'
import { expect, test } from 'vitest'
import { order, PROVIDER, rows } from './support/pools.ts'

const bytes = readFileSync(new URL('../../pkg/keyrota.wasm', import.meta.url))
const pooled = () => new KeyPool({ credentials: { [PROVIDER]: rows('A', 'B') } })

// One after the other: the WebAssembly is started once per process.
test('before initSync there is a typed error that says what to do', () => {
  expect(pooled).toThrow(expect.objectContaining({ code: 'not_initialized' }))
  expect(pooled).toThrow('call initSync(module) first')
})

test('bytes that are no WebAssembly are a typed error, and the right ones still start it', () => {
  expect(() => initSync(new Uint8Array([1, 2, 3]))).toThrow(
    expect.objectContaining({ code: 'unsupported_engine' }),
  )
  initSync(new WebAssembly.Module(bytes))
  initSync(bytes)
  initSync({})
  expect(order(pooled() as never, 4)).toBe('A B A B')
})
