// The plan of one request, as `run` keeps it: tiers only go down, and nothing of it is left behind.

import { type KeyPool, type Lease, Underway } from 'keyrota'
import { afterEach, expect, test, vi } from 'vitest'
import { rejected } from './support/errors.ts'
import { leaseOf, PROVIDER, poolOf, row, rows } from './support/pools.ts'
import { settle } from './support/promises.ts'

afterEach(() => vi.restoreAllMocks())

/** Two tiers of two: `a` and `b` above `c` and `d`. */
const TIERS = [
  row('a', { priority: 1 }),
  row('b', { priority: 1 }),
  row('c', { priority: -1 }),
  row('d', { priority: -1 }),
]

/** Who was tried by a request whose attempts end with these statuses; the last is the answer of all others. */
async function tried(pool: KeyPool, ...statuses: number[]): Promise<string> {
  const seen: string[] = []
  await pool.run({ provider: PROVIDER, idempotent: true }, ({ credential }) => {
    seen.push(credential.id)
    return { status: statuses[seen.length - 1] ?? statuses.at(-1) ?? 200 }
  })
  return seen.join(' ')
}

test('after a failure the next lower priority comes before the rest of this one, and none above again', async () => {
  const { pool } = poolOf(TIERS, { strategy: 'fill-first' })
  expect(await tried(pool, 429)).toBe('a c d')
  expect(await tried(pool, 200), 'the next request begins above').toBe('b')
})

test('a strategy of the own is asked for the tier that the request has come down to', async () => {
  const asked: string[] = []
  const { pool } = poolOf(TIERS, {
    strategy: (candidates) => {
      asked.push(candidates.map(({ id }) => id).join(''))
      return candidates[0]?.id ?? ''
    },
  })
  expect(await tried(pool, 429)).toBe('a c d')
  expect(asked).toEqual(['ab', 'cd', 'd'])
})

test('a priority that nobody can serve in is passed over on the way down', async () => {
  const { pool } = poolOf(
    [row('a', { priority: 2 }), row('b', { priority: 1 }), row('c'), row('d', { priority: 2 })],
    { strategy: 'fill-first' },
  )
  await leaseOf(pool, 'b').report({ status: 429 })
  expect(await tried(pool, 429)).toBe('a c')
})

test('a response is not continued by another credential, not even when its own is gone by then', async () => {
  let list = rows('A', 'B')
  const { pool } = poolOf([], { credentials: {}, load: () => list, strategy: 'fill-first' })
  await pool.load(PROVIDER)
  leaseOf(pool, 'B').remember('resp_1')
  const seen: string[] = []
  const answer = await pool.run({ provider: PROVIDER, continues: 'resp_1' }, ({ credential }) => {
    seen.push(credential.id)
    list = rows('A')
    pool.invalidate(PROVIDER)
    return { status: 429 }
  })
  expect(answer).toEqual({ status: 429 })
  expect(seen).toEqual(['B'])
})

test.each([
  ['before_send', 'B'],
  ['sent_no_response', ''],
  ['before_content', ''],
  ['after_content', ''],
])('what is lost %s goes to: %s', async (phase, then) => {
  // The provider pauses for a moment, which must pass.
  const cooldown = { pause: { baseMs: 1, capMs: 1 } }
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'fill-first', now: undefined, cooldown })
  const seen: string[] = []
  const run = pool.run({ provider: PROVIDER }, ({ credential }) => {
    seen.push(credential.id)
    if (credential.id === 'B') return 'done'
    throw Object.assign(new Error('lost'), { networkCode: 'ECONNRESET', phase })
  })
  if (then === '') await expect(run).rejects.toThrow('lost')
  else expect(await run).toBe('done')
  expect(seen).toEqual(then === '' ? ['A'] : ['A', then])
})

test.each([
  ['before_send', ['A', 'B']],
  ['sent_no_response', ['A']],
])('what a rule calls unknown goes elsewhere if it was lost %s: to %j', async (phase, expected) => {
  const rules = [{ code: 'ECONNRESET', effect: 'unknown_outcome' } as const]
  for (const reports of [false, true]) {
    const { pool } = poolOf(rows('A', 'B'), { strategy: 'fill-first', rules })
    const seen: string[] = []
    const run = pool.run({ provider: PROVIDER }, async (lease) => {
      seen.push(lease.credential.id)
      const error = Object.assign(new Error('lost'), { networkCode: 'ECONNRESET', phase })
      if (reports) await lease.report(error)
      throw error
    })
    await expect(run).rejects.toThrow('lost')
    expect(seen).toEqual(expected)
  }
})

