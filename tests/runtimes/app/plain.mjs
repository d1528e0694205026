// For runtimes that give a program no access to files.
import * as keyrota from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { fetchScenarios } from './fetch-story.mjs'
import { play } from './scenarios.mjs'

await play('import', keyrota, fetchScenarios(pooledFetch))
