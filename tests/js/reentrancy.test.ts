import { KeyPool, type KeyPoolEvent, type StrategyCandidate } from 'keyrota'
import { afterEach, expect, test, vi } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  order,
  PROVIDER,
  poolOf,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'
import { settle } from './support/promises.ts'

afterEach(() => vi.restoreAllMocks())

/** Every call that a callback may make, each of which must work. */
function everything(pool: KeyPool): void {
  pool.status(PROVIDER)
  pool.explain({ provider: PROVIDER, session: 'inside' })
  take(pool).release()
  take(pool, { session: 'inside', tried: ['A'] }).release()
  pool.releaseSession('inside')
  pool.reset('C')
  pool.enable('C')
  pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  pool.on('acquired', () => {})()
  void take(pool).report({ status: 200 })
}

test('the clock may be asked from within the clock', () => {
  let depth = 0
  const pool: KeyPool = new KeyPool({
    credentials: { [PROVIDER]: rows('A', 'B', 'C') },
    now: () => {
      if (depth++ === 1) everything(pool)
      return 1_000
    },
  })
  expect(order(pool, 3).split(' ')).toHaveLength(3)
  expect(pool.status(PROVIDER).map(({ inFlight }) => inFlight)).toEqual([0, 0, 0])
})

test('the disable callback may call the pool', async () => {
  const calls: string[] = []
  const pool: KeyPool = new KeyPool({
    policy: 'classic',
    load: () => rows('A', 'B', 'C'),
    disable: (id) => {
      calls.push(id)
      everything(pool)
      return false
    },
  })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  await settle()
  expect(calls).toEqual(['A'])
  expect(statusOf(pool, 'B').inFlight).toBe(0)
})

test.each<[KeyPoolEvent, (pool: KeyPool, clock: FakeClock) => unknown]>([
  ['acquired', (pool) => take(pool)],
  ['cooldown', (pool) => attempt(pool, 'A', 429)],
  ['disabled', (pool) => attempt(pool, 'A', 401)],
  [
    'recovered',
    async (pool) => {
      await attempt(pool, 'A', 429)
      pool.reset('A')
    },
  ],
  [
    'enabled',
    async (pool) => {
      await attempt(pool, 'A', 401)
      pool.enable('A')
    },
  ],
  [
    'rebound',
    async (pool) => {
      const { credential } = take(pool, { session: 's' })
      await attempt(pool, credential.id, 429)
      take(pool, { session: 's' })
    },
  ],
  [
    'lease_expired',
    (pool, clock) => {
      take(pool)
      clock.pass(10 * MINUTE)
      take(pool)
    },
  ],
])('a listener of %s may call the pool', async (event, cause) => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C'), { policy: 'classic' })
  let calls = 0
  pool.on(event, () => {
    if (calls++ === 0) everything(pool)
  })
  await cause(pool, clock)
  expect(calls).toBeGreaterThan(0)
  expect(take(pool).settled).toBe(false)
})

test('a lease is of its own credential even if a listener took another meanwhile', async () => {
  for (const event of ['recovered', 'rebound', 'lease_expired'] as const) {
    const { pool, clock } = poolOf(rows('A', 'B', 'C'), { strategy: 'fill-first' })
    expect(take(pool, { session: 's' }).credential.id).toBe('A')
    await attempt(pool, 'A', 429)
    if (event !== 'rebound') clock.pass(10 * MINUTE)
    let isFirst = true
    pool.on(event, () => {
      if (!isFirst) return
      isFirst = false
      take(pool, { tried: ['A', 'B'] })
    })
    const lease = take(pool, { session: 's' })
    expect(isFirst, event).toBe(false)
    expect(lease.credential.id, event).toBe(event === 'rebound' ? 'B' : 'A')
    await lease.report({ status: 402 })
    const failed = pool.status(PROVIDER).filter(({ cause }) => cause === 'quota_exhausted')
    expect(
      failed.map(({ id }) => id),
      event,
    ).toEqual([lease.credential.id])
  }
})

test('a refusal tells its own time when someone whose lease expired is told of it', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { leaseTtlMs: 1_000 })
  take(pool)
  await attempt(pool, 'A', 429, { 'retry-after': '300' })
  await attempt(pool, 'B', 429, { 'retry-after': '200' })
  pool.on('lease_expired', () => pool.tryAcquire({ provider: PROVIDER, tried: ['B'] }))
  clock.pass(1_000)
  const answer = pool.tryAcquire({ provider: PROVIDER })
  expect(answer.ok ? null : answer.retryAfterMs).toBe(199_000)
})

test('a listener that hears of a load finds every secret in its place', async () => {
  let list = rows('A', 'B')
  const off = new Set<string>()
  const pool = new KeyPool({
    policy: 'classic',
    load: () => list,
    disable: (id) => off.add(id).has(id),
  })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  await settle()
  list = rows('new', 'A')
  const secrets: string[] = []
  const take2 = () => {
    for (let pick = 0; pick < 2; pick++) secrets.push(take(pool).secret)
  }
  pool.on('enabled', take2)
  pool.on('acquired', ({ credential }) => expect(credential).toMatch(/new|A/))
  await pool.load(PROVIDER)
  expect(secrets.sort()).toEqual(['sk-A', 'sk-new'])
})

test('a disable callback that is repeated at a load finds every secret in its place', async () => {
  const clock = new FakeClock()
  let list = rows('A', 'B')
  const secrets: string[] = []
  const pool: KeyPool = new KeyPool({
    policy: 'classic',
    load: () => list,
    now: clock.now,
    disable: () => {
      secrets.push(take(pool).secret)
      return false
    },
  })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  await settle()
  list = rows('A', 'new')
  clock.pass(30_000)
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(secrets).toEqual(['sk-B', 'sk-new'])
})

