import { KeyPool } from 'keyrota'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DAY, MINUTE, SECOND } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import { attempt, PROVIDER, row, rows, statusOf, take } from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A pool on the faked system clock. */
function pooled(...ids: string[]): KeyPool {
  return new KeyPool({ credentials: { [PROVIDER]: rows(...ids) }, seed: 'fixed' })
}

/** How much longer than a wait whoever waits comes back at the latest. */
const SPREAD = 0.1

/** What came of a promise so far. */
function watch<T>(promise: Promise<T>): { value?: T; error?: unknown } {
  const seen: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(seen, { value }),
    (error) => Object.assign(seen, { error }),
  )
  return seen
}

test('a request waits until a credential is back, not a millisecond less, a tenth more at most', async () => {
  const pool = pooled('A', 'B')
  await attempt(pool, 'A', 429, { 'retry-after': '5' })
  await attempt(pool, 'B', 429, { 'retry-after': '3' })
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: 3_000 }))
  await vi.advanceTimersByTimeAsync(2_999)
  expect(seen).toEqual({})
  expect(pool.tryAcquire({ provider: PROVIDER })).toMatchObject({ ok: false, retryAfterMs: 1 })
  await vi.advanceTimersByTimeAsync(1 + 3_000 * SPREAD)
  expect(seen.value?.credential.id).toBe('B')
})

test('a wait that would be too long is refused at once, with the time', async () => {
  // Reproducer for: https://github.com/BerriAI/litellm/issues/3646
  const pool = pooled('A')
  await attempt(pool, 'A', 429, { 'retry-after': '3' })
  for (const options of [{ maxWaitMs: 2_999 }, { maxWaitMs: 0 }, {}]) {
    const error = await rejected(pool.acquire({ provider: PROVIDER, ...options }))
    expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: 3_000 })
  }
  expect(vi.getTimerCount()).toBe(0)
})

test('what time does not help is refused at once, however long one would wait', async () => {
  const pool = new KeyPool({
    credentials: { [PROVIDER]: [row('A', { enabled: false }), row('B')] },
    policy: 'classic',
  })
  await attempt(pool, 'B', 401)
  const waiting = pool.acquire({ provider: PROVIDER, maxWaitMs: Number.POSITIVE_INFINITY })
  expect(await rejected(waiting)).toMatchObject({ retryAfterMs: null })
})

test('when the first one back is taken, the wait goes on within its bound', async () => {
  const outcomes = await Promise.all(
    [7_000, 8_000].map(async (maxWaitMs) => {
      const pool = pooled('A', 'B')
      const inFlight = take(pool)
      await attempt(pool, 'A', 429, { 'retry-after': '2' })
      await attempt(pool, 'B', 429, { 'retry-after': '8' })
      // The same window is stated longer just before it ends.
      const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs }))
      await vi.advanceTimersByTimeAsync(0)
      return { pool, seen, inFlight }
    }),
  )
  await vi.advanceTimersByTimeAsync(1_999)
  for (const { inFlight } of outcomes) {
    await inFlight.report({ status: 429, headers: { 'retry-after': '60' } })
  }
  await vi.advanceTimersByTimeAsync(1)
  // The report woke those who wait, one millisecond before their time.
  expect(outcomes[0]?.seen.error).toMatchObject({ retryAfterMs: 6_001 })
  expect(outcomes[1]?.seen).toEqual({})
  await vi.advanceTimersByTimeAsync(6_001 * (1 + SPREAD))
  expect(outcomes[1]?.seen.value?.credential.id).toBe('B')
})

test('a hundred requests that wait for one credential all get it, not in the same instant', async () => {
  // Reproducer for: https://github.com/NousResearch/hermes-agent/issues/75177
  const began = Date.now()
  const pool = pooled('A')
  await attempt(pool, 'A', 429, { 'retry-after': '3' })
  const waits: number[] = []
  const requests = Array.from({ length: 100 }, async () => {
    await pool.acquire({ provider: PROVIDER, maxWaitMs: 10_000 })
    waits.push(Date.now() - began)
  })
  await vi.advanceTimersByTimeAsync(2_999)
  expect(waits).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1 + 3_000 * SPREAD)
  await Promise.all(requests)
  expect(waits).toHaveLength(100)
  const third = (at: number) => waits.filter((wait) => Math.floor((wait - 3_000) / 100) === at)
  for (const at of [0, 1, 2]) expect(third(at).length, `${at}`).toBeGreaterThan(15)
})

