import fc from 'fast-check'
import { KeyPool, type Snapshot } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock, SECOND } from './support/clock.ts'
import { attempt, PROVIDER, row, rows, take } from './support/pools.ts'

/** Those that have something to go on with. */
const STRATEGIES = ['weighted-round-robin', 'smooth', 'least-busy'] as const

type Strategy = (typeof STRATEGIES)[number]

/** A pool in which something of every kind has happened. */
async function eventful(strategy: Strategy): Promise<KeyPool> {
  const clock = new FakeClock()
  const pool = new KeyPool({
    credentials: {
      [PROVIDER]: [...rows('A', 'B', 'C'), row('D', { priority: -1, secretVersion: 'v1' })],
      other: rows('X'),
    },
    policy: 'classic',
    strategy,
    seed: 'fixed',
    now: clock.now,
  })
  for (let session = 0; session < 3; session++) take(pool, { session: `session ${session}` })
  take(pool, { provider: 'other', session: 'session 0' })
  await attempt(pool, 'A', 429)
  await attempt(pool, 'B', 401)
  clock.pass(SECOND)
  return pool
}

/** Every place in a value, as the keys that lead to it. */
function* places(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    yield* places((value as Record<string, unknown>)[key], [...path, key])
  }
}

/** A copy in which one place is changed. */
function changed(
  value: unknown,
  path: readonly string[],
  change: (holder: Record<string, unknown>, key: string) => void,
): Snapshot {
  const copy = copied(value)
  let holder: unknown = copy
  for (const key of path.slice(0, -1)) holder = (holder as Record<string, unknown>)?.[key]
  // An earlier change may have taken the place away.
  if (typeof holder === 'object' && holder !== null) {
    change(holder as Record<string, unknown>, path.at(-1) ?? '')
  }
  return copy as Snapshot
}

/** As `structuredClone`, which knows no functions and symbols. */
function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item)]))
}

/** Restores; whatever comes of it, the pool must be as it was or go on from what was restored. */
async function survive(pool: KeyPool, snapshot: Snapshot, context: string): Promise<boolean> {
  const before = JSON.stringify(pool.snapshot())
  try {
    pool.restore(snapshot)
  } catch (error) {
    expect(error, context).toMatchObject({
      name: 'KeyrotaError',
      code: expect.stringMatching(/^snapshot_/),
    })
    expect(JSON.stringify(pool.snapshot()), context).toBe(before)
    return false
  }
  await use(pool, context)
  return true
}

/** Everything that a pool does, after a snapshot that may be absurd. */
async function use(pool: KeyPool, context: string): Promise<void> {
  for (const provider of [PROVIDER, 'other']) {
    for (const session of [undefined, 'session 0', 'session 1']) {
      const asked = { provider, session }
      const { choice, retryAfterMs } = pool.explain(asked)
      const answer = pool.tryAcquire(asked)
      if (answer.ok) {
        expect(pool.status(provider), context).not.toBeNull()
        await answer.report({ status: session === undefined ? 429 : 200 })
      } else {
        expect([choice, answer.retryAfterMs], context).toEqual([null, retryAfterMs])
      }
    }
  }
  pool.reset('A')
  pool.enable('B')
  expect(pool.snapshot(), context).toMatchObject({ format: 'keyrota' })
  pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
}

test.each(STRATEGIES)('%s: a snapshot may be cut at any field', async (strategy) => {
  const pool = await eventful(strategy)
  const snapshot = pool.snapshot()
  const missing: string[] = []
  for (const path of places(snapshot)) {
    const cut = changed(snapshot, path, (holder, key) => {
      if (Array.isArray(holder)) holder.length = Number(key)
      else Reflect.deleteProperty(holder, key)
    })
    const other = await eventful(strategy)
    const restored = await survive(other, cut, `without ${path.join('.')}`)
    if (!restored) missing.push(path.filter((key) => !/^\d+$/.test(key)).join('.'))
    other.dispose()
  }
  const needed = ['format', 'version', 'takenAt', 'clock', 'rng', 'providers', 'sessions']
  expect(missing).toEqual(expect.arrayContaining([...needed, 'providers.credentials.lanes.until']))
})

const ODD = [
  undefined,
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
  2 ** 53,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'A',
  '0000000000000000',
  'ffffffffffffffff',
  [],
  {},
  () => 1,
  Symbol('x'),
  10n,
]

