// The Vercel AI SDK over pools of keys: each of its providers takes a `fetch`.
//
// Prints:
//   main rests: rate_limited
//   openai, whole: Keys take turns.
//   openai, in pieces: Keys | take | turns.
//   main rests: rate_limited
//   anthropic, whole: Keys take turns.
//   anthropic, in pieces: Keys | take | turns.
//   main rests: rate_limited
//   gemini, whole: Keys take turns.
//   gemini, in pieces: Keys | take | turns.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'
import { pooledFetch } from 'keyrota/fetch'
import { makePool } from './pool.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider()

/** The options of every provider of the AI SDK; only `fetch` is the pool's. */
function options(pool, name, path) {
  return {
    apiKey: 'pooled', // never sent: the pool's keys are
    baseURL: `${provider.url}${path}`, // only here, for the provider of this example
    fetch: pooledFetch(pool, { provider: name }), // the one line
  }
}

const makers = {
  openai: (pool) => createOpenAI(options(pool, 'openai', '/v1')).chat('gpt-5-mini'),
  anthropic: (pool) => createAnthropic(options(pool, 'anthropic', '/v1'))('claude-sonnet-5'),
  gemini: (pool) =>
    createGoogleGenerativeAI(options(pool, 'gemini', '/v1beta'))('gemini-2.5-flash'),
}

for (const [name, make] of Object.entries(makers)) {
  const pool = makePool(name)
  // The pool tries again, with another key, so the AI SDK need not.
  const request = { model: make(pool), prompt: 'How do keys work?', maxRetries: 0 }
  const { text } = await generateText(request)
  console.log(`${name}, whole: ${text}`)

  const pieces = []
  for await (const piece of streamText(request).textStream) pieces.push(piece)
  console.log(`${name}, in pieces: ${pieces.join('| ')}`)
  pool.dispose()
}
provider.stop()