test('with the same seed the same requests wait for the same times', async () => {
  const all: number[][] = []
  for (const seed of [1, 1, 2]) {
    const pool = new KeyPool({ credentials: { [PROVIDER]: rows('A') }, seed })
    await attempt(pool, 'A', 429, { 'retry-after': '3' })
    const armed = vi.spyOn(globalThis, 'setTimeout')
    for (let request = 0; request < 20; request++) {
      void pool.acquire({ provider: PROVIDER, maxWaitMs: 10_000 })
    }
    await settle()
    all.push(armed.mock.calls.map(([, delay]) => delay ?? 0))
    armed.mockRestore()
  }
  expect(all[0]).toHaveLength(20)
  expect(all[1]).toEqual(all[0])
  expect(all[2]).not.toEqual(all[0])
})

test.each<[string, (pool: KeyPool) => void]>([
  ['reset', (pool) => pool.reset('A')],
  ['enable', (pool) => pool.enable('A')],
])('%s ends the wait at once', async (_, help) => {
  const pool = pooled('A')
  await attempt(pool, 'A', 429)
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE }))
  await vi.advanceTimersByTimeAsync(10 * SECOND)
  expect(seen).toEqual({})
  help(pool)
  await settle()
  expect(seen.value?.credential.id).toBe('A')
  expect(vi.getTimerCount()).toBe(0)
})

test('an invalidation lets a waiting request see the new rows at once', async () => {
  let list = rows('A')
  const pool = new KeyPool({ load: async () => list })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 429)
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE }))
  await settle()
  list = rows('A', 'B')
  pool.invalidate(PROVIDER)
  await settle()
  expect(seen.value?.credential.id).toBe('B')
})

test('a restored snapshot is seen by waiting requests', async () => {
  const pool = pooled('A')
  const healthy = pool.snapshot()
  await attempt(pool, 'A', 429)
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE }))
  await settle()
  pool.restore(healthy)
  await settle()
  expect(seen.value?.credential.id).toBe('A')
})

test('being woken for nothing uses up no more of the wait than the time that passed', async () => {
  const pool = new KeyPool({ credentials: { [PROVIDER]: rows('A'), other: rows('X') } })
  await attempt(pool, 'A', 429, { 'retry-after': '8' })
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: 10_000 }))
  for (let second = 0; second < 7; second++) {
    await vi.advanceTimersByTimeAsync(SECOND)
    pool.invalidate('other')
    pool.reset('X')
    await settle()
  }
  expect(seen).toEqual({})
  await vi.advanceTimersByTimeAsync(SECOND * (1 + SPREAD))
  expect(seen.value?.credential.id).toBe('A')
})

test('an abort ends the wait at once with its reason, and leaves nothing behind', async () => {
  const pool = pooled('A')
  await attempt(pool, 'A', 429)
  const controller = new AbortController()
  const { signal } = controller
  const removed = vi.spyOn(signal, 'removeEventListener')
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE, signal }))
  await settle()
  const reason = new Error('the user left')
  controller.abort(reason)
  await settle()
  expect(seen.error).toBe(reason)
  expect(vi.getTimerCount()).toBe(0)
  expect(removed).toHaveBeenCalled()
  expect(statusOf(pool, 'A').inFlight).toBe(0)
})

test('a signal that is aborted already lets nothing begin', async () => {
  const load = vi.fn(() => rows('A'))
  const pool = new KeyPool({ load })
  const signal = AbortSignal.abort()
  await expect(pool.acquire({ provider: PROVIDER, signal })).rejects.toBe(signal.reason)
  expect(load).not.toHaveBeenCalled()
})

