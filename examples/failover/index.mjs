// Fail-over, live: a provider on this machine, three keys, a few chats.
//
//   npm start
//
// One key is rate limited on the way and one is refused. Every request is answered all the same.
import { KeyPool } from 'keyrota'
import OpenAI from 'openai'
import { attempt, event, heading, table, time } from './print.mjs'
import { startProvider } from './provider.mjs'

const provider = await startProvider({
  'sk-local-main': { burst: 4, retryAfter: 60 },
  'sk-local-spare': {},
  'sk-local-old': { revoked: true },
})

// The story has a clock of its own, so that a minute of rest takes none. An app leaves `now` out.
let now = Date.UTC(2026, 0, 1, 12)

const pool = new KeyPool({
  credentials: {
    openai: [
      { id: 'main', secret: 'sk-local-main', weight: 3 },
      { id: 'spare', secret: 'sk-local-spare', weight: 2 },
      { id: 'old', secret: 'sk-local-old', weight: 1 },
    ],
  },
  // 'classic' takes a 401 as proof that the key is dead, and disables it: the plainer story. The
  // default, 'adaptive', asks for proof first: compare with `npm start -- adaptive`.
  policy: process.argv[2] ?? 'classic',
  now: () => now,
})

const cooldowns = new Map()
pool.on('cooldown', ({ credential, class: why, until, level }) => {
  cooldowns.set(credential, (cooldowns.get(credential) ?? 0) + 1)
  event(credential, `rests until ${time(until)} (${why}, step ${level} of the ladder)`)
})
pool.on('disabled', ({ credential, class: why }) => event(credential, `is disabled (${why})`))
pool.on('rebound', ({ credential, from }) => event(credential, `takes over from ${from}`))
pool.on('recovered', ({ credential }) => event(credential, 'is back'))

let requests = 0

/** One request of a chat, or of none (`-`), on as many keys as it takes. */
async function ask(chat) {
  now += 5_000
  const number = ++requests
  const session = chat === '-' ? undefined : chat
  await pool.run({ provider: 'openai', session }, async (lease, count) => {
    // The pool retries on another key, so the SDK must not retry on this one.
    const openai = new OpenAI({ apiKey: lease.secret, baseURL: provider.url, maxRetries: 0 })
    const messages = [{ role: 'user', content: 'Hello' }]
    const about = { now, number, chat, key: lease.credential.id, reason: lease.reason, count }
    try {
      await openai.chat.completions.create({ model: 'gpt-5', messages })
      attempt({ ...about, status: 200 })
    } catch (error) {
      attempt({ ...about, status: error.status })
      throw error
    }
  })
}

heading('Three keys: main (weight 3), spare (weight 2), old (weight 1)')
for (const chat of 'ana ben - ana cyd - - ben ana cyd -'.split(' ')) await ask(chat)
heading('A quiet minute later')
now += 60_000
for (const chat of 'ana - - - dee dee dee dee'.split(' ')) await ask(chat)

heading('What became of the keys')
table(
  pool.status('openai').map(({ id, weight, picks, successes, failures, state }) => {
    return { key: id, weight, picks, successes, failures, cooldowns: cooldowns.get(id) ?? 0, state }
  }),
)

const { choice, candidates } = pool.explain({ provider: 'openai' })
heading(`Who would serve the next request: ${choice}`)
table(
  candidates.map(({ id, reason, cause, until }) => {
    return { key: id, reason, cause: cause ?? '-', until: until === null ? '-' : time(until) }
  }),
)

pool.dispose()
provider.stop()
