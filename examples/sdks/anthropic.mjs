// Anthropic's SDK over a pool of keys.
//
// Prints:
//   main rests: rate_limited
//   whole: Keys take turns.
//   in pieces: Keys | take | turns.
import Anthropic from '@anthropic-ai/sdk'
import { pooledFetch } from 'keyrota/fetch'
import { makePool } from './pool.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider()
const pool = makePool('anthropic')

const anthropic = new Anthropic({
  apiKey: 'pooled', // never sent: the pool's keys are
  baseURL: provider.url, // only here, for the provider of this example
  maxRetries: 0, // the pool tries again, with another key
  fetch: pooledFetch(pool, { provider: 'anthropic' }), // the one line
})

const request = {
  model: 'claude-sonnet-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'How do keys work?' }],
}

const answer = await anthropic.messages.create(request)
console.log(`whole: ${answer.content[0].text}`)

const pieces = []
for await (const event of await anthropic.messages.create({ ...request, stream: true })) {
  if (event.type === 'content_block_delta') pieces.push(event.delta.text)
}
console.log(`in pieces: ${pieces.join('| ')}`)

pool.dispose()
provider.stop()
