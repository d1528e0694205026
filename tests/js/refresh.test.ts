// Case 21 of the reports: https://github.com/openclaw/openclaw/issues/18624

import { KeyPool, type KeyPoolOptions } from 'keyrota'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { attempt, leaseOf, listen, PROVIDER, poolOf, row, statusOf } from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 }).setTimerTickMode('nextTimerAsync')
})

afterEach(() => {
  vi.useRealTimers()
})

/** What a provider says of a token whose time is over. */
const EXPIRED = {
  status: 401,
  body: { error: { message: 'token expired', code: 'token_expired' } },
}

/** What it says of one that it never knew. */
const DEAD = {
  status: 401,
  body: { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
}

function refreshing(refresh: KeyPoolOptions['refresh'], more: Partial<KeyPoolOptions> = {}) {
  const called = vi.fn(refresh)
  const list = [row('A', { refreshable: true, secret: 'sk-old' }), row('B', { priority: -1 })]
  const { pool } = poolOf(list, { now: undefined, refresh: called, ...more })
  const heard = listen(pool, 'refreshed', 'refresh_failed', 'disabled', 'cooldown')
  return { pool, called, heard, types: () => heard.map(({ type }) => type) }
}

test('an authentication failure asks once for a new secret, with the id, and disables nobody', async () => {
  const answer = deferred<string>()
  const { pool, called, types } = refreshing(() => answer.promise)
  const leases = [leaseOf(pool, 'A'), leaseOf(pool, 'A'), leaseOf(pool, 'A')]
  for (const lease of leases) {
    expect(await lease.report(EXPIRED)).toMatchObject({ class: 'auth_failed', disable: false })
  }
  expect(called.mock.calls).toEqual([['A']])
  expect(statusOf(pool, 'A').state).toBe('cooling')
  expect(types()).not.toContain('disabled')
  answer.resolve('sk-new')
  await settle()
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  expect(leaseOf(pool, 'A').secret).toBe('sk-new')
  expect(called).toHaveBeenCalledTimes(1)
})

test('a new secret ends no cooldown of the credential, and no step of its ladder', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/pull/5917
  const { pool, called } = refreshing(() => 'sk-new')
  for (const seconds of [60, 120]) {
    await attempt(pool, 'A', 429)
    vi.setSystemTime(Date.now() + seconds * 1_000)
  }
  const [limited, expired] = [leaseOf(pool, 'A'), leaseOf(pool, 'A')]
  await limited.report({ status: 429, headers: { 'retry-after': '300' } })
  const before = statusOf(pool, 'A')
  expect(before).toMatchObject({ state: 'cooling', cause: 'rate_limited', level: 3 })
  expect(before.until).toBe(Date.now() + 300_000)
  await expired.report(EXPIRED)
  await settle()
  expect(called).toHaveBeenCalledTimes(1)
  const { state, cause, level, until } = before
  expect(statusOf(pool, 'A')).toMatchObject({ state, cause, level, until })
  vi.setSystemTime((until ?? 0) - 1)
  expect(statusOf(pool, 'A').state, 'to the last millisecond').toBe('cooling')
  vi.setSystemTime(until ?? 0)
  expect(leaseOf(pool, 'A').secret).toBe('sk-new')
})

