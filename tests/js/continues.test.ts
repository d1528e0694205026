// A request that continues a response goes to the credential that made it, and to no other.

import { expect, test } from 'vitest'
import { DAY, MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
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

const CONTINUED = { continues: 'resp_1' }

test('only the credential that made a response can continue it', () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const maker = leaseOf(pool, 'B')
  maker.remember('resp_1')
  for (let turn = 0; turn < 4; turn++) {
    const lease = take(pool, CONTINUED)
    expect([lease.credential.id, lease.reason]).toEqual(['B', 'continuation'])
  }
  expect(reasons(pool, CONTINUED)).toEqual({
    A: 'bound_elsewhere',
    B: 'chosen',
    C: 'bound_elsewhere',
  })
})

test('a response that nobody remembers may be continued by anyone', () => {
  const { pool } = poolOf(rows('A', 'B'))
  expect(take(pool, { continues: 'unknown' })).toMatchObject({ reason: 'strategy' })
})

test('while its credential rests the request is refused with the time, though others are free', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'A').remember('resp_1')
  await attempt(pool, 'A', 429)
  expect(refused(pool, CONTINUED).retryAfterMs).toBe(MINUTE)
  expect(reasons(pool, CONTINUED)).toEqual({ A: 'cooling', B: 'bound_elsewhere' })
  expect(take(pool).credential.id).toBe('B')
  clock.pass(MINUTE)
  expect(take(pool, CONTINUED).credential.id).toBe('A')
})

test('run fails over to nobody', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'A').remember('resp_1')
  const seen: string[] = []
  const answer = await pool.run({ provider: PROVIDER, ...CONTINUED }, ({ credential }) => {
    seen.push(credential.id)
    return { status: 429 }
  })
  expect(answer).toEqual({ status: 429 })
  expect(seen).toEqual(['A'])
  expect(await rejected(pool.acquire({ provider: PROVIDER, ...CONTINUED }))).toMatchObject({
    code: 'no_credential_available',
  })
})

test('when its credential is disabled no time helps', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'A').remember('resp_1')
  await leaseOf(pool, 'A').report({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  expect(refused(pool, CONTINUED).retryAfterMs).toBeNull()
})

test('when its credential is gone from the rows anyone may continue', async () => {
  let list = rows('A', 'B')
  const { pool } = poolOf([], { credentials: {}, load: () => list })
  await pool.load(PROVIDER)
  leaseOf(pool, 'A').remember('resp_1')
  list = rows('B')
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(take(pool, CONTINUED).credential.id).toBe('B')
})

test('a higher priority that is free does not take the request over', () => {
  const { pool } = poolOf([row('A', { priority: 1 }), row('B')])
  take(pool, { tried: ['A'] }).remember('resp_1')
  expect(take(pool).credential.id).toBe('A')
  expect(take(pool, CONTINUED).credential.id).toBe('B')
})

test('the session of the request stays where it is', () => {
  const { pool } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'B').remember('resp_1')
  expect(take(pool, { session: 's' }).credential.id).toBe('A')
  expect(take(pool, { session: 's', ...CONTINUED }).credential.id).toBe('B')
  const back = take(pool, { session: 's' })
  expect([back.credential.id, back.reason]).toEqual(['A', 'affinity'])
})

test('the name of a session and that of a response are two things', () => {
  const { pool } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'B').remember('same')
  expect(take(pool, { session: 'same' }).reason).toBe('strategy')
  expect(pool.releaseSession('same')).toBe(true)
  expect(take(pool, { continues: 'same' }).credential.id).toBe('B')
})

test('a response is remembered for its own provider', () => {
  const { pool } = poolOf([], { credentials: { one: rows('A', 'B'), two: rows('X', 'Y') } })
  leaseOf(pool, 'B', 'one').remember('resp_1')
  expect(order(pool, 2, { provider: 'two', ...CONTINUED })).toBe('X Y')
})

test('a response is remembered over a snapshot', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'B').remember('resp_1')
  const copy = poolOf(rows('A', 'B'))
  copy.pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  expect(take(copy.pool, CONTINUED).credential.id).toBe('B')
})

test('the last who made a response has it', () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  leaseOf(pool, 'B').remember('resp_1')
  clock.pass(DAY)
  leaseOf(pool, 'A').remember('resp_1')
  expect(take(pool, CONTINUED).credential.id).toBe('A')
})

test('a custom strategy has no other choice', () => {
  const asked: string[][] = []
  const { pool } = poolOf(rows('A', 'B'), {
    strategy: (candidates) => {
      asked.push(candidates.map(({ id }) => id))
      return candidates[0]?.id ?? ''
    },
  })
  leaseOf(pool, 'B').remember('resp_1')
  asked.length = 0
  expect(take(pool, CONTINUED).credential.id).toBe('B')
  expect(asked.flat()).not.toContain('A')
})

test('the ids of responses are texts', () => {
  const { pool } = poolOf(rows('A'))
  const lease = take(pool)
  for (const wrong of [undefined, null, 7, {}]) {
    const told = { code: 'invalid_option', path: 'responseId' }
    expect(thrown(() => lease.remember(wrong as never))).toMatchObject(told)
  }
  for (const wrong of [null, 7, {}]) {
    const asked = { provider: PROVIDER, continues: wrong as never }
    for (const ask of [() => pool.tryAcquire(asked), () => pool.explain(asked)]) {
      expect(thrown(ask)).toMatchObject({ code: 'invalid_option', path: 'continues' })
    }
  }
  expect(statusOf(pool, 'A').picks).toBe(1)
})

test('as many responses are remembered as sessions, and as long after their last use', () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { affinity: { capacity: 2, ttlMs: MINUTE } })
  const maker = leaseOf(pool, 'B')
  const isKnown = (id: string) => take(pool, { continues: id }).reason === 'continuation'
  for (const id of ['resp_1', 'resp_2']) maker.remember(id)
  expect(isKnown('resp_1')).toBe(true)
  maker.remember('resp_3')
  expect(['resp_1', 'resp_2', 'resp_3'].map(isKnown)).toEqual([true, false, true])
  clock.pass(MINUTE)
  expect(['resp_1', 'resp_3'].map(isKnown)).toEqual([false, false])
})
