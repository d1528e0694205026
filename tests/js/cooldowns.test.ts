import { expect, test } from 'vitest'
import { DAY, MINUTE, SECOND } from './support/clock.ts'
import {
  attempt,
  leaseOf,
  listen,
  PROVIDER,
  poolOf,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

test.each(['classic', 'adaptive'] as const)(
  'the ladder of %s is 60, 120, 240, 480, 900, 900 seconds, exactly',
  async (policy) => {
    const { pool, clock } = poolOf(rows('A'), { policy })
    for (const [at, seconds] of [60, 120, 240, 480, 900, 900].entries()) {
      await attempt(pool, 'A', 429)
      const { level, until, state } = statusOf(pool, 'A')
      expect([state, level, until]).toEqual(['cooling', at + 1, clock.at + seconds * SECOND])
      expect(refused(pool).retryAfterMs).toBe(seconds * SECOND)
      clock.pass(seconds * SECOND - 1)
      expect(refused(pool).retryAfterMs).toBe(1)
      clock.pass(1)
    }
    expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 6, until: null })
  },
)

test('the ladder of an overload is 2, 4, 8 … 60 seconds, and apart from the one of limits', async () => {
  // A Gemini 503 is about the credential, and another one is there, so A may be spared.
  const { pool, clock } = poolOf(rows('A', 'B'), { dialect: 'gemini', cooldown: { jitter: 0 } })
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE)
  for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
    await attempt(pool, 'A', 503)
    expect(statusOf(pool, 'A').until).toBe(clock.at + seconds * SECOND)
    clock.pass(seconds * SECOND)
  }
  await attempt(pool, 'A', 429)
  expect(statusOf(pool, 'A').until).toBe(clock.at + 120 * SECOND)
})

test('the ladder can be tuned for the pool and for a provider', async () => {
  const { pool, clock } = poolOf(rows('A'), {
    cooldown: { baseMs: 1_000, multiplier: 3, capMs: 20_000, forgetAfterMs: 5_000 },
  })
  for (const seconds of [1, 3, 9, 20, 20]) {
    await attempt(pool, 'A', 429)
    expect(refused(pool).retryAfterMs).toBe(seconds * SECOND)
    clock.pass(seconds * SECOND)
  }
  clock.pass(5_000)
  await attempt(pool, 'A', 429)
  expect(refused(pool).retryAfterMs).toBe(1_000)

  const own = poolOf(rows('A'), { providers: { [PROVIDER]: { cooldown: { baseMs: 7 } } } })
  await attempt(own.pool, 'A', 429)
  expect(refused(own.pool).retryAfterMs).toBe(7)
})

test('a multiplier that is no whole number rounds waits up to the millisecond', async () => {
  const { pool, clock } = poolOf(rows('A'), { cooldown: { baseMs: 1, multiplier: 1.5 } })
  const waits: (number | null)[] = []
  for (let step = 0; step < 6; step++) {
    await attempt(pool, 'A', 429)
    const { retryAfterMs } = refused(pool)
    waits.push(retryAfterMs)
    clock.pass(retryAfterMs ?? 0)
  }
  expect(waits).toEqual([1, 2, 3, 4, 6, 8])
})

test('a burst of failures in flight is one step', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const leases = Array.from({ length: 10 }, () => take(pool))
  for (const lease of leases.slice(0, 9)) {
    await lease.report({ status: 429 })
    clock.pass(SECOND)
  }
  expect(statusOf(pool, 'A').level).toBe(1)
  clock.pass(MINUTE)
  await leases[9]?.report({ status: 429 })
  expect(statusOf(pool, 'A'), 'it began before the window ended').toMatchObject({
    level: 1,
    state: 'available',
  })
  await attempt(pool, 'A', 429)
  expect(statusOf(pool, 'A').level).toBe(2)
})

