// What happens when no credential can serve: the option `exhausted`.

import { KeyPool, type KeyPoolOptions } from 'keyrota'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 }).setTimerTickMode('nextTimerAsync')
})

afterEach(() => {
  vi.useRealTimers()
})

/** A and B rest, for 30 and for 10 seconds. */
async function resting(options: Partial<KeyPoolOptions>): Promise<KeyPool> {
  const { pool } = poolOf(rows('A', 'B'), { now: undefined, seed: 1, ...options })
  await attempt(pool, 'A', 429, { 'retry-after': '30' })
  await leaseOf(pool, 'B').report({ status: 429, headers: { 'retry-after': '10' } })
  return pool
}

const elapsed = () => Date.now() - 1_800_000_000_000

test('refuse, the default, is an error at once with the time and the reasons', async () => {
  for (const options of [{}, { exhausted: { policy: 'refuse' as const } }]) {
    const pool = await resting(options)
    const error = await rejected(pool.acquire({ provider: PROVIDER }))
    expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: 10 * SECOND })
    expect(error.explanation?.candidates.map(({ reason }) => reason)).toEqual([
      'cooling',
      'cooling',
    ])
  }
  expect(elapsed()).toBe(0)
})

test('wait waits for the first to come back, without being told so by each request', async () => {
  const pool = await resting({ exhausted: { policy: 'wait' } })
  expect((await pool.acquire({ provider: PROVIDER })).credential.id).toBe('B')
  expect(elapsed()).toBeGreaterThanOrEqual(10 * SECOND)
  expect(elapsed()).toBeLessThanOrEqual(11 * SECOND)
})

test('wait waits for 30 seconds at the most, or as long as it is told', async () => {
  for (const [maxWaitMs, long] of [
    [undefined, 31],
    [9_999, 10],
    [0, 1],
  ] as const) {
    const { pool } = poolOf(rows('A'), { exhausted: { policy: 'wait', maxWaitMs }, now: undefined })
    await attempt(pool, 'A', 429, { 'retry-after': String(long) })
    const error = await rejected(pool.acquire({ provider: PROVIDER }))
    expect(error).toMatchObject({ code: 'no_credential_available' })
  }
  expect(elapsed()).toBe(0)
})

test("a request's own maxWaitMs goes before the option, longer or shorter", async () => {
  const pool = await resting({ exhausted: { policy: 'wait', maxWaitMs: 20 * SECOND } })
  const hasty = await rejected(pool.acquire({ provider: PROVIDER, maxWaitMs: 5 * SECOND }))
  expect(hasty.code).toBe('no_credential_available')
  expect(elapsed()).toBe(0)
  const patient = pool.acquire({ provider: PROVIDER, tried: ['B'], maxWaitMs: MINUTE })
  expect((await patient).credential.id).toBe('A')
})

test('run waits between two attempts as long as before the first', async () => {
  const { pool } = poolOf(rows('A', 'B'), { now: undefined, exhausted: { policy: 'wait' } })
  await attempt(pool, 'B', 429, { 'retry-after': '20' })
  const answer = await pool.run({ provider: PROVIDER }, ({ credential }) => ({
    status: credential.id === 'A' ? 429 : 200,
  }))
  expect(answer).toEqual({ status: 200 })
  expect(elapsed()).toBeGreaterThanOrEqual(20 * SECOND)
})

test('fail-open serves from the one that recovers first', async () => {
  const pool = await resting({ exhausted: { policy: 'fail-open' } })
  const heard = listen(pool, 'acquired')
  expect(pool.explain({ provider: PROVIDER }).choice).toBe('B')
  const lease = take(pool)
  expect([lease.credential.id, lease.reason]).toEqual(['B', 'fail_open'])
  expect(heard).toMatchObject([{ credential: 'B', reason: 'fail_open' }])
  expect(take(pool, { tried: ['B'] }).credential.id).toBe('A')
})

test('fail-open says nothing while someone can serve', async () => {
  const { pool } = poolOf(rows('A', 'B'), { exhausted: { policy: 'fail-open' } })
  await attempt(pool, 'A', 429)
  expect(take(pool)).toMatchObject({ reason: 'strategy' })
})

test('a success of a fail-open lease ends the rests of its credential at once', async () => {
  const pool = await resting({ exhausted: { policy: 'fail-open' } })
  await take(pool).report({ status: 200 })
  expect(reasons(pool)).toEqual({ A: 'cooling', B: 'chosen' })
  expect(statusOf(pool, 'B').level).toBe(0)
})

test('a failure of a fail-open lease does not climb', async () => {
  const { pool } = poolOf(rows('A'), { exhausted: { policy: 'fail-open' } })
  await attempt(pool, 'A', 429)
  const { until } = statusOf(pool, 'A')
  for (let failure = 0; failure < 5; failure++) await take(pool).report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ level: 1, until })
})

test('fail-open goes through a pause of the provider', async () => {
  const { pool } = poolOf(rows('A', 'B'), { exhausted: { policy: 'fail-open' } })
  await attempt(pool, 'A', 503, { 'retry-after': '30' })
  expect(take(pool)).toMatchObject({ reason: 'fail_open' })
})

test('fail-open never serves from what is disabled, of another model, or without a secret', async () => {
  const { pool } = poolOf(
    [
      row('dead'),
      row('off', { enabled: false }),
      row('other', { models: ['n'] }),
      row('unset', { secret: '$KEYROTA_TEST_UNSET' }),
    ],
    { exhausted: { policy: 'fail-open' } },
  )
  const body = { error: { code: 'invalid_api_key' } }
  await leaseOf(pool, 'dead').report({ status: 401, body })
  expect(statusOf(pool, 'dead').by).toBe('verdict')
  expect(refused(pool, { model: 'm' }).retryAfterMs).toBeNull()
})

test('classic fails open as well', async () => {
  const pool = await resting({ policy: 'classic', exhausted: { policy: 'fail-open' } })
  expect(take(pool).reason).toBe('fail_open')
})

test.each<[string, object]>([
  ['exhausted.policy', { policy: 'fail-closed' }],
  ['exhausted.maxWaitMs', { policy: 'wait', maxWaitMs: -1 }],
  ['exhausted.maxWaitMs', { policy: 'wait', maxWaitMs: '5' }],
])('a wrong %s is refused: %o', (path, exhausted) => {
  const error = thrown(() => new KeyPool({ load: () => [], exhausted } as never))
  expect(error).toMatchObject({ code: 'invalid_option', path })
})
