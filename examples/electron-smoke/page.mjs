import * as keyrota from '../../pkg/index.js'
import { scenario } from '../../tests/runtimes/scenario.mjs'

scenario(keyrota).then(
  (answer) => globalThis.smoke.told('page', answer),
  (error) => globalThis.smoke.told('page', String(error)),
)
