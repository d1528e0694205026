// Failures of the provider itself: nobody is blamed, and nobody is asked for a moment.

import type { KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import {
  attempt,
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

const NO_JITTER = { cooldown: { jitter: 0 } }

test.each([500, 502, 503, 520, 529, 407, 451])(
  'after a %d the provider pauses for all',
  async (status) => {
    const { pool, clock } = poolOf(rows('A', 'B'), NO_JITTER)
    await attempt(pool, 'A', status)
    expect(reasons(pool)).toEqual({ A: 'provider_paused', B: 'provider_paused' })
    expect(refused(pool).retryAfterMs).toBe(250)
    expect(pool.status(PROVIDER).map(({ failures, level }) => [failures, level])).toEqual([
      [0, 0],
      [0, 0],
    ])
    clock.pass(250)
    expect(take(pool).ok).toBe(true)
  },
)

test('the ladder of pauses is 250 ms, 500 ms, 1 s, 2 s, 2 s', async () => {
  const { pool, clock } = poolOf(rows('A'), NO_JITTER)
  for (const wait of [250, 500, 1_000, 2_000, 2_000]) {
    await take(pool).report({ status: 503 })
    expect(refused(pool).retryAfterMs).toBe(wait)
    clock.pass(wait)
  }
  await take(pool).report({ status: 200 })
  await take(pool).report({ status: 503 })
  expect(refused(pool).retryAfterMs).toBe(250)
})

test('a computed pause is lengthened by at most a tenth, at random', async () => {
  const waits = new Set<number | null>()
  for (let seed = 0; seed < 40; seed++) {
    const { pool } = poolOf(rows('A'), { seed })
    await attempt(pool, 'A', 503)
    waits.add(refused(pool).retryAfterMs)
  }
  expect(Math.min(...[...waits].map(Number))).toBeGreaterThanOrEqual(250)
  expect(Math.max(...[...waits].map(Number))).toBeLessThanOrEqual(275)
  expect(waits.size).toBeGreaterThan(5)
})

test('a stated pause is kept whole', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 503, { 'retry-after': '120' })
  expect(refused(pool).retryAfterMs).toBe(120 * SECOND)
})

test('of failures in flight together one counts', async () => {
  const { pool } = poolOf(rows('A', 'B'), NO_JITTER)
  const leases = Array.from({ length: 6 }, () => take(pool))
  for (const lease of leases) await lease.report({ status: 503 })
  expect(refused(pool).retryAfterMs).toBe(250)
})

test('a success that began before the pause does not end it', async () => {
  const { pool } = poolOf(rows('A', 'B'), NO_JITTER)
  const early = take(pool)
  await attempt(pool, 'B', 503)
  await early.report({ status: 200 })
  expect(refused(pool).retryAfterMs).toBe(250)
})

test('the others of the pool go on: a pause is of one provider', async () => {
  const { pool } = poolOf([], { credentials: { one: rows('A'), two: rows('X') } })
  await leaseOf(pool, 'A', 'one').report({ status: 503 })
  expect(pool.tryAcquire({ provider: 'one' }).ok).toBe(false)
  expect(pool.tryAcquire({ provider: 'two' }).ok).toBe(true)
})

test('a pause is told with who told it, its class, scope, level and end', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), NO_JITTER)
  const heard = listen(pool, 'paused', 'cooldown', 'recovered')
  await attempt(pool, 'B', 503, { 'retry-after': '9' })
  clock.pass(9 * SECOND)
  await attempt(pool, 'A', 407)
  const about = { type: 'paused', provider: PROVIDER, model: null, evidence: 'status' }
  expect(heard).toEqual([
    {
      ...about,
      credential: 'B',
      class: 'overloaded',
      scope: 'provider',
      level: 1,
      until: clock.at,
      stated: true,
      waitFrom: 'header:retry-after',
    },
    {
      ...about,
      credential: 'A',
      class: 'egress_blocked',
      scope: 'egress',
      level: 2,
      until: clock.at + 500,
      stated: false,
      waitFrom: null,
    },
  ])
})

test('the pause tells its cause in an explanation', async () => {
  const { pool, clock } = poolOf(rows('A'), NO_JITTER)
  await attempt(pool, 'A', 503)
  expect(pool.explain({ provider: PROVIDER }).candidates[0]).toMatchObject({
    reason: 'provider_paused',
    until: clock.at + 250,
    cause: 'overloaded',
    scope: 'provider',
    stated: false,
    evidence: 'status',
  })
  expect(statusOf(pool, 'A').state).toBe('provider_paused')
})

test('a session keeps its credential over a pause', async () => {
  for (const strategy of [undefined, () => 'B'] as const) {
    const { pool, clock } = poolOf(rows('A', 'B'), { ...NO_JITTER, strategy })
    const { credential } = take(pool, { session: 's' })
    await attempt(pool, credential.id, 503)
    expect(refused(pool, { session: 's' }).retryAfterMs).toBe(250)
    clock.pass(250)
    const lease = take(pool, { session: 's' })
    expect([lease.credential.id, lease.reason]).toEqual([credential.id, 'affinity'])
  }
})

