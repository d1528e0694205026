import { KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import { attempt, PROVIDER, poolOf, refused, row, rows, statusOf, take } from './support/pools.ts'
import { settle } from './support/promises.ts'

const BROKEN: [string, () => unknown][] = [
  ['answers NaN', () => Number.NaN],
  ['answers Infinity', () => Number.POSITIVE_INFINITY],
  ['answers nothing', () => undefined],
  ['answers null', () => null],
  ['answers a text', () => '1800000000000'],
  ['answers a date', () => new Date()],
  ['answers a bigint', () => 1_800_000_000_000n],
  ['answers a promise', async () => 1_800_000_000_000],
  ['answers nanoseconds', () => 1_800_000_000_000_000_000],
  [
    'throws',
    () => {
      throw new Error('no clock')
    },
  ],
]

test.each(BROKEN)(
  'a clock that %s is a typed error of every call, and none takes effect',
  async (_, now) => {
    const clock = new FakeClock()
    let isBroken = false
    const pool = new KeyPool({
      credentials: { [PROVIDER]: rows('A', 'B') },
      now: () => (isBroken ? (now() as number) : clock.now()),
    })
    const lease = take(pool, { session: 's' })
    await attempt(pool, 'B', 429)
    const snapshot = pool.snapshot()
    const before = JSON.stringify([pool.status(PROVIDER), pool.explain({ provider: PROVIDER })])
    isBroken = true
    const code = 'invalid_clock'
    const calls = [
      () => pool.tryAcquire({ provider: PROVIDER }),
      () => pool.tryAcquire({ provider: PROVIDER, session: 's', tried: ['A'] }),
      () => pool.explain({ provider: PROVIDER }),
      () => pool.status(PROVIDER),
      () => pool.reset('B'),
      () => pool.enable('B'),
      () => pool.snapshot(),
      () => pool.restore(snapshot),
    ]
    for (const call of calls) expect(thrown(call), String(call)).toMatchObject({ code })
    expect(await rejected(pool.acquire({ provider: PROVIDER }))).toMatchObject({ code })
    expect(await rejected(lease.report({ status: 429 }))).toMatchObject({ code })
    await settle()
    isBroken = false
    const after = JSON.stringify([pool.status(PROVIDER), pool.explain({ provider: PROVIDER })])
    expect(after).toBe(before)
    expect(await lease.report({ status: 429 })).toMatchObject({ class: 'rate_limited' })
    expect(statusOf(pool, 'A')).toMatchObject({ failures: 1, inFlight: 0 })
  },
)

test('what the clock threw is the cause of the error, of that call alone', () => {
  const mine = new Error('no clock')
  let answer: () => number = () => {
    throw mine
  }
  const pool = new KeyPool({ load: () => rows('A'), now: () => answer() })
  expect(thrown(() => pool.status(PROVIDER)).cause).toBe(mine)
  answer = () => Number.NaN
  expect(thrown(() => pool.status(PROVIDER)).cause).toBeUndefined()
})

test('a clock that fails while rows are loaded lets nothing be cached', async () => {
  let time = Number.NaN
  const pool = new KeyPool({ load: () => rows('A'), now: () => time })
  expect(await rejected(pool.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'invalid_clock',
  })
  time = 5
  expect((await pool.acquire({ provider: PROVIDER })).credential.id).toBe('A')
})

test('a clock that fails at the construction is an error of the constructor with inline rows', () => {
  const options = { credentials: { [PROVIDER]: rows('A') }, now: () => Number.NaN }
  expect(thrown(() => new KeyPool(options))).toMatchObject({ code: 'invalid_clock' })
})

test('a clock that fails now and then never grants a lease that nobody gets', async () => {
  let calls = 0
  let broken = -1
  const pool = new KeyPool({
    credentials: { [PROVIDER]: rows('A') },
    strategy: (candidates) => candidates[0]?.id ?? '',
    now: () => (calls++ === broken ? Number.NaN : 1_000),
  })
  let [failed, granted] = [0, 0]
  for (let nth = 0; nth < 8; nth++) {
    calls = 0
    broken = nth
    try {
      take(pool).release()
      granted++
    } catch (error) {
      expect(error, `call ${nth}`).toMatchObject({ code: 'invalid_clock' })
      failed++
    }
    broken = -1
    expect(statusOf(pool, 'A').inFlight, `call ${nth}`).toBe(0)
  }
  expect(failed, 'every look of an acquire tells that the clock failed').toBe(4)
  expect(granted, 'it fails after the others').toBe(4)
})

test('a credential that comes back between two looks of a custom strategy is granted', async () => {
  const clock = new FakeClock()
  const { pool } = poolOf(rows('A'), {
    now: () => clock.at++,
    strategy: (candidates) => candidates[0]?.id ?? '',
  })
  await attempt(pool, 'A', 429)
  const until = statusOf(pool, 'A').until ?? 0
  const granted: boolean[] = []
  for (let early = 8; early >= 0; early--) {
    clock.at = until - early
    const answer = pool.tryAcquire({ provider: PROVIDER })
    granted.push(answer.ok)
    if (answer.ok) answer.release()
    else expect(answer.retryAfterMs).toBeGreaterThan(0)
    expect(statusOf(pool, 'A').inFlight, `${early} ms early`).toBe(0)
  }
  expect(granted.at(0), 'too early').toBe(false)
  expect(granted.at(-1), 'in time').toBe(true)
  expect(granted.at(-2), 'in time at the second look').toBe(true)
})

test('times before the epoch and fractions of a millisecond are times', async () => {
  for (const at of [-1e12, 0, 0.5, 1e12 + 0.999]) {
    let now = at
    const pool = new KeyPool({ load: () => rows('A'), now: () => now })
    await pool.load(PROVIDER)
    await attempt(pool, 'A', 429)
    expect(refused(pool).retryAfterMs).toBe(MINUTE)
    now += MINUTE
    expect(take(pool).credential.id).toBe('A')
  }
})

test('no wait grows when the clock runs back and forth, over snapshots too', async () => {
  const clock = new FakeClock()
  const { pool } = poolOf([row('A')], { now: clock.now })
  await attempt(pool, 'A', 429)
  let left = MINUTE
  for (const step of [10_000, -3_600_000, 5_000, 7_200_000 - 7_200_000, -1, 20_000]) {
    clock.pass(step)
    if (step > 0) left -= step
    expect(refused(pool).retryAfterMs).toBe(left)
    pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
    expect(refused(pool).retryAfterMs).toBe(left)
  }
})
