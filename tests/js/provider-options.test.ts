// The options of single providers go before those of the pool, field by field.

import { type ErrorRule, KeyPool, type KeyPoolOptions } from 'keyrota'
import { expect, test } from 'vitest'
import { FakeClock, MINUTE, SECOND } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import { leaseOf, rows, statusOf } from './support/pools.ts'

/** Two providers of one pool; `own` are the options of the first. */
function two(all: Partial<KeyPoolOptions>, own: NonNullable<KeyPoolOptions['providers']>[string]) {
  const clock = new FakeClock()
  const credentials = { own: rows('A', 'B'), other: rows('X', 'Y') }
  const pool = new KeyPool({ credentials, now: clock.now, seed: 1, ...all, providers: { own } })
  return { pool, clock }
}

/** How long the credential rests after that answer. */
async function restAfter(
  { pool, clock }: { pool: KeyPool; clock: FakeClock },
  [id, provider]: [string, string],
  status: number,
): Promise<number | null> {
  await leaseOf(pool, id, provider).report({ status })
  const { until } = statusOf(pool, id, provider)
  return until === null ? null : until - clock.at
}

test('a ladder is merged field by field, and so are the ladders inside of it', async () => {
  const made = two(
    {
      dialect: 'gemini',
      cooldown: {
        baseMs: 5_000,
        multiplier: 3,
        jitter: 0,
        overload: { baseMs: 700, multiplier: 5 },
      },
    },
    { cooldown: { baseMs: 7_000, overload: { baseMs: 900 } } },
  )
  const { pool, clock } = made
  expect(await restAfter(made, ['A', 'own'], 429)).toBe(7_000)
  expect(await restAfter(made, ['X', 'other'], 429)).toBe(5_000)
  expect(await restAfter(made, ['B', 'own'], 503)).toBe(900)
  expect(await restAfter(made, ['Y', 'other'], 503)).toBe(700)
  clock.pass(7_000)
  expect(await restAfter(made, ['A', 'own'], 429)).toBe(21_000)
  expect(await restAfter(made, ['B', 'own'], 503), 'the multiplier of the pool').toBe(4_500)
  pool.dispose()
})

test('an option of a provider that is undefined leaves that of the pool', async () => {
  const made = two(
    {
      policy: 'classic',
      strategy: 'fill-first',
      dialect: 'gemini',
      cooldown: { baseMs: 5_000 },
      exhausted: { policy: 'fail-open' },
    },
    {
      policy: undefined,
      strategy: undefined,
      dialect: undefined,
      cooldown: { baseMs: undefined, overload: undefined },
      exhausted: { policy: undefined },
      probe: undefined,
      rollback: { credentials: undefined },
      rules: undefined,
    },
  )
  expect(await restAfter(made, ['A', 'own'], 429)).toBe(5_000)
  expect(await restAfter(made, ['B', 'own'], 429)).toBe(5_000)
  expect(made.pool.tryAcquire({ provider: 'own' })).toMatchObject({ reason: 'fail_open' })
})

test('every option of a provider is its own alone', async () => {
  const made = two({}, { policy: 'classic', exhausted: { policy: 'fail-open' } })
  const { pool } = made
  await restAfter(made, ['A', 'own'], 401)
  await restAfter(made, ['X', 'other'], 401)
  expect(statusOf(pool, 'A', 'own').by).toBe('verdict')
  expect(statusOf(pool, 'X', 'other').state).toBe('cooling')
  await restAfter(made, ['B', 'own'], 429)
  await restAfter(made, ['Y', 'other'], 429)
  expect(pool.tryAcquire({ provider: 'own' }).ok).toBe(true)
  expect(pool.tryAcquire({ provider: 'other' }).ok).toBe(false)
})

test('a wait and its bound come from whoever names them', async () => {
  const { pool } = two(
    { exhausted: { policy: 'wait', maxWaitMs: 5_000 } },
    { exhausted: { policy: 'refuse' } },
  )
  for (const id of ['A', 'B'])
    await leaseOf(pool, id, 'own').report({ status: 429, headers: { 'retry-after': '4' } })
  expect(await rejected(pool.acquire({ provider: 'own' }))).toMatchObject({ retryAfterMs: 4_000 })
})

test('how probes and roll-backs happen is merged, too', async () => {
  const { pool, clock } = two(
    { probe: { longerThanMs: 60_000, everyMs: 30_000 }, rollback: { credentials: 2, requests: 1 } },
    { probe: { everyMs: 10_000 }, rollback: { requests: 5 } },
  )
  const headers = { 'retry-after': '61' }
  for (const [provider, ids, wait] of [
    ['own', ['A', 'B'], 10_000],
    ['other', ['X', 'Y'], 30_000],
  ] as const) {
    for (const id of ids) await leaseOf(pool, id, provider).report({ status: 429, headers })
    expect(pool.tryAcquire({ provider })).toMatchObject({ ok: false, retryAfterMs: wait })
    for (const id of ids) pool.reset(id)
    for (const id of ids) await leaseOf(pool, id, provider).report({ status: 401 })
  }
  expect(statusOf(pool, 'A', 'own').state, 'five requests are needed').toBe('cooling')
  expect(statusOf(pool, 'X', 'other').state).toBe('provider_paused')
  clock.pass(SECOND)
})

