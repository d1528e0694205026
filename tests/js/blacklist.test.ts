// Keys that are taken for dead without a proof, and how they come back.

import { describe as inWords, KeyPool, type KeyPoolOptions, type ValidatedLease } from 'keyrota'
import { expect, test, vi } from 'vitest'
import { type FakeClock, MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import {
  leaseOf,
  listen,
  PROVIDER,
  poolOf,
  reasons,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'

/** A refusal that proves nothing. */
const REFUSED = { status: 401, body: { error: { message: 'Unauthorized' } } }
const DEAD = { status: 401, body: { error: { code: 'invalid_api_key', message: 'no' } } }
const EVERY = 5 * MINUTE

/** A pool of A and B of which A has failed so often. */
async function failed(
  times: number,
  options: Partial<KeyPoolOptions> = {},
  more: object = {},
): Promise<{ pool: KeyPool; clock: FakeClock }> {
  const { pool, clock } = poolOf([row('A', more), row('B')], {
    blacklist: {},
    cooldown: { baseMs: 1_000, capMs: 1_000 },
    ...options,
  })
  await fail(pool, clock, times)
  return { pool, clock }
}

async function fail(pool: KeyPool, clock: FakeClock, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    clock.pass(MINUTE)
    await leaseOf(pool, 'A').report(REFUSED)
  }
}

test('the third refusal one after the other blacklists, until further notice', async () => {
  const { pool, clock } = await failed(2)
  const heard = listen(pool, 'blacklisted', 'disabled')
  expect(statusOf(pool, 'A').state).toBe('cooling')
  await fail(pool, clock, 1)
  expect(heard).toEqual([
    { type: 'blacklisted', provider: PROVIDER, credential: 'A', class: 'auth_failed' },
  ])
  expect(statusOf(pool, 'A')).toMatchObject({
    state: 'blacklisted',
    cause: 'auth_failed',
    until: null,
    by: null,
  })
  clock.pass(100 * EVERY)
  expect(reasons(pool)).toEqual({ A: 'blacklisted', B: 'chosen' })
  const [candidate] = pool.explain({ provider: PROVIDER }).candidates
  expect(inWords(candidate as never)).toBe('blacklisted, after auth_failed')
})

test('without the option, or with null, nobody is blacklisted', async () => {
  for (const blacklist of [undefined, null]) {
    const { pool } = await failed(10, { blacklist })
    expect(statusOf(pool, 'A').state).toBe('cooling')
  }
})

test('a provider may have numbers of its own, or none', async () => {
  const pool = new KeyPool({
    credentials: { one: rows('A'), two: rows('B'), three: rows('C') },
    blacklist: { threshold: 2 },
    providers: { two: { blacklist: { threshold: 1 } }, three: { blacklist: null } },
    cooldown: { baseMs: 0 },
  })
  const states = []
  for (const [provider, id] of [
    ['one', 'A'],
    ['two', 'B'],
    ['three', 'C'],
  ] as const) {
    await take(pool, { provider }).report(REFUSED)
    states.push(statusOf(pool, id, provider).state === 'blacklisted')
  }
  expect(states).toEqual([false, true, false])
})

test('a success begins the count anew, and time-outs neither count nor begin it anew', async () => {
  // Reproducer for: https://github.com/snailyp/gemini-balance/issues/130
  const { pool, clock } = await failed(2)
  clock.pass(MINUTE)
  await leaseOf(pool, 'A').report({ status: 200 })
  await fail(pool, clock, 2)
  expect(statusOf(pool, 'A').state).toBe('cooling')
  for (let time = 0; time < 50; time++) {
    clock.pass(MINUTE)
    await leaseOf(pool, 'A').report({ name: 'TimeoutError', message: 'too slow' })
  }
  expect(statusOf(pool, 'A').state).not.toBe('blacklisted')
  await fail(pool, clock, 1)
  expect(statusOf(pool, 'A').state).toBe('blacklisted')
})

test('overload never blacklists', async () => {
  // Reproducer for: https://github.com/tbphp/gpt-load/issues/278
  const { pool, clock } = await failed(0)
  for (let time = 0; time < 50; time++) {
    clock.pass(MINUTE)
    await take(pool, { model: 'm' }).report({
      status: 503,
      body: { error: { message: 'The model is overloaded' } },
    })
  }
  clock.pass(MINUTE)
  expect(pool.status(PROVIDER).map(({ state }) => state)).toEqual(['available', 'available'])
})

test('validate is called with a lease of the key, once every interval, and a success brings it back', async () => {
  const validate = vi.fn((_: ValidatedLease): unknown => REFUSED)
  const { pool, clock } = await failed(3, { validate })
  const heard = listen(pool, 'enabled', 'acquired')
  clock.pass(EVERY - 1)
  take(pool).release()
  expect(validate).not.toHaveBeenCalled()
  clock.pass(1)
  take(pool).release()
  await settle()
  expect(validate).toHaveBeenCalledTimes(1)
  const [lease] = validate.mock.calls[0] ?? []
  expect(lease).toMatchObject({ secret: 'sk-A', provider: PROVIDER, credential: { id: 'A' } })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'blacklisted', inFlight: 0 })
  take(pool).release()
  expect(validate).toHaveBeenCalledTimes(1)

  validate.mockReturnValue({ status: 200 })
  clock.pass(EVERY)
  take(pool).release()
  await settle()
  expect(validate).toHaveBeenCalledTimes(2)
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  expect(heard).toContainEqual({ type: 'enabled', provider: PROVIDER, credential: 'A' })
  expect(heard).toContainEqual(expect.objectContaining({ credential: 'A', reason: 'probe' }))
})

