// The story of `keyrota/fetch`; the provider's URL is the argument.
import * as keyrota from 'keyrota'
import * as entry from 'keyrota/fetch'
import { prepareFetch, tellFetch } from './fetch-scenario.mjs'

const answer = await tellFetch(prepareFetch(keyrota, entry), process.argv[2])
console.log(`ANSWER ${JSON.stringify(answer)}`)
