import { tellRow } from './answer.mjs'

await tellRow('worker')
