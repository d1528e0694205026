import { KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'
import {
  attempt,
  order,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

const NOTHING = {
  by: null,
  until: null,
  cause: null,
  stated: false,
  scope: null,
  model: null,
  evidence: null,
  waitFrom: null,
  field: null,
  rule: null,
}

test('an explanation has one stable reason for every row, and what belongs to it', async () => {
  const clock = new FakeClock()
  const pool = new KeyPool({
    policy: 'classic',
    now: clock.now,
    load: () => [
      row('chosen'),
      row('available'),
      row('resting'),
      row('dead'),
      row('off', { enabled: false }),
      row('other-model', { models: ['small'] }),
      row('tried'),
      row('unset', { secret: '$KEYROTA_TEST_UNSET' }),
      row('bad', { weight: 0 }),
      row('spare', { priority: -1 }),
    ],
  })
  await pool.load(PROVIDER)
  await attempt(pool, 'resting', 429)
  await attempt(pool, 'dead', 401)
  const explanation = pool.explain({ provider: PROVIDER, model: 'large', tried: ['tried'] })
  expect(explanation).toMatchObject({ provider: PROVIDER, loaded: true, retryAfterMs: null })
  const { candidates, choice } = explanation
  expect(reasons(pool, { model: 'large', tried: ['tried'] })).toMatchObject({
    [choice ?? '']: 'chosen',
    resting: 'cooling',
    dead: 'credential_disabled',
    off: 'credential_disabled',
    'other-model': 'model_not_exposed',
    tried: 'already_tried',
    unset: 'secret_unresolved',
    spare: 'lower_priority',
    bad: 'invalid_credential',
  })
  const about = (id: string) => candidates.find((candidate) => candidate.id === id)
  expect(about('resting')).toEqual({
    ...NOTHING,
    id: 'resting',
    reason: 'cooling',
    until: clock.at + MINUTE,
    cause: 'rate_limited',
    scope: 'credential',
    evidence: 'status',
  })
  expect(about('dead')).toMatchObject({ ...NOTHING, by: 'verdict', cause: 'auth_failed' })
  const disabled = 'credential_disabled'
  expect(about('off')).toEqual({ ...NOTHING, id: 'off', reason: disabled, by: 'hand' })
  expect(about('bad')).toMatchObject({ field: 'weight' })
  expect(candidates.map(({ id }) => id).slice(-2)).toEqual(['spare', 'bad'])
})

test('an explanation changes nothing, however often it is asked', () => {
  // Reproducer for: https://github.com/joaquinbejar/ig-client/pull/92
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const before = JSON.stringify(pool.snapshot())
  for (let look = 0; look < 100; look++) {
    expect(pool.explain({ provider: PROVIDER, session: 's' }).choice).toBe('A')
    pool.status(PROVIDER)
  }
  expect(JSON.stringify(pool.snapshot())).toBe(before)
  expect(order(pool, 3)).toBe('A B C')
  expect(statusOf(pool, 'A').picks).toBe(1)
})

test('when nobody can serve, the explanation says when; the refusal and its error agree', async () => {
  // Reproducer for: https://github.com/BerriAI/litellm/issues/37754
  const { pool, clock } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 429, { 'retry-after': '40' })
  await attempt(pool, 'B', 429, { 'retry-after': '12' })
  const refusal = refused(pool)
  expect(refusal).toMatchObject({ ok: false, provider: PROVIDER, retryAfterMs: 12_000 })
  expect(refusal.explanation).toEqual(pool.explain({ provider: PROVIDER }))
  expect(refusal.explanation).toMatchObject({ choice: null, retryAfterMs: 12_000 })
  const error = refusal.toError()
  expect(error).toMatchObject({
    code: 'no_credential_available',
    provider: PROVIDER,
    retryAfterMs: 12_000,
    explanation: refusal.explanation,
    message: "no credential of 'openai' is available (2 cooling); the next one is back in 12000 ms",
  })
  clock.pass(5_000)
  expect(refusal.explanation.retryAfterMs, 'it looks again').toBe(7_000)
})

test('the wait is that of the first one who may serve this request', async () => {
  const { pool } = poolOf([row('A', { models: ['m'] }), row('B'), row('C')])
  await attempt(pool, 'A', 429, { 'retry-after': '5' })
  await attempt(pool, 'B', 429, { 'retry-after': '10' })
  await attempt(pool, 'C', 429, { 'retry-after': '20' })
  expect(refused(pool).retryAfterMs).toBe(5_000)
  expect(refused(pool, { model: 'other' }).retryAfterMs).toBe(10_000)
  expect(refused(pool, { tried: ['A', 'B'] }).retryAfterMs).toBe(20_000)
  expect(refused(pool, { tried: ['A', 'B', 'C'] }).retryAfterMs).toBeNull()
})

test('what is not loaded is said to be so', async () => {
  const pool = new KeyPool({ load: () => rows('A') })
  expect(pool.explain({ provider: PROVIDER })).toEqual({
    provider: PROVIDER,
    loaded: false,
    choice: null,
    retryAfterMs: null,
    atCapacity: false,
    candidates: [],
  })
  expect(pool.status(PROVIDER)).toEqual([])
  const refusal = refused(pool)
  expect(refusal.toError()).toMatchObject({
    code: 'not_loaded',
    message: "provider 'openai' is not loaded",
  })
  await pool.load(PROVIDER)
  pool.invalidate()
  expect(pool.explain({ provider: PROVIDER })).toMatchObject({ loaded: false, choice: null })
})

test('an explanation looks ahead: who is back now is available now', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE)
  expect(reasons(pool)['A']).not.toBe('cooling')
  expect(statusOf(pool, 'A').state).toBe('available')
})

test("a session's own credential is explained as its choice", async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  take(pool, { session: 's' })
  order(pool, 1)
  expect(pool.explain({ provider: PROVIDER, session: 's' }).choice).toBe('A')
  expect(pool.explain({ provider: PROVIDER }).choice).toBe('C')
  await attempt(pool, 'A', 429)
  expect(pool.explain({ provider: PROVIDER, session: 's' }).choice).not.toBe('A')
})

test('status has all that is known of each credential', async () => {
  const { pool, clock } = poolOf([row('A', { label: 'main', weight: 3, priority: 2 }), row('B')])
  take(pool)
  await attempt(pool, 'A', 429, { 'retry-after': '90' })
  expect(pool.status(PROVIDER)).toEqual([
    {
      id: 'A',
      label: 'main',
      weight: 3,
      priority: 2,
      state: 'cooling',
      by: null,
      until: clock.at + 90_000,
      level: 1,
      cause: 'rate_limited',
      models: [],
      inFlight: 1,
      picks: 2,
      successes: 0,
      failures: 1,
      lastUsedAt: clock.at,
    },
    {
      id: 'B',
      label: null,
      weight: 1,
      priority: 0,
      state: 'available',
      by: null,
      until: null,
      level: 0,
      cause: null,
      models: [],
      inFlight: 0,
      picks: 0,
      successes: 0,
      failures: 0,
      lastUsedAt: null,
    },
  ])
})

test('the caller may keep and change an explanation; it is his own', () => {
  const { pool } = poolOf(rows('A'))
  const explanation = pool.explain({ provider: PROVIDER })
  Object.assign(explanation, { choice: 'X', candidates: [] })
  expect(pool.explain({ provider: PROVIDER }).choice).toBe('A')
})
