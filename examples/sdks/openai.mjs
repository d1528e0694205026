// OpenAI's SDK over a pool of keys.
//
// Prints:
//   main rests: rate_limited
//   whole: Keys take turns.
//   in pieces: Keys | take | turns.
import { pooledFetch } from 'keyrota/fetch'
import OpenAI from 'openai'
import { makePool } from './pool.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider()
const pool = makePool('openai')

const openai = new OpenAI({
  apiKey: 'pooled', // never sent: the pool's keys are
  baseURL: `${provider.url}/v1`, // only here, for the provider of this example
  maxRetries: 0, // the pool tries again, with another key
  fetch: pooledFetch(pool, { provider: 'openai' }), // the one line
})

const request = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'How do keys work?' }] }

const answer = await openai.chat.completions.create(request)
console.log(`whole: ${answer.choices[0].message.content}`)

const pieces = []
for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
  pieces.push(chunk.choices[0].delta.content)
}
console.log(`in pieces: ${pieces.filter(Boolean).join('| ')}`)

pool.dispose()
provider.stop()
