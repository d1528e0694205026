import { KeyPool, type Snapshot } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock, SECOND } from './support/clock.ts'
import { thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const json = (snapshot: Snapshot): Json => JSON.parse(JSON.stringify(snapshot))

/** A pool in which something of every kind has happened, with another provider. */
async function eventful(strategy: 'smooth' | 'least-busy' | 'weighted-round-robin' = 'smooth') {
  const clock = new FakeClock()
  const pool = new KeyPool({
    credentials: { [PROVIDER]: rows('A', 'B', 'C', 'D'), other: rows('X', 'Y') },
    policy: 'classic',
    strategy,
    now: clock.now,
  })
  for (let session = 0; session < 6; session++) take(pool, { session: `session ${session}` })
  take(pool, { provider: 'other', session: 'session 0' }).release()
  await attempt(pool, 'A', 429)
  await attempt(pool, 'B', 401)
  clock.pass(SECOND)
  return { pool, clock, snapshot: pool.snapshot() }
}

test('a snapshot has no secret, no row and no session id, and survives JSON', async () => {
  const { snapshot, clock } = await eventful()
  expect(snapshot).toMatchObject({ format: 'keyrota', version: 1, takenAt: clock.at })
  expect(json(snapshot)).toEqual(snapshot)
  expect(structuredClone(snapshot)).toEqual(snapshot)
  const text = JSON.stringify(snapshot)
  expect(text).not.toContain('sk-')
  expect(text).not.toContain('session 0')
})

test('after a restart everything goes on: cooldowns, disablings, order, sessions, counts', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3368
  for (const strategy of ['smooth', 'least-busy', 'weighted-round-robin'] as const) {
    for (const isLoadedFirst of [true, false]) {
      const { pool, clock, snapshot } = await eventful(strategy)
      const copy = new KeyPool({
        load: (provider) => (provider === 'other' ? rows('X', 'Y') : rows('A', 'B', 'C', 'D')),
        policy: 'classic',
        strategy,
        now: clock.now,
      })
      if (isLoadedFirst) await copy.load(PROVIDER)
      copy.restore(json(snapshot) as never)
      await copy.load(PROVIDER)
      await copy.load('other')
      const settled = (of: KeyPool) => of.status(PROVIDER).map(({ inFlight, ...rest }) => rest)
      expect(settled(copy)).toEqual(settled(pool))
      expect(copy.status('other')).toEqual(pool.status('other'))
      for (const session of ['session 2', 'session 3', 'session 0']) {
        const asked = { provider: PROVIDER, session }
        expect(copy.explain(asked).choice).toBe(pool.explain(asked).choice)
      }
      if (strategy !== 'least-busy') expect(order(copy, 12)).toBe(order(pool, 12))
    }
  }
})

test('leases in flight end without a verdict, and rows stay loaded', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const snapshot = pool.snapshot()
  const lease = leaseOf(pool, 'A')
  pool.restore(snapshot)
  expect(statusOf(pool, 'A').inFlight).toBe(0)
  expect(await lease.report({ status: 429 })).toMatchObject({ class: 'rate_limited' })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', failures: 0 })
  expect(take(pool).credential.id).toBe('A')
})

test('a snapshot replaces what the pool knew', async () => {
  const { pool } = poolOf(rows('A', 'B'), { policy: 'classic' })
  const healthy = pool.snapshot()
  await attempt(pool, 'A', 429)
  await attempt(pool, 'B', 401)
  pool.restore(healthy)
  expect(pool.status(PROVIDER).map(({ state, level }) => [state, level])).toEqual([
    ['available', 0],
    ['available', 0],
  ])
})

test('waits go on where they were, also when the clock is behind the snapshot', async () => {
  const { snapshot, clock } = await eventful()
  for (const [ahead, left] of [
    [0, 59_000],
    [10_000, 49_000],
    [-3_600_000, 59_000],
    [59_000, 0],
  ] as const) {
    const copy = poolOf([row('A')], { policy: 'classic' })
    copy.clock.at = clock.at + ahead
    copy.pool.restore(snapshot)
    if (left === 0) expect(take(copy.pool).credential.id).toBe('A')
    else expect(refused(copy.pool).retryAfterMs, `${ahead}`).toBe(left)
  }
})