test('a success clears a level only if its attempt began after the cooldown', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const late = take(pool)
  await attempt(pool, 'A', 429)
  clock.pass(2 * SECOND)
  await late.report({ status: 200 })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'cooling', level: 1 })
  clock.pass(58 * SECOND)
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 1 })
  await attempt(pool, 'A', 200)
  expect(statusOf(pool, 'A').level).toBe(0)
})

test('a level is forgotten 15 quiet minutes after the end of its cooldown, not before', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE + 15 * MINUTE - 1)
  expect(statusOf(pool, 'A').level).toBe(1)
  clock.pass(1)
  expect(statusOf(pool, 'A').level).toBe(0)
  await attempt(pool, 'A', 429)
  expect(refused(pool).retryAfterMs).toBe(MINUTE)
})

test('a stated wait replaces a computed one, longer or shorter', async () => {
  for (const seconds of [5, 300]) {
    const { pool, clock } = poolOf(rows('A'))
    const [first, second] = [take(pool), take(pool)]
    await first.report({ status: 429 })
    await second.report({ status: 429, headers: { 'retry-after': String(seconds) } })
    const { until, level } = statusOf(pool, 'A')
    expect([until, level]).toEqual([clock.at + seconds * SECOND, 1])
  }
})

test('of stated waits in one window the longest wins, and a computed one changes nothing', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const leases = Array.from({ length: 5 }, () => take(pool))
  const stated = (seconds: number) => ({
    status: 429,
    headers: { 'retry-after': String(seconds) },
  })
  await leases[0]?.report(stated(100))
  await leases[1]?.report(stated(30))
  expect(statusOf(pool, 'A').until).toBe(clock.at + 100 * SECOND)
  await leases[2]?.report({ status: 429 })
  expect(statusOf(pool, 'A').until).toBe(clock.at + 100 * SECOND)
  clock.pass(10 * SECOND)
  await leases[3]?.report(stated(91))
  expect(statusOf(pool, 'A').until).toBe(clock.at + 91 * SECOND)
  await leases[4]?.report(stated(90))
  expect(statusOf(pool, 'A').until).toBe(clock.at + 91 * SECOND)
})

test('a stated wait is kept whole, however long; only computed ones are capped', async () => {
  // Reproducer for: https://github.com/lidge-jun/opencodex/issues/3809
  const { pool, clock } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 429, { 'retry-after': '7980' })
  await attempt(pool, 'B', 429, { 'retry-after': '2592000' })
  expect(statusOf(pool, 'A').until).toBe(clock.at + 7_980_000)
  expect(statusOf(pool, 'B').until).toBe(clock.at + 30 * DAY)
})

test('a stated wait of more than an hour is probed every 15 minutes, one of an hour is not', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 429, { 'retry-after': '3600' })
  expect(refused(pool).retryAfterMs).toBe(60 * MINUTE)
  pool.reset('A')
  await attempt(pool, 'A', 429, { 'retry-after': '7980' })
  expect(refused(pool).retryAfterMs).toBe(15 * MINUTE)
  clock.pass(15 * MINUTE)
  const probe = take(pool)
  expect(refused(pool), 'one attempt is the probe').toMatchObject({ retryAfterMs: MINUTE })
  await probe.report({ status: 429 })
  expect(refused(pool).retryAfterMs).toBe(15 * MINUTE)
  expect(statusOf(pool, 'A').until, 'what was stated stands').toBe(clock.at + 7_080_000)
  clock.pass(15 * MINUTE)
  await take(pool).report({ status: 200 })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
})

test('a credential waits for the longest of its reasons', async () => {
  const { pool, clock } = poolOf(rows('A'), { dialect: 'gemini', cooldown: { jitter: 0 } })
  const [one, two, three] = [take(pool), take(pool), take(pool)]
  await one.report({ status: 503 })
  expect(statusOf(pool, 'A')).toMatchObject({ cause: 'overloaded', until: clock.at + 2 * SECOND })
  await two.report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ cause: 'rate_limited', until: clock.at + MINUTE })
  await three.report({ status: 401, headers: { 'retry-after': '90' } })
  expect(statusOf(pool, 'A')).toMatchObject({
    cause: 'auth_failed',
    until: clock.at + 90 * SECOND,
  })
})

