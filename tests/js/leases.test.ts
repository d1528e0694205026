import { KeyPool, Lease } from 'keyrota'
import { expect, test } from 'vitest'
import { MINUTE } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

test('a lease shows who serves, why, and the secret', async () => {
  const { pool } = poolOf([row('A', { label: 'first key' }), row('B')])
  const lease = await pool.acquire({ provider: PROVIDER })
  expect(lease).toBeInstanceOf(Lease)
  expect(lease.ok).toBe(true)
  expect(lease.provider).toBe(PROVIDER)
  expect(lease.credential).toEqual({ id: 'A', label: 'first key' })
  expect(lease.secret).toBe('sk-A')
  expect(lease.reason).toBe('strategy')
  expect(lease.settled).toBe(false)
  expect(take(pool).credential).toEqual({ id: 'B', label: null })
})

test('what a lease shows of its credential cannot be changed', () => {
  const { pool } = poolOf(rows('A'))
  const { credential } = take(pool)
  expect(() => Object.assign(credential, { id: 'other' })).toThrow(TypeError)
  expect(take(pool).credential.id).toBe('A')
})

test('a lease is in flight until it is reported, released or disposed', async () => {
  const { pool } = poolOf(rows('A'))
  const inFlight = () => statusOf(pool, 'A').inFlight
  const leases = Array.from({ length: 5 }, () => take(pool))
  expect(inFlight()).toBe(5)
  await leases[0]?.report({ status: 200 })
  expect(inFlight()).toBe(4)
  await leases[1]?.report({ status: 400 })
  expect(inFlight()).toBe(3)
  leases[2]?.release()
  expect(inFlight()).toBe(2)
  await leases[3]?.[Symbol.asyncDispose]()
  expect(inFlight()).toBe(1)
  leases[4]?.[Symbol.dispose]()
  expect(inFlight()).toBe(0)
  expect(leases.every(({ settled }) => settled)).toBe(true)
})

test('`await using` releases a lease on every way out of the block', async () => {
  const { pool } = poolOf(rows('A'))
  const work = async (fails: boolean) => {
    await using lease = await pool.acquire({ provider: PROVIDER })
    expect(statusOf(pool, lease.credential.id).inFlight).toBe(1)
    if (fails) throw new Error('mine')
  }
  await work(false)
  await expect(work(true)).rejects.toThrow('mine')
  {
    using lease = take(pool)
    expect(lease.settled).toBe(false)
  }
  expect(statusOf(pool, 'A')).toMatchObject({ inFlight: 0, successes: 0, failures: 0 })
})

test('a release is no verdict: nobody rests and nothing is counted but the pick', () => {
  const { pool } = poolOf(rows('A', 'B'))
  order(pool, 4)
  for (const id of ['A', 'B']) {
    expect(statusOf(pool, id)).toMatchObject({ picks: 2, successes: 0, failures: 0, level: 0 })
  }
})

test('a lease settles once: later reports answer the first verdict and change nothing', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const lease = leaseOf(pool, 'A')
  const first = await lease.report({ status: 429, headers: { 'retry-after': '5' } })
  expect(await lease.report({ status: 401 })).toBe(first)
  lease.release()
  expect(await lease.report({ status: 200 })).toBe(first)
  expect(statusOf(pool, 'A')).toMatchObject({ failures: 1, successes: 0, inFlight: 0, level: 1 })
})

test('a report after a release changes nothing', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const lease = leaseOf(pool, 'A')
  lease.release()
  expect(await lease.report({ status: 429 })).toMatchObject({ class: 'ok' })
  expect(statusOf(pool, 'A')).toMatchObject({ failures: 0, state: 'available' })
})

test('an error of one request never lands on the credential of another', async () => {
  // Reproducer for: https://github.com/livekit/agents-js/issues/2477
  const { pool } = poolOf(rows('A', 'B'))
  const first = leaseOf(pool, 'A')
  const second = leaseOf(pool, 'B')
  await first.report({ status: 429 })
  await second.report({ status: 200 })
  expect(statusOf(pool, 'A').state).toBe('cooling')
  expect(statusOf(pool, 'B')).toMatchObject({ state: 'available', successes: 1, failures: 0 })
})