test('a secret that was replaced between two runs is told by its version', async () => {
  const run = (secretVersion: string) => {
    const clock = new FakeClock()
    const load = () => [row('A', { secretVersion }), row('B')]
    return new KeyPool({ load, policy: 'classic', now: clock.now })
  }
  const first = run('1')
  await first.load(PROVIDER)
  await attempt(first, 'A', 401)
  for (const [version, state] of [
    ['1', 'credential_disabled'],
    ['2', 'available'],
  ] as const) {
    const second = run(version)
    second.restore(json(first.snapshot()) as never)
    await second.load(PROVIDER)
    expect(statusOf(second, 'A').state).toBe(state)
  }
})

test('a disabling that the storage had not confirmed is asked for again after a restart', async () => {
  const clock = new FakeClock()
  const asked: string[] = []
  const options = (answer: boolean) => ({
    load: () => rows('A', 'B'),
    policy: 'classic' as const,
    now: clock.now,
    disable: (id: string) => {
      asked.push(id)
      return answer
    },
  })
  const first = new KeyPool(options(false))
  await first.load(PROVIDER)
  await attempt(first, 'A', 401)
  const second = new KeyPool(options(true))
  second.restore(json(first.snapshot()) as never)
  await second.load(PROVIDER)
  expect(order(second, 2)).toBe('B B')
  clock.pass(30_000)
  order(second, 1)
  expect(asked).toEqual(['A', 'A'])
})

test('more sessions than the capacity are cut to it, the oldest first', () => {
  const { pool } = poolOf(rows('A', 'B'))
  for (let session = 0; session < 100; session++) take(pool, { session: `${session}` })
  const small = poolOf(rows('A', 'B'), { affinity: { capacity: 10 } }).pool
  small.restore(pool.snapshot())
  expect(take(small, { session: '99' }).reason).toBe('affinity')
  expect(take(small, { session: '89' }).reason).toBe('strategy')
})

test('of a provider or a credential that is no longer there nothing is lost, and nothing shown', async () => {
  const { snapshot } = await eventful()
  const { pool } = poolOf(rows('A', 'New'), { policy: 'classic' })
  pool.restore(snapshot)
  expect(pool.status(PROVIDER).map(({ id }) => id)).toEqual(['A', 'New'])
  const again = pool.snapshot() as unknown as { providers: { name: string }[] }
  expect(again.providers.map(({ name }) => name).sort()).toEqual(['openai', 'other'])
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'keyrota'],
  ['a number', 1],
  ['a symbol', Symbol('keyrota')],
  ['a function', () => ({})],
  ['a list', []],
  ['an empty object', {}],
  ['another format', { format: 'other', version: 1 }],
  ['no format', { version: 1 }],
  ['no version', { format: 'keyrota' }],
  ['version 0', { format: 'keyrota', version: 0 }],
  ['version -1', { format: 'keyrota', version: -1 }],
  ['version 1.5', { format: 'keyrota', version: 1.5 }],
  ['a version of text', { format: 'keyrota', version: '1' }],
  ['only the head', { format: 'keyrota', version: 1, takenAt: 0 }],
  ['a text that was never parsed', JSON.stringify({ format: 'keyrota', version: 1 })],
])('%s is no snapshot: a typed error, and the pool is as it was', async (_, snapshot) => {
  const { pool } = await eventful()
  const before = JSON.stringify(pool.snapshot())
  const error = thrown(() => pool.restore(snapshot as Snapshot))
  expect(error).toMatchObject({ code: 'snapshot_malformed' })
  expect(JSON.stringify(pool.snapshot())).toBe(before)
})

test('a newer version is told apart, and the pool is as it was', async () => {
  const { pool, snapshot } = await eventful()
  for (const version of [2, 1_000, 2 ** 31]) {
    const error = thrown(() => pool.restore({ ...snapshot, version }))
    expect(error).toMatchObject({ code: 'snapshot_newer_version' })
    expect(error.message).toContain(String(version))
  }
  expect(pool.snapshot()).toEqual(snapshot)
})

test('a restore is heard by nobody as an event of its own', async () => {
  const { pool, snapshot } = await eventful()
  const heard = listen(pool, 'cooldown', 'disabled', 'enabled', 'recovered', 'rebound')
  pool.restore(snapshot)
  expect(heard).toEqual([])
})