test('one credential that rests keeps no other away', async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  await attempt(pool, 'A', 429)
  expect([take(pool).credential.id, take(pool).credential.id].sort()).toEqual(['B', 'C'])
})

test('reset ends every cooldown and its level', async () => {
  const { pool } = poolOf(rows('A'))
  await attempt(pool, 'A', 429, { 'retry-after': '7980' })
  pool.reset('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0, until: null })
  await attempt(pool, 'A', 429)
  expect(refused(pool).retryAfterMs).toBe(MINUTE)
})

test('a report that began before a reset opens a new window at the first step', async () => {
  const { pool } = poolOf(rows('A'))
  const [slow, quick] = [take(pool), take(pool)]
  await quick.report({ status: 429 })
  pool.reset('A')
  await slow.report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'cooling', level: 1 })
})

test('cooldowns are told with their class, scope, level, end and what they rest on', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const heard = listen(pool, 'cooldown', 'recovered')
  const [one, two, three] = [take(pool), take(pool), take(pool)]
  await one.report({ status: 429 })
  await two.report({ status: 429 })
  await three.report({ status: 402, headers: { 'retry-after': '90' } })
  clock.pass(90 * SECOND)
  take(pool)
  const about = { type: 'cooldown', provider: PROVIDER, credential: 'A', level: 1, model: null }
  const began = clock.at - 90 * SECOND
  expect(heard).toEqual([
    {
      ...about,
      class: 'rate_limited',
      scope: 'credential',
      until: began + MINUTE,
      stated: false,
      evidence: 'status',
      waitFrom: null,
    },
    {
      ...about,
      class: 'quota_exhausted',
      scope: 'account',
      until: began + 90 * SECOND,
      stated: true,
      evidence: 'status',
      waitFrom: 'header:retry-after',
    },
    { type: 'recovered', provider: PROVIDER, credential: 'A' },
  ])
})

test('no wait grows when the clock steps back, nor ends before its time', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 429)
  clock.pass(20 * SECOND)
  expect(refused(pool).retryAfterMs).toBe(40 * SECOND)
  clock.pass(-3_600 * SECOND)
  expect(refused(pool).retryAfterMs).toBe(40 * SECOND)
  expect(statusOf(pool, 'A').until).toBe(clock.at + 40 * SECOND)
  clock.pass(40 * SECOND - 1)
  expect(refused(pool).retryAfterMs).toBe(1)
  clock.pass(1)
  expect(take(pool).credential.id).toBe('A')
})

test('a clock that jumps ahead ends waits, and going back again brings none of them back', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 429)
  clock.pass(DAY)
  expect(take(pool).credential.id).toBe('A')
  clock.pass(-DAY)
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('edits of weight and label keep the cooldown; a changed secret keeps it too', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/pull/5917
  let list = [row('A'), row('B')]
  const { pool, clock } = poolOf([], { credentials: {}, load: () => list })
  await pool.load(PROVIDER)
  for (const seconds of [60, 120, 240]) {
    await attempt(pool, 'A', 429)
    clock.pass(seconds * SECOND)
  }
  await attempt(pool, 'A', 429)
  const { until, level } = statusOf(pool, 'A')
  for (const edited of [row('A', { weight: 9, label: 'x' }), row('A', { secret: 'new' })]) {
    list = [edited, row('B')]
    pool.invalidate(PROVIDER)
    await pool.load(PROVIDER)
    expect(statusOf(pool, 'A')).toMatchObject({ until, level, state: 'cooling' })
  }
})

test('a changed secret clears what was said about the old one', async () => {
  let secret = 'old'
  const { pool } = poolOf([], { credentials: {}, load: () => [row('A', { secret }), row('B')] })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'cooling', cause: 'auth_failed' })
  secret = 'new'
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  expect(leaseOf(pool, 'A').secret).toBe('new')
})