test('a lease that is never reported ends by itself, without blame', async () => {
  const { pool, clock } = poolOf(rows('A'), { leaseTtlMs: 5_000 })
  const heard = listen(pool, 'lease_expired')
  const lease = take(pool)
  clock.pass(4_999)
  take(pool).release()
  expect(statusOf(pool, 'A').inFlight).toBe(1)
  clock.pass(1)
  expect(statusOf(pool, 'A').inFlight, 'status looks ahead').toBe(0)
  expect(heard).toEqual([])
  take(pool).release()
  expect(heard).toEqual([{ type: 'lease_expired', provider: PROVIDER, credential: 'A' }])
  expect(await lease.report({ status: 429 }), 'too late').toMatchObject({ class: 'rate_limited' })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', failures: 0, inFlight: 0 })
})

test('a lease lasts ten minutes by default', () => {
  const { pool, clock } = poolOf(rows('A'))
  take(pool)
  clock.pass(10 * MINUTE - 1)
  expect(statusOf(pool, 'A').inFlight).toBe(1)
  clock.pass(1)
  expect(statusOf(pool, 'A').inFlight).toBe(0)
})

test('a report about a credential that was replaced meanwhile is ignored', async () => {
  let secret = 'old'
  const pool = new KeyPool({ load: () => [row('A', { secret }), row('B')] })
  await pool.load(PROVIDER)
  const old = leaseOf(pool, 'A')
  secret = 'new'
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(await old.report({ status: 429 })).toMatchObject({ class: 'rate_limited' })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', failures: 0, inFlight: 0 })
  const fresh = leaseOf(pool, 'A')
  expect(fresh.secret).toBe('new')
  await fresh.report({ status: 429 })
  expect(statusOf(pool, 'A').state).toBe('cooling')
})

test('a report about a credential that was brought back meanwhile is ignored', async () => {
  const { pool } = poolOf(rows('A', 'B'), { policy: 'classic' })
  const [slow, quick] = [leaseOf(pool, 'A'), leaseOf(pool, 'A')]
  await quick.report({ status: 401 })
  pool.enable('A')
  await slow.report({ status: 401 })
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('a report about a row that has gone meanwhile harms nobody', async () => {
  let list = rows('A', 'B')
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  const gone = leaseOf(pool, 'A')
  list = rows('C', 'B')
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(gone.credential.id).toBe('A')
  expect(gone.secret).toBe('sk-A')
  await gone.report({ status: 429 })
  expect(pool.status(PROVIDER).map(({ id, state }) => [id, state])).toEqual([
    ['C', 'available'],
    ['B', 'available'],
  ])
  list = rows('A', 'B')
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').state, 'health follows the id').toBe('cooling')
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', '429'],
  ['a number', 429],
  ['a symbol', Symbol('429')],
  ['a bigint', 429n],
])('%s is no outcome: the report is refused and the lease goes on', async (_, outcome) => {
  const { pool } = poolOf(rows('A'))
  const lease = take(pool)
  const error = await rejected(lease.report(outcome))
  expect(error).toMatchObject({ code: 'invalid_option', path: 'outcome' })
  expect(lease.settled).toBe(false)
  expect(statusOf(pool, 'A')).toMatchObject({ inFlight: 1, failures: 0 })
  await lease.report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ inFlight: 0, failures: 1 })
})

test('counts and the time of the last use are kept for each credential', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  expect(statusOf(pool, 'A').lastUsedAt).toBeNull()
  await attempt(pool, 'A', 200)
  await attempt(pool, 'A', 304)
  await attempt(pool, 'A', 400)
  clock.pass(7)
  await attempt(pool, 'A', 429)
  expect(statusOf(pool, 'A')).toMatchObject({
    picks: 4,
    successes: 2,
    failures: 1,
    lastUsedAt: clock.at,
  })
  expect(statusOf(pool, 'B')).toMatchObject({ picks: 0, successes: 0, failures: 0 })
})

test('more leases than there are numbers end the oldest ones, and mix up no reports', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const most = 2 ** 21
  const inFlight = () => pool.status(PROVIDER).reduce((sum, known) => sum + known.inFlight, 0)
  const oldest = take(pool)
  for (let count = 0; count < most + 10; count++) pool.tryAcquire({ provider: PROVIDER })
  expect(inFlight()).toBeLessThanOrEqual(most)
  await oldest.report({ status: 429 })
  expect(pool.status(PROVIDER).map(({ state }) => state)).not.toContain('cooling')
  const newest = take(pool)
  await newest.report({ status: 429 })
  expect(statusOf(pool, newest.credential.id).state).toBe('cooling')
  expect(inFlight()).toBeGreaterThan(most - 5)
})
