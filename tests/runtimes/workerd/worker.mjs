import * as keyrota from 'keyrota'
import * as entry from 'keyrota/fetch'
import * as gateway from 'keyrota/gateway'
import { prepareFetch, tellFetch } from './fetch-scenario.mjs'
import { faultsOf } from './fetch-story.mjs'
import { gatewayScenario, prepareGateway, tellGateway } from './gateway-scenario.mjs'
import { prepare, scenario, tell } from './scenario.mjs'

// Outside of any request, where Workers have no timers and no random numbers.
const early = prepare(keyrota)
const earlyFetch = prepareFetch(keyrota, entry)
const earlyGateway = prepareGateway(gateway)
const drawing = { credentials: { openai: ['sk-a', 'sk-b'] }, strategy: 'weighted-random' }
const drawnEarly = drawn()

/** What comes of a choice by chance: `drawn`, or the code of the error. */
function drawn() {
  const pool = new keyrota.KeyPool(drawing)
  return pool.acquire({ provider: 'openai' }).then(
    () => 'drawn',
    (error) => error.code,
  )
}

const answers = {
  '/global': () => tell(early),
  '/handler': () => scenario(keyrota),
  '/fetch': () => faultsOf(keyrota, entry.pooledFetch),
  '/chance': async () => ({ early: await drawnEarly, inHandler: await drawn() }),
  '/fetch-global': (provider) => tellFetch(earlyFetch, provider),
  '/fetch-handler': (provider) => tellFetch(prepareFetch(keyrota, entry), provider),
  '/gateway-global': () => tellGateway(earlyGateway),
  '/gateway-handler': () => gatewayScenario(gateway),
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    return Response.json(await answers[pathname](searchParams.get('provider')))
  },
}