test('a secret that was refused is not tried again until there is another', async () => {
  const cooldown = { baseMs: 1, capMs: 1 }
  const { pool } = poolOf(rows('A'), { now: undefined, cooldown })
  let attempts = 0
  const answer = await pool.run({ provider: PROVIDER }, () => {
    attempts++
    return { status: 401 }
  })
  expect(answer).toEqual({ status: 401 })
  expect(attempts).toBe(1)
})

test("a report of the caller's own tells how far the attempt had come", async () => {
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  const seen: string[] = []
  await pool.run({ provider: PROVIDER, idempotent: true }, async (lease) => {
    seen.push(lease.credential.id)
    const body = { error: { type: 'overloaded_error' } }
    await lease.report({ status: 529, body, phase: 'after_content' })
    return 'half'
  })
  expect(seen).toEqual(['A'])
})

/** How many plans and cores are made and not yet freed since this was called. */
function counted(): () => number {
  const made = vi.spyOn(FinalizationRegistry.prototype, 'register')
  const freed = vi.spyOn(FinalizationRegistry.prototype, 'unregister')
  return () => made.mock.calls.length - freed.mock.calls.length
}

type Ends = (pool: KeyPool, lease: Lease, controller: AbortController) => unknown

const ENDS: Record<string, Ends> = {
  'it succeeds': () => ({ status: 200 }),
  'every credential fails': () => ({ status: 429 }),
  'the provider fails': () => ({ status: 503 }),
  'it throws': () => {
    throw new Error('mine')
  },
  'it goes on as a stream': (_, lease) => {
    lease.release()
    return new Underway('stream')
  },
  'it is aborted': (_pool, _lease, controller) => {
    controller.abort(new Error('mine'))
    return { status: 429 }
  },
  'it is aborted while it waits': (_pool, _lease, controller) => {
    setTimeout(() => controller.abort(new Error('mine')), 5)
    return { status: 503 }
  },
  'the pool is disposed': (pool) => {
    pool.dispose()
    return { status: 429 }
  },
  'the pool is disposed while it waits': (pool) => {
    setTimeout(() => pool.dispose(), 5)
    return { status: 503 }
  },
}

test.each(Object.entries(ENDS))('nothing of a plan is left when %s', async (_, ends) => {
  const cooldown = { pause: { baseMs: 10, capMs: 10 } }
  const { pool } = poolOf(rows('A', 'B'), { now: undefined, cooldown })
  const left = counted()
  const controller = new AbortController()
  const run = pool.run({ provider: PROVIDER, signal: controller.signal }, (lease) =>
    ends(pool, lease, controller),
  )
  expect(left(), 'a plan is made').toBe(1)
  await run.catch(() => {})
  await settle()
  pool.dispose()
  await settle()
  // The core that was made before is freed here.
  expect(left()).toBe(-1)
})

test('nothing of a plan is left when a hook throws, and none is made for a wrong option', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const left = counted()
  const retry = () => {
    throw new Error('mine')
  }
  const run = pool.run({ provider: PROVIDER, retry }, () => ({ status: 429 }))
  await expect(run).rejects.toThrow('mine')
  const wrong = pool.run({ provider: PROVIDER, maxAttempts: 0 }, () => 1)
  expect(await rejected(wrong)).toMatchObject({ path: 'maxAttempts' })
  expect(left()).toBe(0)
  expect(pool.status(PROVIDER).map(({ inFlight }) => inFlight)).toEqual([0, 0])
})

test('requests at the same time have a plan each', async () => {
  const { pool } = poolOf(TIERS, { strategy: 'least-busy' })
  const seen = new Map<number, string[]>()
  const one = (number: number) =>
    pool.run({ provider: PROVIDER, idempotent: true }, async ({ credential }) => {
      seen.set(number, [...(seen.get(number) ?? []), credential.id])
      await settle()
      throw Object.assign(new Error('lost'), { networkCode: 'ECONNRESET' })
    })
  await Promise.allSettled([one(0), one(1), one(2)])
  for (const ids of seen.values()) {
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(3)
    expect(ids.slice(1).sort()).toEqual(['c', 'd'])
  }
})
