// Caps on what is under way at once: who is passed over, who waits, and what ends a wait.

import { type Explanation, KeyPool, type KeyPoolOptions, type Lease } from 'keyrota'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rejected, thrown } from './support/errors.ts'
import {
  attempt,
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
import { deferred, settle } from './support/promises.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

const FULL = { code: 'no_credential_available', retryAfterMs: null, atCapacity: true }

/** A pool on the faked system clock, whose only key takes one attempt at a time. */
function narrow(options: Partial<KeyPoolOptions> = {}): KeyPool {
  return new KeyPool({ credentials: { [PROVIDER]: [row('A', { maxConcurrent: 1 })] }, ...options })
}

/** What came of promises so far. */
function watch(promises: readonly Promise<Lease>[]): (Lease | unknown)[] {
  const seen: unknown[] = []
  promises.forEach((promise, at) => {
    promise.then(
      (lease) => {
        seen[at] = lease
      },
      (error) => {
        seen[at] = error
      },
    )
  })
  return seen
}

test('a key at its cap is passed over, and serves again when an attempt ends', async () => {
  const { pool } = poolOf([row('A', { maxConcurrent: 2 }), row('B')], { strategy: 'fill-first' })
  const leases = [take(pool), take(pool)]
  expect(take(pool).credential.id).toBe('B')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'at_capacity', until: null, inFlight: 2 })
  expect(reasons(pool)).toEqual({ A: 'at_capacity', B: 'chosen' })
  leases[0]?.release()
  expect(take(pool).credential.id).toBe('A')
  await leases[1]?.report({ status: 200 })
  expect(take(pool).credential.id).toBe('A')
})

test('a refusal says that there is no room, and so does its error', async () => {
  const { pool } = poolOf(rows('A', 'B'), { maxConcurrent: 1 })
  take(pool)
  const refusal = refused(pool)
  expect(refusal).toMatchObject(FULL)
  expect(refusal.explanation).toMatchObject({ atCapacity: true, choice: null, retryAfterMs: null })
  const error = await rejected(pool.acquire({ provider: PROVIDER }))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  const { explanation } = error as unknown as { explanation: Explanation }
  expect(explanation.candidates.map(({ reason }) => reason)).toEqual(['at_capacity', 'at_capacity'])
  expect(String(error)).toContain('2 at_capacity')
})

test('the cap of the pool holds for each provider by itself, and a provider may have another or none', () => {
  const pool = new KeyPool({
    credentials: { one: rows('A', 'B'), two: rows('C', 'D', 'E'), three: rows('F', 'G') },
    maxConcurrent: 1,
    providers: { two: { maxConcurrent: 2 }, three: { maxConcurrent: null } },
  })
  const granted = ['one', 'two', 'three'].map((provider) => {
    return [1, 2, 3, 4].filter(() => pool.tryAcquire({ provider }).ok).length
  })
  expect(granted).toEqual([1, 2, 4])
})

test.each<[string, (lease: Lease) => unknown]>([
  ['a release', (lease) => lease.release()],
  ['a success', (lease) => lease.report({ status: 200 })],
  ['an error of the caller', (lease) => lease.report({ status: 400 })],
  ['the end of its block', (lease) => lease[Symbol.dispose]()],
])('%s wakes whoever waits for room, at once and without a timer', async (_, end) => {
  const pool = narrow()
  const open = take(pool)
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 })])
  await settle()
  expect(seen).toEqual([])
  end(open)
  await settle()
  expect(seen[0]).toMatchObject({ ok: true, credential: { id: 'A' } })
  expect(vi.getTimerCount()).toBe(0)
})

test('those who wait for room are served one after the other, in the order in which they came', async () => {
  const pool = narrow()
  const open = take(pool)
  const waiting = [1, 2, 3].map(() => pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 }))
  const seen = watch(waiting)
  await settle()
  open.release()
  for (const at of [0, 1, 2]) {
    await settle()
    expect(Object.keys(seen)).toHaveLength(at + 1)
    const lease = seen[at] as Lease
    lease.release()
  }
  expect(vi.getTimerCount()).toBe(0)
})

test('who waited for room in vain is refused at the end of its time, with the reason', async () => {
  const pool = narrow()
  take(pool)
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 5_000 })])
  await vi.advanceTimersByTimeAsync(4_999)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(seen[0]).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  expect(seen[0]).toMatchObject({ explanation: { atCapacity: true } })
})

