import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as keyrota from 'keyrota/slim'
import { equal, play } from './scenarios.mjs'

const bytes = readFileSync(createRequire(import.meta.url).resolve('keyrota/keyrota.wasm'))
const codeOf = (body) => {
  try {
    body()
    return 'nothing was thrown'
  } catch (error) {
    return error.code
  }
}
// Before the core is there, in this order.
const early = codeOf(() => new keyrota.KeyPool({ credentials: { openai: ['sk-one'] } }))
const garbage = codeOf(() => keyrota.initSync(bytes.subarray(0, 100)))
const good = codeOf(() => keyrota.initSync(bytes))

await play('slim', keyrota, {
  'a pool before initSync is a typed error': () => equal(early, 'not_initialized'),
  'bytes that are no core are a typed error': () => equal(garbage, 'unsupported_engine'),
  'initSync with good bytes helps after bad ones': () => equal(good, 'nothing was thrown'),
})
