import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as keyrota from 'keyrota/slim'
import { play } from './scenarios.mjs'

keyrota.initSync(readFileSync(createRequire(import.meta.url).resolve('keyrota/keyrota.wasm')))
await play('slim', keyrota)