test('an attempt that nobody reports makes room when its lease ends by itself', async () => {
  const pool = narrow({ leaseTtlMs: 2_000 })
  take(pool)
  await vi.advanceTimersByTimeAsync(500)
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 })])
  await vi.advanceTimersByTimeAsync(1_499)
  expect(seen).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(seen[0]).toMatchObject({ ok: true })
})

test('whichever comes first ends the wait: room, or another key that is back', async () => {
  const credentials = { [PROVIDER]: [row('A', { maxConcurrent: 1 }), row('B')] }
  for (const isFreed of [true, false]) {
    const pool = new KeyPool({ credentials, strategy: 'fill-first' })
    const open = take(pool)
    await take(pool).report({ status: 429, headers: { 'retry-after': '3' } })
    expect(refused(pool)).toMatchObject({ retryAfterMs: 3_000, atCapacity: true })
    const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 5_000 })])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(seen).toEqual([])
    if (isFreed) open.release()
    await vi.advanceTimersByTimeAsync(isFreed ? 0 : 1_000)
    expect(seen[0]).toMatchObject({ credential: { id: isFreed ? 'A' : 'B' } })
  }
})

test('room is waited for although the next key is back too late', async () => {
  const credentials = { [PROVIDER]: [row('A', { maxConcurrent: 1 }), row('B')] }
  const pool = new KeyPool({ credentials, strategy: 'fill-first' })
  const open = take(pool)
  await take(pool).report({ status: 429, headers: { 'retry-after': '3600' } })
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 5_000 })])
  await vi.advanceTimersByTimeAsync(1_000)
  open.release()
  await settle()
  expect(seen[0]).toMatchObject({ credential: { id: 'A' } })
})

test('room of another provider, and an abort, are told apart', async () => {
  const pool = new KeyPool({
    credentials: { one: rows('A'), two: rows('B') },
    maxConcurrent: 1,
    exhausted: { policy: 'wait' },
  })
  const [one, two] = ['one', 'two'].map((provider) => take(pool, { provider }))
  const { signal, abort } = new AbortController()
  const controller = { signal, abort }
  const seen = watch([
    pool.acquire({ provider: 'one' }),
    pool.acquire({ provider: 'one', signal: controller.signal }),
  ])
  await settle()
  two?.release()
  await settle()
  expect(seen).toEqual([])
  one?.release()
  await settle()
  expect(Object.keys(seen)).toEqual(['0'])
})

test('room that comes while the rows are loaded is not missed', async () => {
  const load = deferred<ReturnType<typeof row>[]>()
  const pool = new KeyPool({ load: () => load.promise })
  const first = pool.acquire({ provider: PROVIDER })
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 })])
  first.then((lease) => lease.release())
  load.resolve([row('A', { maxConcurrent: 1 })])
  await vi.advanceTimersByTimeAsync(0)
  expect(seen[0]).toMatchObject({ ok: true })
})

test('a session whose key is at its cap is served elsewhere and stays', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/pull/4674
  const { pool } = poolOf([row('A', { maxConcurrent: 5 }), row('B'), row('C')])
  const moved = listen(pool, 'rebound')
  const leases = Array.from({ length: 100 }, () => take(pool, { session: 's' }))
  const counts = { A: 0, B: 0, C: 0, overflow: 0 }
  for (const { credential, reason } of leases) {
    counts[credential.id as 'A']++
    if (reason === 'overflow') counts.overflow++
  }
  expect(counts.A).toBe(5)
  expect(counts.overflow).toBe(95)
  expect(moved).toEqual([])
  leases.find(({ credential }) => credential.id === 'A')?.release()
  expect(take(pool, { session: 's' })).toMatchObject({
    credential: { id: 'A' },
    reason: 'affinity',
  })
})

test('what continues a response waits for its key', async () => {
  const credentials = { [PROVIDER]: [row('A', { maxConcurrent: 1 }), row('B')] }
  const pool = new KeyPool({ credentials, strategy: 'fill-first' })
  const made = take(pool)
  made.remember('response')
  expect(refused(pool, { continues: 'response' })).toMatchObject(FULL)
  expect(reasons(pool, { continues: 'response' })).toEqual({
    A: 'at_capacity',
    B: 'bound_elsewhere',
  })
  const waiting = pool.acquire({ provider: PROVIDER, continues: 'response', maxWaitMs: 1_000 })
  await made.report({ status: 200 })
  expect(await waiting).toMatchObject({ credential: { id: 'A' }, reason: 'continuation' })
})

