// Writes scenario.json anew from the built package under this Node: for when the algorithm was
// changed on purpose. Look at the difference before you commit it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as keyrota from '../../pkg/index.js'
import { scenario } from './scenario.mjs'

const file = join(import.meta.dirname, 'scenario.json')
writeFileSync(file, `${JSON.stringify(await scenario(keyrota), null, 2)}\n`)
