import * as keyrota from 'keyrota'
import { prepare, scenario, tell } from './scenario.mjs'

// Outside of any request, where Workers have no timers and no random numbers.
const early = prepare(keyrota)
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
  '/chance': async () => ({ early: await drawnEarly, inHandler: await drawn() }),
}

export default {
  async fetch(request) {
    return Response.json(await answers[new URL(request.url).pathname]())
  },
}