test('run waits for room, and a function of the user is asked of nobody who has none', async () => {
  const strategy = vi.fn((candidates: readonly { id: string }[]) => candidates[0]?.id ?? '')
  const { pool } = poolOf([row('A', { maxConcurrent: 1 }), row('B', { maxConcurrent: 1 })], {
    strategy,
  })
  const open = [take(pool), take(pool)]
  expect(open.map(({ credential }) => credential.id)).toEqual(['A', 'B'])
  expect(strategy.mock.calls[1]?.[0]).toMatchObject([{ id: 'B' }])
  expect(refused(pool)).toMatchObject(FULL)
  const answer = pool.run({ provider: PROVIDER }, ({ credential }) => credential.id)
  await settle()
  open[1]?.release()
  expect(await answer).toBe('B')
})

test('a probe goes whatever the cap, and counts', async () => {
  const { pool } = poolOf([row('A', { maxConcurrent: 1 })])
  const open = take(pool)
  const verdict = await pool.probe('A', () => {
    expect(statusOf(pool, 'A').inFlight).toBe(2)
    open.release()
    expect(refused(pool)).toMatchObject(FULL)
    return { status: 200 }
  })
  expect(verdict.class).toBe('ok')
  expect(take(pool).ok).toBe(true)
})

test('a pool that is disposed wakes whoever waits for room', async () => {
  const pool = narrow()
  const open = take(pool)
  const waiting = rejected(pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 }))
  await settle()
  pool.dispose()
  open.release()
  expect(await waiting).toMatchObject({ code: 'disposed' })
})

test('a cap that a load changes counts for whoever waits', async () => {
  const caps = [1, 2]
  const pool = new KeyPool({ load: () => [row('A', { maxConcurrent: caps.shift() })] })
  await pool.load(PROVIDER)
  take(pool)
  const seen = watch([pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 })])
  await settle()
  expect(seen).toEqual([])
  pool.invalidate()
  await vi.advanceTimersByTimeAsync(0)
  expect(seen[0]).toMatchObject({ ok: true })
})

test.each([
  ['maxConcurrent', 0],
  ['maxConcurrent', 1.5],
  ['maxConcurrent', 1_000_001],
  ['maxConcurrent', '5'],
  ['maxConcurrent', Number.NaN],
])('%s: %s is refused at construction, also of one provider', (name, value) => {
  const make = (options: object) => () => new KeyPool({ credentials: {}, ...options } as never)
  const rule = 'must be a whole number from 1 to 1000000'
  expect(thrown(make({ [name]: value }))).toMatchObject({
    code: 'invalid_option',
    path: name,
    rule,
  })
  expect(thrown(make({ providers: { p: { [name]: value } } }))).toMatchObject({
    path: `providers.p.${name}`,
  })
})

test('a row whose cap, kind or authorisation breaks a rule is passed over with the field', async () => {
  const bad = [
    row('a', { maxConcurrent: 0 }),
    row('b', { kind: 'account' as never }),
    row('c', { authorized: false }),
    row('d', { kind: 'subscription', authorized: 1 as never }),
  ]
  const pool = new KeyPool({ load: () => [...bad, row('good', { maxConcurrent: null })] })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  expect(heard.map(({ credential, field }) => `${credential} ${field}`)).toEqual([
    'a maxConcurrent',
    'b kind',
    'c authorized',
    'd authorized',
  ])
  expect(take(pool).credential.id).toBe('good')
  expect(thrown(() => poolOf([row('c', { authorized: false })]))).toMatchObject({
    code: 'invalid_option',
    rule: 'must be true unless kind is subscription',
  })
})

test('an account without a good authorisation is passed over', async () => {
  const account = row('account', { kind: 'subscription', authorized: false })
  const { pool } = poolOf([account, row('key'), row('other', { kind: 'subscription' })])
  expect(reasons(pool)).toEqual({ account: 'auth_unavailable', key: 'chosen', other: 'available' })
  await attempt(pool, 'key', 200)
  expect(statusOf(pool, 'account')).toMatchObject({
    state: 'auth_unavailable',
    by: null,
    until: null,
  })
})