test('an abort ends one request that waits for the rows; the others get them', async () => {
  const answer = deferred<ReturnType<typeof rows>>()
  const pool = new KeyPool({ load: () => answer.promise })
  const controller = new AbortController()
  const one = watch(pool.acquire({ provider: PROVIDER, signal: controller.signal }))
  const other = watch(pool.acquire({ provider: PROVIDER }))
  await settle()
  controller.abort()
  await settle()
  expect(one.error).toBe(controller.signal.reason)
  answer.resolve(rows('A'))
  await settle()
  expect(other.value?.credential.id).toBe('A')
})

test('an abort after the lease was granted does not affect it', async () => {
  const pool = pooled('A')
  const controller = new AbortController()
  const lease = await pool.acquire({ provider: PROVIDER, signal: controller.signal })
  controller.abort()
  expect(lease.settled).toBe(false)
  expect(await lease.report({ status: 200 })).toMatchObject({ class: 'ok' })
})

test('no timer is armed beyond 2^31 - 1 ms, and the wait still lasts as long as it must', async () => {
  const credentials = { [PROVIDER]: rows('A') }
  const pool = new KeyPool({ credentials, seed: 'fixed', probe: { longerThanMs: 60 * DAY } })
  await attempt(pool, 'A', 429, { 'retry-after': String(60 * 86_400) })
  const armed = vi.spyOn(globalThis, 'setTimeout')
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: 60 * DAY }))
  await vi.advanceTimersByTimeAsync(60 * DAY - 1)
  expect(seen).toEqual({})
  await vi.advanceTimersByTimeAsync(1 + 60 * DAY * SPREAD)
  expect(seen.value?.credential.id).toBe('A')
  const delays = armed.mock.calls.map(([, delay]) => delay ?? 0)
  expect(Math.max(...delays)).toBeLessThanOrEqual(2_147_483_647)
  expect(delays).toHaveLength(3)
})

test('a clock of the caller that stands still ends the wait all the same', async () => {
  const pool = new KeyPool({ credentials: { [PROVIDER]: rows('A') }, now: () => 5_000 })
  await attempt(pool, 'A', 429, { 'retry-after': '3' })
  const seen = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: 7_000 }))
  await vi.advanceTimersByTimeAsync(6_000 * (1 + SPREAD))
  expect(seen.error).toMatchObject({ code: 'no_credential_available', retryAfterMs: 3_000 })
})

test.each([Number.NaN, -1, '1000', null, 1n, {}])(
  'maxWaitMs may not be %s, and nothing happened',
  async (maxWaitMs) => {
    const pool = pooled('A')
    const request = { provider: PROVIDER, maxWaitMs: maxWaitMs as number }
    expect(await rejected(pool.acquire(request))).toMatchObject({
      code: 'invalid_option',
      path: 'maxWaitMs',
    })
    expect(statusOf(pool, 'A').picks).toBe(0)
  },
)

test('a dispose ends every wait with a typed error', async () => {
  const pool = pooled('A')
  await attempt(pool, 'A', 429)
  const waiting = watch(pool.acquire({ provider: PROVIDER, maxWaitMs: MINUTE }))
  await settle()
  pool.dispose()
  await settle()
  expect(waiting.error).toMatchObject({ code: 'disposed' })
  expect(vi.getTimerCount()).toBe(0)
})

test('a dispose ends a request that waits for a loader which never answers', async () => {
  const pool = new KeyPool({ load: () => new Promise(() => {}) })
  const loading = watch(pool.acquire({ provider: PROVIDER }))
  await settle()
  pool.dispose()
  await settle()
  expect(loading.error).toMatchObject({ code: 'disposed' })
})

test('run waits for another credential, too', async () => {
  const pool = pooled('A', 'B')
  await attempt(pool, 'B', 429, { 'retry-after': '3' })
  const seen: string[] = []
  const run = watch(
    pool.run({ provider: PROVIDER, maxWaitMs: 5_000 }, (lease) => {
      seen.push(lease.credential.id)
      return { status: lease.credential.id === 'A' ? 429 : 200 }
    }),
  )
  await vi.advanceTimersByTimeAsync(3_000 * (1 + SPREAD))
  expect(run.value).toEqual({ status: 200 })
  expect(seen).toEqual(['A', 'B'])
})
