import * as keyrota from 'keyrota'
import * as entry from 'keyrota/fetch'
import { prepareFetch, tellFetch } from './fetch-scenario.mjs'

// The provider is of another origin, so the browser asks it before each request of the story.
const provider = new URLSearchParams(location.search).get('provider')
const told = tellFetch(prepareFetch(keyrota, entry), provider)
const answer = await told.catch((error) => ({ message: String(error?.stack ?? error) }))
await fetch('/answer/fetch-network', { method: 'POST', body: JSON.stringify(answer) })