test.each(STRATEGIES)('%s: a snapshot may have anything at any place', async (strategy) => {
  const first = await eventful(strategy)
  const snapshot = first.snapshot()
  const faults: string[] = []
  let restored = 0
  for (const path of places(snapshot)) {
    for (const odd of ODD) {
      const pool = await eventful(strategy)
      const absurd = changed(snapshot, path, (holder, key) => {
        holder[key] = odd
      })
      const context = `${path.join('.')} = ${String(odd)}`
      try {
        if (await survive(pool, absurd, context)) restored += 1
      } catch (error) {
        faults.push(`${context}: ${(error as Error).message.split('\n')[0]}`)
      }
      pool.dispose()
    }
  }
  expect(faults).toEqual([])
  expect(restored).toBeGreaterThan(0)
})

test('a snapshot may be absurd in several places at once', async () => {
  const pool = await eventful('smooth')
  const snapshot = pool.snapshot()
  const all = [...places(snapshot)]
  const change = fc.record({ path: fc.constantFrom(...all), odd: fc.constantFrom(...ODD) })
  await fc
    .assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 2, maxLength: 6 }),
        fc.constantFrom(...STRATEGIES),
        async (changes, strategy) => {
          let absurd: Snapshot = snapshot
          for (const { path, odd } of changes) {
            absurd = changed(absurd, path, (holder, key) => {
              if (typeof holder === 'object' && holder !== null) holder[key] = odd
            })
          }
          const other = await eventful(strategy)
          await survive(other, absurd, JSON.stringify(changes.map(({ path }) => path)))
          other.dispose()
        },
      ),
      { numRuns: 300, verbose: 1 },
    )
    .catch((error) => {
      // A place may be gone after an earlier change: that is no fault of the pool.
      if (!String(error).includes('Cannot set properties of')) throw error
    })
})

test('a snapshot of hostile shape is refused or harmless, in time', async () => {
  const pool = await eventful('smooth')
  const good = pool.snapshot() as unknown as Record<string, unknown>
  let deep: unknown = 'end'
  for (let level = 0; level < 100_000; level++) deep = { deep }
  const text = JSON.stringify(good)
  const polluting = JSON.parse(
    `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${text.slice(1)}`,
  )
  const many = Array.from({ length: 200_000 }, (_, at) => at)
  const session = { provider: 0, session: '00000000000000ff', credential: 'A', used: 0 }
  const hostile: Record<string, unknown> = {
    deep: { ...good, extra: deep, providers: deep },
    polluting,
    'many numbers': { ...good, providers: many },
    'many sessions': { ...good, sessions: many.map(() => session) },
    'many sessions of nobody': { ...good, sessions: many.map(() => ({ ...session, provider: 9 })) },
    'long texts': { ...good, format: 'x'.repeat(5_000_000) },
    'the same provider a thousand times': {
      ...good,
      providers: Array.from({ length: 1_000 }, () => (good['providers'] as unknown[])[0]),
    },
  }
  const start = performance.now()
  for (const [name, snapshot] of Object.entries(hostile)) {
    await survive(pool, snapshot as Snapshot, name)
  }
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  pool.reset('X')
  expect(take(pool, { provider: 'other' }).credential.id).toBe('X')
})

test('an absurd credit does not let one credential serve alone', async () => {
  for (const strategy of ['smooth', 'least-busy'] as const) {
    const pool = await eventful(strategy)
    pool.reset('A')
    pool.enable('B')
    const snapshot = JSON.parse(JSON.stringify(pool.snapshot()))
    for (const provider of snapshot.providers) {
      for (const tier of provider.tiers) {
        if (tier.members[0] !== undefined) tier.members[0].progress = 2 ** 52
        if (tier.members[1] !== undefined) tier.members[1].progress = -(2 ** 52)
      }
    }
    pool.restore(snapshot)
    const counts = new Map<string, number>()
    for (let pick = 0; pick < 300; pick++) {
      const lease = take(pool)
      counts.set(lease.credential.id, (counts.get(lease.credential.id) ?? 0) + 1)
      lease.release()
    }
    for (const id of ['A', 'B', 'C'])
      expect(counts.get(id), `${strategy} ${id}`).toBeGreaterThan(90)
  }
})