test('the dialect says whose rules read the outcomes; the name is the default', async () => {
  const body = { error: { message: 'x', status: 'RESOURCE_EXHAUSTED' } }
  const named = new KeyPool({
    credentials: { gemini: rows('A'), 'team-a': rows('B'), plain: rows('C') },
    providers: { 'team-a': { dialect: 'gemini' } },
  })
  const told = async (id: string, provider: string) => {
    const lease = named.tryAcquire({ provider, model: 'm' })
    if (!lease.ok) throw lease.toError()
    expect(lease.credential.id).toBe(id)
    return lease.report({ status: 503, body })
  }
  expect(await told('A', 'gemini')).toMatchObject({ scope: 'model' })
  expect(await told('B', 'team-a')).toMatchObject({ scope: 'model' })
  expect(await told('C', 'plain')).toMatchObject({ scope: 'provider' })
})

test('a dialect of the pool is that of every provider without its own', async () => {
  const { pool } = two({ dialect: 'gemini' }, { dialect: 'openai' })
  expect(await leaseOf(pool, 'A', 'own').report({ status: 503 })).toMatchObject({
    scope: 'provider',
  })
  expect(await leaseOf(pool, 'X', 'other').report({ status: 503 })).toMatchObject({
    scope: 'credential',
  })
})

test("a provider's own rules go before those of the pool, which go before all others", async () => {
  const rules: ErrorRule[] = [
    { status: 418, effect: 'quota_exhausted' },
    { status: 401, effect: 'client_error' },
  ]
  const own: ErrorRule[] = [{ status: 418, effect: { class: 'rate_limited', waitMs: MINUTE } }]
  const { pool } = two({ rules }, { rules: own })
  const told = async (id: string, provider: string, status: number) =>
    (await leaseOf(pool, id, provider).report({ status })).class
  expect(await told('A', 'own', 418)).toBe('rate_limited')
  expect(await told('X', 'other', 418)).toBe('quota_exhausted')
  expect(await told('B', 'own', 401)).toBe('client_error')
  expect(await told('Y', 'other', 401)).toBe('client_error')
})

test.each<[string, object]>([
  ['providers.own.policy', { policy: 'strict' }],
  ['providers.own.strategy', { strategy: 'random' }],
  ['providers.own.dialect', { dialect: '' }],
  ['providers.own.dialect', { dialect: 7 }],
  ['providers.own.cooldown.overload.baseMs', { cooldown: { overload: { baseMs: -1 } } }],
  ['providers.own.cooldown.jitter', { cooldown: { jitter: 1.5 } }],
  ['providers.own.cooldown.aloneMs', { cooldown: { aloneMs: '2' } }],
  ['providers.own.exhausted.policy', { exhausted: { policy: 'open' } }],
  ['providers.own.probe.everyMs', { probe: { everyMs: 0 } }],
  ['providers.own.rollback.credentials', { rollback: { credentials: 0 } }],
  ['providers.own.rules', { rules: {} }],
  ['providers.own.rules[0].effect', { rules: [{ status: 418, effect: 'teapot' }] }],
  ['providers.own.rules[0].status', { rules: [{ effect: 'ok' }] }],
])('a wrong %s is refused when the pool is made', (path, own) => {
  const error = thrown(() => two({}, own as never))
  expect(error).toMatchObject({ code: 'invalid_option', path })
})

test('an unknown option of a provider is refused with the nearest one', () => {
  expect(thrown(() => two({}, { dialekt: 'openai' } as never))).toMatchObject({
    code: 'unknown_option',
    path: 'providers.own.dialekt',
    nearest: 'dialect',
  })
  expect(thrown(() => two({}, { affinity: {} } as never))).toMatchObject({ code: 'unknown_option' })
})

test('rules of a provider and of the pool are at most a hundred together', () => {
  const some = (count: number): ErrorRule[] =>
    Array.from({ length: count }, () => ({ status: 418, effect: 'ok' }))
  const { pool } = two({ rules: some(60) }, { rules: some(40) })
  expect(pool.tryAcquire({ provider: 'own' }).ok).toBe(true)
  expect(thrown(() => two({ rules: some(60) }, { rules: some(41) }))).toMatchObject({
    code: 'invalid_option',
    path: 'providers.own.rules',
  })
})
