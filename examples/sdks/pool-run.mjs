// Without `fetch`: any client that takes a key, here Node's own http module. `pool.run` leases a key,
// reads what came back or was thrown, and tries another key while that is safe.
//
// Prints:
//   main rests: rate_limited
//   attempt 2, with spare: Keys take turns.
import { request } from 'node:http'
import { makePool } from './pool.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider()
const pool = makePool('openai')
const body = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'How do keys work?' }] }

const answer = await pool.run(
  { provider: 'openai', session: 'chat-42', model: body.model },
  async (lease, attempt) => {
    const response = await post('/v1/chat/completions', lease.secret)
    // What is returned with a status other than 200 counts as what it is: here a 429.
    return { ...response, by: `attempt ${attempt}, with ${lease.credential.id}` }
  },
)
console.log(`${answer.by}: ${JSON.parse(answer.body).choices[0].message.content}`)

pool.dispose()
provider.stop()

/** Answers status, headers and body: what a pool understands. */
function post(path, key) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request(`${provider.url}${path}`, { method: 'POST', headers })
    sent.on('error', reject).on('response', async (response) => {
      const bytes = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode, headers: response.headers, body: bytes.toString() })
    })
    sent.end(JSON.stringify(body))
  })
}