test('a validation that takes its time is not begun twice', async () => {
  const answer = deferred<unknown>()
  const validate = vi.fn(() => answer.promise)
  const { pool, clock } = await failed(3, { validate, leaseTtlMs: 100 * EVERY })
  for (let time = 0; time < 5; time++) {
    clock.pass(EVERY)
    take(pool).release()
    await settle()
  }
  expect(validate).toHaveBeenCalledTimes(1)
  answer.resolve({ status: 200 })
  await settle()
  expect(statusOf(pool, 'A').state).toBe('available')
})

test.each<[string, () => unknown]>([
  ['throws', () => thrownBy(new Error('no network'))],
  ['throws what is no error', () => thrownBy('no')],
  ['rejects', () => Promise.reject(new TypeError('fetch failed'))],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['answers a refusal', () => REFUSED],
])(
  'a validate that %s keeps the key on the list, and nothing goes unhandled',
  async (_, validate) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const { pool, clock } = await failed(3, { validate })
    clock.pass(EVERY)
    expect(take(pool).ok).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(statusOf(pool, 'A')).toMatchObject({ state: 'blacklisted', inFlight: 0 })
    expect(unhandled).not.toHaveBeenCalled()
    process.off('unhandledRejection', unhandled)
  },
)

function thrownBy(error: unknown): never {
  throw error
}

test('a validate that disposes of the pool, or calls it, does no harm', async () => {
  const seen: unknown[] = []
  const { pool, clock } = await failed(3, {
    validate: async (lease) => {
      seen.push(pool.status(PROVIDER).length, lease.credential.id)
      pool.dispose()
      return { status: 200 }
    },
  })
  clock.pass(EVERY)
  pool.tryAcquire({ provider: PROVIDER })
  await settle()
  expect(seen).toEqual([2, 'A'])
})

test('a subscription is not validated, and neither a probe nor enabling by proof brings it back', async () => {
  const validate = vi.fn(() => ({ status: 200 }))
  const { pool, clock } = await failed(3, { validate }, { kind: 'subscription' })
  clock.pass(EVERY)
  take(pool).release()
  expect(validate).not.toHaveBeenCalled()
  await pool.probe('A', () => ({ status: 200 }))
  expect(statusOf(pool, 'A').state).toBe('blacklisted')
  pool.recover('A')
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('a probe that succeeds takes an API key off the list', async () => {
  const { pool } = await failed(3)
  await pool.probe('A', () => ({ status: 500 }))
  expect(statusOf(pool, 'A').state).toBe('blacklisted')
  await pool.probe('A', () => ({ status: 200 }))
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('recover lifts a blacklisting, a verdict and every rest, and wakes whoever waits', async () => {
  const { pool, clock } = await failed(3)
  const heard = listen(pool, 'enabled')
  pool.recover('A')
  expect(statusOf(pool, 'A').state).toBe('available')
  await fail(pool, clock, 2)
  pool.recover('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  await fail(pool, clock, 2)
  expect(statusOf(pool, 'A').state, 'the count began anew').toBe('cooling')
  clock.pass(MINUTE)
  await leaseOf(pool, 'A').report(DEAD)
  expect(statusOf(pool, 'A').by).toBe('verdict')
  await leaseOf(pool, 'B').report(DEAD)
  const waiting = pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE })
  expect(await rejected(waiting)).toMatchObject({ code: 'no_credential_available' })
  pool.recover('A')
  expect(take(pool).credential.id).toBe('A')
  expect(heard).toHaveLength(2)
  expect(thrown(() => pool.recover('none'))).toMatchObject({ code: 'unknown_credential' })
})

test('recover leaves off what a person switched off', async () => {
  const { pool } = poolOf([row('A', { enabled: false }), row('B')])
  pool.recover('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'credential_disabled', by: 'hand' })
})

test('a snapshot keeps the list and the count', async () => {
  const { pool, clock } = await failed(3)
  const options = { blacklist: {}, now: clock.now, credentials: { [PROVIDER]: rows('A', 'B') } }
  const other = new KeyPool(options)
  other.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  expect(statusOf(other, 'A')).toMatchObject({ state: 'blacklisted', cause: 'auth_failed' })
})

test.each([
  [{ threshold: 0 }, 'threshold'],
  [{ threshold: 1.5 }, 'threshold'],
  [{ threshold: 1_001 }, 'threshold'],
  [{ validateEveryMs: 0 }, 'validateEveryMs'],
  [{ validateEvery: 5 }, 'validateEvery'],
])('blacklist: %j is refused at construction', (blacklist, field) => {
  const options = { credentials: {}, blacklist } as never
  expect(thrown(() => new KeyPool(options))).toMatchObject({ path: `blacklist.${field}` })
})

test('an option that is no blacklist, or no function, is refused', () => {
  const make = (options: object) => () => new KeyPool({ credentials: {}, ...options } as never)
  expect(thrown(make({ blacklist: true }))).toMatchObject({ path: 'blacklist' })
  expect(thrown(make({ validate: 5 }))).toMatchObject({ path: 'validate' })
})
