// One small story, told in every runtime: its answer must be the one that stands in scenario.json.
// It imports nothing and uses no clock, timer or random number, so every runtime can tell it.

const START = 1_767_268_800_000 // 2026-01-01T12:00:00Z
const MINUTE = 60_000
const openai = [
  { id: 'A', secret: 'sk-a', weight: 3 },
  { id: 'B', secret: 'sk-b', weight: 2 },
  { id: 'C', secret: 'sk-c', weight: 1, label: 'Schlüssel 🔑' },
]

/**
 * Makes the pool, and nothing more: some platforms do this outside of any request.
 * @param {typeof import('keyrota')} keyrota
 */
export function prepare(keyrota) {
  const time = { now: START }
  const make = (options = {}) =>
    new keyrota.KeyPool({ credentials: { openai }, now: () => time.now, ...options })
  return { keyrota, time, make, pool: make() }
}

/**
 * Tells the story.
 * @param {ReturnType<typeof prepare>} prepared
 * @returns {Promise<object>} plain data
 */
export async function tell({ keyrota, time, make, pool }) {
  const answer = {}
  const events = []
  for (const name of ['cooldown', 'recovered', 'rebound']) {
    pool.on(name, (event) => events.push({ name, ...event }))
  }

  answer.byWeight = await picks(pool, 12)

  const chat = { provider: 'openai', session: 'chat-42' }
  answer.session = []
  for (let i = 0; i < 3; i++) {
    answer.session.push(await pick(pool, chat))
    await picks(pool, 1)
  }

  const attempts = []
  await pool.run(chat, ({ credential }, count) => {
    attempts.push(`${count} ${credential.id}`)
    return count === 1 ? { status: 429, headers: { 'retry-after': '90' } } : { status: 200 }
  })
  answer.failover = attempts
  answer.explanation = pool.explain(chat)

  const snapshot = JSON.parse(JSON.stringify(pool.snapshot()))
  const second = make()
  second.restore(snapshot)
  await second.load('openai')
  answer.restored = { explanation: second.explain(chat), next: await picks(second, 6) }

  await refuse(pool, 2)
  const error = await pool.acquire({ provider: 'openai' }).catch((reason) => reason)
  const { code, retryAfterMs, message } = error.toJSON()
  answer.refusal = {
    error: [code, retryAfterMs, message],
    known: keyrota.isKeyrotaError(error, 'no_credential_available'),
  }

  time.now += MINUTE
  answer.afterAMinute = await picks(pool, 3)
  time.now += MINUTE
  answer.afterTwo = await picks(pool, 6)
  answer.status = pool.status('openai')
  answer.events = events

  for (const strategy of ['smooth', 'weighted-random', 'rendezvous']) {
    const other = make({ strategy, seed: 'keyrota' })
    answer[strategy] = []
    for (let i = 0; i < 12; i++) {
      const session = strategy === 'rendezvous' ? `Gespräch ${i} 💬` : undefined
      answer[strategy].push(await pick(other, { provider: 'openai', session }))
    }
    other.dispose()
  }
  second.dispose()
  pool.dispose()
  return JSON.parse(JSON.stringify(answer))
}

/** Prepares and tells, where nothing speaks against doing both at once. */
export const scenario = async (keyrota) => tell(prepare(keyrota))

async function picks(pool, count) {
  const ids = []
  for (let i = 0; i < count; i++) ids.push(await pick(pool, { provider: 'openai' }))
  return ids.join(' ')
}

async function pick(pool, request) {
  const lease = await pool.acquire(request)
  await lease.report({ status: 200 })
  return lease.credential.id
}

/** The next requests are all answered by 429, without a stated wait. */
async function refuse(pool, count) {
  for (let i = 0; i < count; i++) {
    const lease = await pool.acquire({ provider: 'openai' })
    await lease.report({ status: 429 })
  }
}
