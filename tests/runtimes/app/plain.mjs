// For runtimes that give a program no access to files.
import * as keyrota from 'keyrota'
import { play } from './scenarios.mjs'

await play('import', keyrota)
