import * as keyrota from 'keyrota'
import { scenario } from './scenario.mjs'

postMessage(JSON.stringify(await scenario(keyrota)))
