// Google's SDK over a pool of keys.
//
// Prints:
//   main rests: rate_limited
//   whole: Keys take turns.
//   in pieces: Keys | take | turns.
import { GoogleGenAI } from '@google/genai'
import { pooledFetch } from 'keyrota/fetch'
import { makePool } from './pool.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider()
const pool = makePool('gemini')

const google = new GoogleGenAI({
  apiKey: 'pooled', // never sent: the pool's keys are
  httpOptions: {
    baseUrl: provider.url, // only here, for the provider of this example
    fetch: pooledFetch(pool, { provider: 'gemini' }), // the one line
  },
})

const request = { model: 'gemini-2.5-flash', contents: 'How do keys work?' }

const answer = await google.models.generateContent(request)
console.log(`whole: ${answer.text}`)

const pieces = []
for await (const chunk of await google.models.generateContentStream(request)) {
  pieces.push(chunk.text)
}
console.log(`in pieces: ${pieces.join('| ')}`)

pool.dispose()
provider.stop()