test.each<[string, (pool: KeyPool) => void]>([
  ['acquire', (pool) => take(pool, { tried: ['B'] })],
  ['reset', (pool) => pool.reset('A')],
  ['release a session', (pool) => pool.releaseSession('s')],
  ['take a snapshot', (pool) => pool.restore(pool.snapshot())],
])('a custom strategy may %s', (_, act) => {
  let depth = 0
  const strategy = (candidates: readonly StrategyCandidate[]) => {
    if (depth++ === 0) act(pool)
    return candidates.at(-1)?.id ?? ''
  }
  const { pool } = poolOf(rows('A', 'B', 'C'), { strategy })
  expect(take(pool, { session: 's' }).credential.id).toBe('C')
})

test('a custom strategy that takes its own choice out is asked again', async () => {
  let asked = 0
  const strategy = (candidates: readonly StrategyCandidate[]) => {
    asked += 1
    if (asked === 2) void held.report({ status: 429 })
    return candidates[0]?.id ?? ''
  }
  const { pool } = poolOf(rows('A', 'B'), { strategy })
  const held = take(pool)
  expect(held.credential.id).toBe('A')
  expect(take(pool).credential.id).toBe('B')
  expect(asked).toBe(3)
})

test('a custom strategy that takes every choice out gets the refusal with its time', async () => {
  const strategy = (candidates: readonly StrategyCandidate[]) => {
    if (asked++ > 0) void held.report({ status: 429, headers: { 'retry-after': '9' } })
    return candidates[0]?.id ?? ''
  }
  let asked = 0
  const { pool } = poolOf(rows('A'), { strategy })
  const held = take(pool)
  const error = await rejected(pool.acquire({ provider: PROVIDER }))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: 9_000 })
})

test('a custom strategy that invalidates the rows is asked again after they were loaded', async () => {
  let asked = 0
  const pool: KeyPool = new KeyPool({
    load: () => rows('A', 'B'),
    strategy: (candidates) => {
      if (asked++ === 0) pool.invalidate()
      return candidates[0]?.id ?? ''
    },
  })
  expect((await pool.acquire({ provider: PROVIDER })).credential.id).toBe('A')
  expect(asked).toBe(2)
})

test('callbacks that invalidate at every load end in a typed error, not in a circle', async () => {
  const byStrategy: KeyPool = new KeyPool({
    load: () => rows('A'),
    strategy: () => {
      byStrategy.invalidate()
      return 'A'
    },
  })
  expect(await rejected(byStrategy.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'not_loaded',
  })
  const byLoader: KeyPool = new KeyPool({
    load: () => {
      byLoader.invalidate()
      return rows('A')
    },
  })
  expect(await rejected(byLoader.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'load_failed',
  })
  const byResolver: KeyPool = new KeyPool({
    load: () => rows('A'),
    resolveSecret: (raw) => {
      byResolver.invalidate()
      return raw
    },
  })
  expect(await rejected(byResolver.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'load_failed',
  })
})

test('a listener may dispose the pool while a report or a request is at work', async () => {
  const reported = poolOf(rows('A', 'B'), { policy: 'classic' }).pool
  const lease = leaseOf(reported, 'A')
  reported.on('disabled', () => reported.dispose())
  expect(await lease.report({ status: 401 })).toMatchObject({ class: 'auth_failed' })

  const asked = poolOf(rows('A', 'B')).pool
  const { credential } = take(asked, { session: 's' })
  await attempt(asked, credential.id, 429)
  for (const event of ['rebound', 'acquired'] as const) asked.on(event, () => asked.dispose())
  asked.tryAcquire({ provider: PROVIDER, session: 's' })
  for (const pool of [reported, asked]) {
    expect(thrown(() => pool.status(PROVIDER))).toMatchObject({ code: 'disposed' })
  }
})

test('a clock, a loader and a strategy may dispose the pool', async () => {
  let disposing = false
  const byClock: KeyPool = new KeyPool({
    credentials: { [PROVIDER]: rows('A') },
    now: () => {
      if (disposing) byClock.dispose()
      return 1_000
    },
  })
  disposing = true
  byClock.tryAcquire({ provider: PROVIDER })
  expect(thrown(() => byClock.tryAcquire({ provider: PROVIDER }))).toMatchObject({
    code: 'disposed',
  })
  const byLoader: KeyPool = new KeyPool({
    load: () => {
      byLoader.dispose()
      return rows('A')
    },
  })
  expect(await rejected(byLoader.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'disposed',
  })
  const byStrategy: KeyPool = new KeyPool({
    load: () => [row('A')],
    strategy: () => {
      byStrategy.dispose()
      return 'A'
    },
  })
  await byStrategy.acquire({ provider: PROVIDER }).catch((error) => {
    expect(error).toMatchObject({ code: 'disposed' })
  })
  expect(thrown(() => byStrategy.status(PROVIDER))).toMatchObject({ code: 'disposed' })
})

test('a lease may be reported from within its own report', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const lease = leaseOf(pool, 'A')
  pool.on('cooldown', () => void lease.report({ status: 402 }))
  expect(await lease.report({ status: 429 })).toMatchObject({ class: 'rate_limited' })
  expect(statusOf(pool, 'A')).toMatchObject({ failures: 1, cause: 'rate_limited', inFlight: 0 })
})
