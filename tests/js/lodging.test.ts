// A session whose credential rests lodges elsewhere, and goes home while its cache is warm.

import type { KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { attempt, leaseOf, listen, poolOf, row, rows, statusOf, take } from './support/pools.ts'

const S = { session: 's' }

function served(pool: KeyPool, request: object = S): [string, string] {
  const lease = take(pool, request)
  lease.release()
  return [lease.credential.id, lease.reason]
}

test('a session lodges while its home rests, and goes back when the rest is over', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C'))
  const heard = listen(pool, 'rebound')
  expect(served(pool)).toEqual(['A', 'strategy'])
  await attempt(pool, 'A', 429)
  const [lodging] = served(pool)
  expect(lodging).not.toBe('A')
  expect(served(pool)).toEqual([lodging, 'lodging'])
  clock.pass(MINUTE)
  expect(served(pool)).toEqual(['A', 'affinity'])
  expect(heard).toMatchObject([
    { credential: lodging, from: 'A' },
    { credential: 'A', from: lodging },
  ])
})

test('the first request after the move has the reason lodging', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  served(pool)
  await attempt(pool, 'A', 429)
  expect(served(pool)).toEqual(['B', 'lodging'])
})

test('a home that rests for longer than the cache lives is given up', async () => {
  for (const [seconds, id] of [
    [300, 'A'],
    [301, 'B'],
  ] as const) {
    const { pool, clock } = poolOf(rows('A', 'B'))
    served(pool)
    await attempt(pool, 'A', 429, { 'retry-after': String(seconds) })
    served(pool)
    clock.pass(seconds * SECOND)
    expect(served(pool)[0]).toBe(id)
  }
})

test('how long the cache lives counts from the last use of home, not of the lodging', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  served(pool)
  clock.pass(200 * SECOND)
  // It rests until 350 s after the session was there.
  await attempt(pool, 'A', 429, { 'retry-after': '150' })
  expect(served(pool)).toEqual(['B', 'rebound'])
  clock.pass(150 * SECOND)
  expect(served(pool)).toEqual(['B', 'affinity'])
})

test('how long the cache lives can be chosen', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { affinity: { homeMs: 10_000 } })
  served(pool)
  await attempt(pool, 'A', 429, { 'retry-after': '11' })
  expect(served(pool)).toEqual(['B', 'rebound'])
  clock.pass(11_000)
  expect(served(pool)).toEqual(['B', 'affinity'])
})

test('a home that is disabled is given up at once', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/65041
  const { pool } = poolOf(rows('A', 'B', 'C'))
  served(pool)
  await leaseOf(pool, 'A').report({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  for (const id of ['B', 'C']) await attempt(pool, id, 429)
  expect(pool.tryAcquire({ provider: 'openai', ...S }).ok, 'never back to A').toBe(false)
  pool.reset('B')
  expect(served(pool)).toEqual(['B', 'rebound'])
  pool.enable('A')
  expect(served(pool)[0]).toBe('B')
})

test('a lodging that rests, too, is left for a third, and home is home still', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C'), { strategy: 'fill-first' })
  served(pool)
  await attempt(pool, 'A', 429, { 'retry-after': '100' })
  expect(served(pool)).toEqual(['B', 'lodging'])
  await attempt(pool, 'B', 429, { 'retry-after': '50' })
  expect(served(pool)).toEqual(['C', 'lodging'])
  clock.pass(100 * SECOND)
  expect(served(pool)).toEqual(['A', 'affinity'])
})

test('a model that rests lets the session lodge for that model', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  const asked = { ...S, model: 'm' }
  served(pool, asked)
  await leaseOfModel(pool, 'A', 'm').report({ status: 429 })
  expect(served(pool, asked)).toEqual(['B', 'lodging'])
  clock.pass(MINUTE)
  expect(served(pool, asked)).toEqual(['A', 'affinity'])
})

function leaseOfModel(pool: KeyPool, id: string, model: string) {
  const others = pool.status('openai').filter((known) => known.id !== id)
  return take(pool, { model, tried: others.map((known) => known.id) })
}

test('a higher priority that comes back takes the session for good', async () => {
  const { pool, clock } = poolOf([row('A', { priority: 1 }), row('B')])
  await attempt(pool, 'A', 429)
  expect(served(pool)).toEqual(['B', 'strategy'])
  clock.pass(MINUTE)
  expect(served(pool)).toEqual(['A', 'rebound'])
  expect(served(pool)).toEqual(['A', 'affinity'])
})

test('classic re-binds for good', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { policy: 'classic' })
  served(pool)
  await attempt(pool, 'A', 429)
  expect(served(pool)).toEqual(['B', 'rebound'])
  clock.pass(MINUTE)
  expect(served(pool)).toEqual(['B', 'affinity'])
})

test('sessions of a home that rests spread over the others, and all of them go back', async () => {
  // Reproducer for: https://github.com/tombii/better-ccflare/issues/285
  const { pool, clock } = poolOf(rows('A', 'B', 'C'))
  const sessions = Array.from({ length: 90 }, (_, at) => ({ session: `s${at}` }))
  for (const session of sessions) take(pool, { ...session, tried: ['B', 'C'] }).release()
  await attempt(pool, 'A', 429)
  const lodgings = sessions.map((session) => served(pool, session)[0])
  for (const id of ['B', 'C']) {
    const count = lodgings.filter((known) => known === id).length
    expect(Math.abs(count - 45)).toBeLessThanOrEqual(10)
  }
  clock.pass(MINUTE)
  for (const session of sessions) expect(served(pool, session)).toEqual(['A', 'affinity'])
})

test('lodging and home survive a snapshot', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C'))
  served(pool)
  await attempt(pool, 'A', 429)
  const [lodging] = served(pool)
  const copy = poolOf(rows('A', 'B', 'C'))
  copy.clock.at = clock.at
  copy.pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  expect(served(copy.pool)).toEqual([lodging, 'lodging'])
  copy.clock.pass(MINUTE)
  expect(served(copy.pool)).toEqual(['A', 'affinity'])
})

test('an explanation names the lodging as its choice', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  served(pool)
  await attempt(pool, 'A', 429)
  const [lodging] = served(pool)
  expect(pool.explain({ provider: 'openai', ...S }).choice).toBe(lodging)
  expect(statusOf(pool, 'A').state).toBe('cooling')
})