test('classic never pauses', async () => {
  const { pool } = poolOf(rows('A', 'B'), { policy: 'classic' })
  for (const status of [500, 502, 503, 407, 451]) await attempt(pool, 'A', status)
  expect(order(pool, 2).split(' ').sort()).toEqual(['A', 'B'])
})

/** A Gemini 503 is about one credential. */
const GEMINI = { dialect: 'gemini', ...NO_JITTER }

/** Each of the credentials fails in a request of its own. */
async function failAll(pool: KeyPool, ids: readonly string[], outcome: object): Promise<void> {
  for (const id of ids) await leaseOf(pool, id).report(outcome)
}

test.each([
  ['overloaded', 503],
  ['auth_failed', 401],
])(
  'the same %s of three credentials within 5 s is the fault of the provider',
  async (kind, status) => {
    const { pool, clock } = poolOf(rows('A', 'B', 'C', 'D'), GEMINI)
    const heard = listen(pool, 'cooldown', 'recovered', 'paused')
    await failAll(pool, ['A', 'B'], { status })
    expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'cooling' })
    await failAll(pool, ['C'], { status })
    expect(new Set(Object.values(reasons(pool)))).toEqual(new Set(['provider_paused']))
    expect(
      heard
        .filter(({ type }) => type === 'recovered')
        .map(({ credential }) => credential)
        .sort(),
    ).toEqual(['A', 'B', 'C'])
    expect(heard.at(-1)).toMatchObject({
      type: 'paused',
      class: kind,
      scope: 'provider',
      stated: false,
    })
    clock.pass(250)
    expect(new Set(Object.values(reasons(pool)))).toEqual(new Set(['chosen', 'available']))
    expect(pool.status(PROVIDER).map(({ level }) => level)).toEqual([0, 0, 0, 0])
  },
)

test.each<[string, object]>([
  ['a rate limit', { status: 429 }],
  ['a spent quota', { status: 402 }],
  ['a stated wait', { status: 503, headers: { 'retry-after': '30' } }],
  ['a proof of death', { status: 401, body: { error: { code: 'invalid_api_key' } } }],
])('%s of three credentials is their own', async (_, outcome) => {
  const { pool } = poolOf(rows('A', 'B', 'C', 'D'), { dialect: 'openai' })
  const heard = listen(pool, 'paused')
  const own = outcome as { status: number }
  const dialect = own.status === 503 ? poolOf(rows('A', 'B', 'C', 'D'), GEMINI).pool : pool
  await failAll(dialect, ['A', 'B', 'C'], outcome)
  expect(heard).toEqual([])
  expect(take(dialect).credential.id).toBe('D')
  expect(reasons(dialect)['A']).not.toBe('available')
})

test('failures that are more than 5 s apart are their own', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C', 'D'), GEMINI)
  await failAll(pool, ['A', 'B'], { status: 401 })
  clock.pass(5_001)
  await failAll(pool, ['C'], { status: 401 })
  expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'cooling', C: 'cooling', D: 'chosen' })
})

test('a success in between proves the provider well', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C', 'D'), GEMINI)
  await failAll(pool, ['A', 'B'], { status: 401 })
  await attempt(pool, 'D', 200)
  await failAll(pool, ['C'], { status: 401 })
  expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'cooling', C: 'cooling', D: 'chosen' })
})

test('one request that fails on three credentials is no fault of the provider; two are', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C', 'D'), GEMINI)
  const heard = listen(pool, 'paused')
  const refuse = () => ({ status: 401 })
  await pool.run({ provider: PROVIDER, maxAttempts: 3 }, refuse)
  expect(heard).toEqual([])
  expect(take(pool).credential.id).toBe('D')
  await pool.run({ provider: PROVIDER, maxAttempts: 1 }, refuse)
  expect(heard).toHaveLength(1)
  clock.pass(MINUTE)
})

test('failures of different kinds do not add up', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C', 'D'), GEMINI)
  await failAll(pool, ['A', 'B'], { status: 401 })
  await failAll(pool, ['C'], { status: 503 })
  expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'cooling', C: 'cooling', D: 'chosen' })
})

test('how many credentials and requests make it the provider’s, and within how long, can be chosen', async () => {
  const rollback = { credentials: 2, requests: 1, withinMs: 1_000 }
  const { pool, clock } = poolOf(rows('A', 'B', 'C'), { ...GEMINI, rollback })
  await failAll(pool, ['A'], { status: 401 })
  clock.pass(1_001)
  await failAll(pool, ['B'], { status: 401 })
  expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'cooling', C: 'chosen' })
  await failAll(pool, ['C'], { status: 401 })
  expect(reasons(pool)).toEqual({ A: 'cooling', B: 'provider_paused', C: 'provider_paused' })
})