test('a code that would disable a key without a refresh does not while a new secret may come', async () => {
  const { pool, types } = refreshing(() => 'sk-new')
  await leaseOf(pool, 'A').report(DEAD)
  await settle()
  expect(types()).toEqual(expect.arrayContaining(['refreshed']))
  expect(types()).not.toContain('disabled')
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('a new secret that is refused, too, disables', async () => {
  const { pool, called } = refreshing(() => 'sk-new')
  await leaseOf(pool, 'A').report(EXPIRED)
  await settle()
  await leaseOf(pool, 'A').report(EXPIRED)
  await settle()
  expect(statusOf(pool, 'A').by).toBe('verdict')
  expect(called).toHaveBeenCalledTimes(1)
})

test('a success with the new secret allows another refresh later', async () => {
  let count = 0
  const { pool, called } = refreshing(() => `sk-new-${++count}`)
  for (const expected of ['sk-old', 'sk-new-1', 'sk-new-2']) {
    const lease = leaseOf(pool, 'A')
    expect(lease.secret).toBe(expected)
    await lease.report(EXPIRED)
    await settle()
    await attempt(pool, 'A', 200)
  }
  expect(called).toHaveBeenCalledTimes(3)
  expect(statusOf(pool, 'A').state).toBe('available')
})

test.each<[string, KeyPoolOptions['refresh'], RegExp]>([
  ['rejects', () => Promise.reject(new Error('sk-quoted')), /^refresh failed$/],
  ['throws', () => raise(new Error('sk-quoted')), /^refresh failed$/],
  ['answers nothing', () => undefined, /no secret/],
  ['answers null', async () => null, /no secret/],
  ['answers an empty text', () => '', /must not be empty/],
  ['answers a blank one', () => ' \n', /must not be empty/],
  ['answers garbage', () => ({ secret: 'sk-quoted' }) as never, /must be a text/],
  ['answers one with a blank inside', () => 'sk quoted', /visible ASCII/],
])(
  'a refresh that %s lets the failure count, and is told without values',
  async (_, refresh, why) => {
    const { pool, heard } = refreshing(refresh)
    await leaseOf(pool, 'A').report(EXPIRED)
    await settle()
    expect(statusOf(pool, 'A'), 'what proves nothing rests').toMatchObject({
      state: 'cooling',
      cause: 'auth_failed',
    })
    const failed = heard.filter(({ type }) => type === 'refresh_failed')
    expect(failed).toEqual([
      {
        type: 'refresh_failed',
        provider: PROVIDER,
        credential: 'A',
        message: expect.stringMatching(why),
      },
    ])
    expect(JSON.stringify(heard)).not.toContain('quoted')
    pool.reset('A')
    expect(leaseOf(pool, 'A').secret, 'the old one stays').toBe('sk-old')
  },
)

test('a refresh that has none lets a proof of death disable', async () => {
  const { pool, types } = refreshing(() => null)
  await leaseOf(pool, 'A').report(DEAD)
  await settle()
  expect(statusOf(pool, 'A').by).toBe('verdict')
  expect(types()).toEqual(expect.arrayContaining(['refresh_failed', 'disabled']))
})

test('without the callback an authentication failure counts at once', async () => {
  const { pool, types } = refreshing(undefined, { refresh: undefined })
  await leaseOf(pool, 'A').report(DEAD)
  expect(statusOf(pool, 'A').by).toBe('verdict')
  expect(types()).not.toContain('refresh_failed')
})

test('a credential that is not refreshable is not asked for', async () => {
  const { pool, called } = refreshing(() => 'sk-new')
  await leaseOf(pool, 'B').report(DEAD)
  expect(statusOf(pool, 'B').by).toBe('verdict')
  expect(called).not.toHaveBeenCalled()
})

test('what is no authentication failure asks for nothing', async () => {
  const { pool, called } = refreshing(() => 'sk-new')
  for (const status of [402, 403, 429, 400, 500]) {
    await leaseOf(pool, 'A').report({ status })
    pool.reset('A')
  }
  expect(called).not.toHaveBeenCalled()
})

test.each<[string, () => string | Promise<string>]>([
  ['at once', () => 'sk-new'],
  ['soon', async () => 'sk-new'],
  ['later', () => new Promise((resolve) => setTimeout(() => resolve('sk-new'), 20))],
])('run tries the same credential with the secret that comes %s', async (_, refresh) => {
  const list = [row('A', { refreshable: true, secret: 'sk-old' })]
  const { pool } = poolOf(list, { now: undefined, refresh })
  const seen: string[] = []
  const answer = await pool.run({ provider: PROVIDER }, ({ secret }) => {
    seen.push(secret)
    return secret === 'sk-old' ? EXPIRED : { status: 200 }
  })
  expect(answer).toEqual({ status: 200 })
  expect(seen).toEqual(['sk-old', 'sk-new'])
})

test('run prefers another credential to one that was refreshed', async () => {
  const { pool } = refreshing(() => 'sk-new')
  const seen: string[] = []
  await pool.run({ provider: PROVIDER }, ({ secret }) => {
    seen.push(secret)
    return secret === 'sk-B' ? { status: 200 } : EXPIRED
  })
  expect(seen).toEqual(['sk-old', 'sk-B'])
})

test('a request that waits gets the refreshed credential as soon as it is there', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
  const answer = deferred<string>()
  const list = [row('A', { refreshable: true, secret: 'sk-old' })]
  const { pool } = poolOf(list, { now: undefined, refresh: () => answer.promise })
  await leaseOf(pool, 'A').report(EXPIRED)
  const waiting = pool.acquire({ provider: PROVIDER, maxWaitMs: 60_000 })
  await settle()
  answer.resolve('sk-new')
  expect((await waiting).secret).toBe('sk-new')
  expect(vi.getTimerCount()).toBe(0)
})

test('a report on the old secret that comes after the refresh changes nothing', async () => {
  const { pool } = refreshing(() => 'sk-new')
  const [first, late] = [leaseOf(pool, 'A'), leaseOf(pool, 'A')]
  await first.report(DEAD)
  await settle()
  await late.report(DEAD)
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('a refresh that ends after the pool was disposed is let go', async () => {
  const answer = deferred<string>()
  const { pool, heard } = refreshing(() => answer.promise)
  await leaseOf(pool, 'A').report(EXPIRED)
  pool.dispose()
  heard.length = 0
  answer.resolve('sk-new')
  await settle()
  expect(heard).toEqual([])
})

test('a refresh may call the pool again', async () => {
  const { pool } = refreshing(() => {
    pool.reset('A')
    return leaseOf(pool, 'B').secret.replace('B', 'new')
  })
  await leaseOf(pool, 'A').report(EXPIRED)
  await settle()
  expect(leaseOf(pool, 'A').secret).toBe('sk-new')
})

test('a secret from a load keeps its own chance of a refresh', async () => {
  let secret = 'sk-1'
  const called = vi.fn(() => 'sk-2')
  const pool = new KeyPool({
    load: () => [row('A', { secret, refreshable: true })],
    refresh: called,
  })
  await pool.load(PROVIDER)
  await leaseOf(pool, 'A').report(EXPIRED)
  await settle()
  secret = 'sk-3'
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  const lease = leaseOf(pool, 'A')
  expect(lease.secret).toBe('sk-3')
  await lease.report(EXPIRED)
  await settle()
  expect(called).toHaveBeenCalledTimes(2)
  expect(statusOf(pool, 'A').state).toBe('available')
})

function raise(error: Error): never {
  throw error
}
