// A provider's only credential is never made unusable for long by an overload that nobody timed.

import { expect, test } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { leaseOf, PROVIDER, poolOf, refused, row, rows, statusOf, take } from './support/pools.ts'

/** A Gemini 503 is about one credential, or one model of it. */
const GEMINI = { dialect: 'gemini', cooldown: { jitter: 0 } }
const OVERLOAD = { status: 503 }

test('the computed wait of an overload is cut to 2 s, however high the ladder is climbed', async () => {
  const { pool, clock } = poolOf(rows('A'), GEMINI)
  for (let level = 1; level <= 6; level++) {
    await take(pool).report(OVERLOAD)
    expect(statusOf(pool, 'A')).toMatchObject({ level, until: clock.at + 2 * SECOND })
    expect(refused(pool).retryAfterMs).toBe(2 * SECOND)
    clock.pass(2 * SECOND)
  }
})

test('a wait that is stated is kept, and so are those of limits', async () => {
  const { pool } = poolOf(rows('A'), GEMINI)
  await take(pool).report({ ...OVERLOAD, headers: { 'retry-after': '30' } })
  expect(refused(pool).retryAfterMs).toBe(30 * SECOND)
  pool.reset('A')
  await take(pool).report({ status: 429 })
  expect(refused(pool).retryAfterMs).toBe(MINUTE)
})

test('the wait of a single model is cut as well', async () => {
  const { pool, clock } = poolOf(rows('A'), GEMINI)
  const model = { model: 'm' }
  for (let level = 1; level <= 3; level++) {
    await take(pool, model).report(OVERLOAD)
    expect(refused(pool, model).retryAfterMs).toBe(2 * SECOND)
    clock.pass(2 * SECOND)
  }
})

test('one among others that are disabled, off or without a secret is alone', async () => {
  const list = [
    row('A'),
    row('dead'),
    row('off', { enabled: false }),
    row('unset', { secret: '$KEYROTA_TEST_UNSET' }),
  ]
  const { pool, clock } = poolOf(list, GEMINI)
  const dead = { error: { status: 'UNAUTHENTICATED', details: [{ reason: 'API_KEY_INVALID' }] } }
  await leaseOf(pool, 'dead').report({ status: 400, body: dead })
  expect(statusOf(pool, 'dead').by).toBe('verdict')
  for (let level = 1; level <= 3; level++) {
    await take(pool).report(OVERLOAD)
    expect(refused(pool).retryAfterMs).toBe(2 * SECOND)
    clock.pass(2 * SECOND)
  }
})

test('one that is alone only because the others rest is not alone', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), GEMINI)
  await leaseOf(pool, 'B').report({ status: 429, headers: { 'retry-after': '600' } })
  await take(pool).report(OVERLOAD)
  clock.pass(2 * SECOND)
  await take(pool).report(OVERLOAD)
  expect(refused(pool).retryAfterMs).toBe(4 * SECOND)
})

test('whether one is alone is judged when it is asked: the record is as it was', async () => {
  let list = rows('A', 'B')
  const { pool, clock } = poolOf([], { credentials: {}, load: () => list, ...GEMINI })
  await pool.load(PROVIDER)
  await leaseOf(pool, 'A').report(OVERLOAD)
  clock.pass(2 * SECOND)
  await leaseOf(pool, 'A').report(OVERLOAD)
  expect(statusOf(pool, 'A').until).toBe(clock.at + 4 * SECOND)
  for (const [given, wait] of [
    [rows('A'), 2],
    [rows('A', 'B'), 4],
  ] as const) {
    list = given
    pool.invalidate(PROVIDER)
    await pool.load(PROVIDER)
    expect(statusOf(pool, 'A').until).toBe(clock.at + wait * SECOND)
  }
})

test('how long the wait of an only credential is can be chosen', async () => {
  const { pool } = poolOf(rows('A'), { dialect: 'gemini', cooldown: { jitter: 0, aloneMs: 500 } })
  await take(pool).report(OVERLOAD)
  expect(refused(pool).retryAfterMs).toBe(500)
})
