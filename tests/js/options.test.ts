import { KeyPool, type KeyPoolOptions } from 'keyrota'
import { expect, test } from 'vitest'
import { thrown } from './support/errors.ts'
import { PROVIDER, poolOf, rows, take } from './support/pools.ts'

const load = () => rows('A')

test.each<[object, string]>([
  [{ load: 'rows' }, 'load'],
  [{ load: {} }, 'load'],
  [{ disable: true }, 'disable'],
  [{ fallbackSecret: 'sk' }, 'fallbackSecret'],
  [{ now: 0 }, 'now'],
  [{ now: new Date() }, 'now'],
  [{ resolveSecret: {} }, 'resolveSecret'],
  [{ credentials: [] }, 'credentials'],
  [{ credentials: 'sk' }, 'credentials'],
  [{ credentials: { openai: 'sk' } }, 'credentials.openai'],
  [{ credentials: { openai: {} } }, 'credentials.openai'],
  [{ credentials: { openai: [7] } }, 'credentials.openai[0]'],
  [{ credentials: { openai: ['sk', null] } }, 'credentials.openai[1]'],
  [{ policy: 'strict' }, 'policy'],
  [{ policy: null }, 'policy'],
  [{ policy: 1 }, 'policy'],
  [{ strategy: 'round-robin' }, 'strategy'],
  [{ strategy: {} }, 'strategy'],
  [{ strategy: null }, 'strategy'],
  [{ cooldown: 60_000 }, 'cooldown'],
  [{ cooldown: null }, 'cooldown'],
  [{ cooldown: [] }, 'cooldown'],
  [{ cooldown: { baseMs: -1 } }, 'cooldown.baseMs'],
  [{ cooldown: { baseMs: '60' } }, 'cooldown.baseMs'],
  [{ cooldown: { baseMs: 1.5 } }, 'cooldown.baseMs'],
  [{ cooldown: { baseMs: 60n } }, 'cooldown.baseMs'],
  [{ cooldown: { multiplier: 0.5 } }, 'cooldown.multiplier'],
  [{ cooldown: { multiplier: Number.NaN } }, 'cooldown.multiplier'],
  [{ cooldown: { multiplier: Number.POSITIVE_INFINITY } }, 'cooldown.multiplier'],
  [{ cooldown: { capMs: Number.POSITIVE_INFINITY } }, 'cooldown.capMs'],
  [{ cooldown: { forgetAfterMs: Number.NaN } }, 'cooldown.forgetAfterMs'],
  [{ cooldown: { overload: 2_000 } }, 'cooldown.overload'],
  [{ cooldown: { overload: { baseMs: -1 } } }, 'cooldown.overload.baseMs'],
  [{ cooldown: { denied: { multiplier: 0 } } }, 'cooldown.denied.multiplier'],
  [{ cooldown: { pause: { capMs: '2' } } }, 'cooldown.pause.capMs'],
  [{ cooldown: { jitter: -0.1 } }, 'cooldown.jitter'],
  [{ cooldown: { jitter: 1.1 } }, 'cooldown.jitter'],
  [{ cooldown: { aloneMs: -1 } }, 'cooldown.aloneMs'],
  [{ probe: true }, 'probe'],
  [{ probe: { ttlMs: -1 } }, 'probe.ttlMs'],
  [{ probe: { everyMs: 0 } }, 'probe.everyMs'],
  [{ probe: { longerThanMs: 1.5 } }, 'probe.longerThanMs'],
  [{ rollback: false }, 'rollback'],
  [{ rollback: { credentials: 0 } }, 'rollback.credentials'],
  [{ rollback: { requests: 0 } }, 'rollback.requests'],
  [{ rollback: { withinMs: -1 } }, 'rollback.withinMs'],
  [{ exhausted: 'wait' }, 'exhausted'],
  [{ exhausted: { policy: 'open' } }, 'exhausted.policy'],
  [{ exhausted: { maxWaitMs: -1 } }, 'exhausted.maxWaitMs'],
  [{ dialect: '' }, 'dialect'],
  [{ dialect: null }, 'dialect'],
  [{ rules: {} }, 'rules'],
  [{ rules: [null] }, 'rules[0]'],
  [{ rules: [{ status: 418, effect: 'teapot' }] }, 'rules[0].effect'],
  [{ refresh: 'sk' }, 'refresh'],
  [{ affinity: { homeMs: -1 } }, 'affinity.homeMs'],
  [{ affinity: true }, 'affinity'],
  [{ affinity: { capacity: -1 } }, 'affinity.capacity'],
  [{ affinity: { capacity: 1e9 } }, 'affinity.capacity'],
  [{ affinity: { ttlMs: 0 } }, 'affinity.ttlMs'],
  [{ seed: Number.NaN }, 'seed'],
  [{ seed: 1n }, 'seed'],
  [{ seed: {} }, 'seed'],
  [{ leaseTtlMs: 0 }, 'leaseTtlMs'],
  [{ leaseTtlMs: Symbol('ms') }, 'leaseTtlMs'],
  [{ providers: 'openai' }, 'providers'],
  [{ providers: { openai: 'smooth' } }, 'providers.openai'],
  [{ providers: { openai: { strategy: 'x' } } }, 'providers.openai.strategy'],
  [{ providers: { openai: { policy: 'x' } } }, 'providers.openai.policy'],
  [{ providers: { openai: { cooldown: { capMs: -1 } } } }, 'providers.openai.cooldown.capMs'],
])('a wrong option is refused, with the path and the rule: case %#', (wrong, path) => {
  const error = thrown(() => new KeyPool({ load, ...wrong } as KeyPoolOptions))
  expect(error).toMatchObject({ code: 'invalid_option', path, rule: expect.any(String) })
  expect(error.message).toContain(`${path} ${error.rule}`)
})

test.each<[object, string, string | undefined]>([
  [{ laod: load }, 'laod', 'load'],
  [{ Credentials: {} }, 'Credentials', 'credentials'],
  [{ cooldowns: {} }, 'cooldowns', 'cooldown'],
  [{ store: {} }, 'store', undefined],
  [{ cooldown: { base: 1 } }, 'cooldown.base', 'baseMs'],
  [{ cooldown: { baseMS: 1 } }, 'cooldown.baseMS', 'baseMs'],
  [{ affinity: { ttl: 1 } }, 'affinity.ttl', 'ttlMs'],
  [{ cooldown: { overlaod: {} } }, 'cooldown.overlaod', 'overload'],
  [{ cooldown: { overload: { base: 1 } } }, 'cooldown.overload.base', 'baseMs'],
  [{ probes: {} }, 'probes', 'probe'],
  [{ exhausted: { maxWait: 1 } }, 'exhausted.maxWait', 'maxWaitMs'],
  [{ rollback: { within: 1 } }, 'rollback.within', 'withinMs'],
  [{ rules: [{ stauts: 418, effect: 'ok' }] }, 'rules[0].stauts', 'status'],
  [{ providers: { openai: { stratgy: 'smooth' } } }, 'providers.openai.stratgy', 'strategy'],
  [
    { credentials: { openai: [{ secret: 'a', wieght: 3 }] } },
    'credentials.openai[0].wieght',
    'weight',
  ],
  [{ xyzzyplughxyzzy: 1 }, 'xyzzyplughxyzzy', undefined],
  [{ constructor: 1 }, 'constructor', undefined],
  [{ toString: 1 }, 'toString', undefined],
  [JSON.parse('{"__proto__": 1}'), '__proto__', undefined],
  [{ cooldown: { hasOwnProperty: 1 } }, 'cooldown.hasOwnProperty', undefined],
])(
  'an unknown option is refused, and the nearest one is named: case %#',
  (wrong, path, nearest) => {
    const options = Object.assign(Object.create(null), { load })
    for (const [name, value] of Object.entries(wrong)) {
      Object.defineProperty(options, name, { value, enumerable: true })
    }
    const error = thrown(() => new KeyPool(options))
    expect(error).toMatchObject({ code: 'unknown_option', path })
    if (nearest === undefined) expect(error.message).toContain(path)
    else {
      expect(error.nearest).toBe(nearest)
      expect(error.message).toContain(`did you mean '${nearest}'?`)
    }
  },
)

test.each([
  ['strategy', 'smoth', 'smooth'],
  ['strategy', 'Round-Robin', 'weighted-round-robin'],
  ['strategy', 'leastbusy', 'least-busy'],
  ['strategy', 'weighted_random', 'weighted-random'],
  ['policy', 'clasic', 'classic'],
  ['policy', 'Adaptive', 'adaptive'],
])('an unknown %s %j names the nearest one', (option, name, nearest) => {
  const error = thrown(() => new KeyPool({ load, [option]: name }))
  expect(error).toMatchObject({ code: 'invalid_option', path: option })
  expect(error.message).toContain(`(did you mean '${nearest}'?)`)
})

test.each([undefined, null, 'options', 7, [], () => ({})])(
  'options that are no object are refused: case %#',
  (options) => {
    const error = thrown(() => new KeyPool(options as never))
    expect(error).toMatchObject({ code: 'invalid_option', path: 'options' })
  },
)

test('without rows or a loader there is no pool', () => {
  expect(thrown(() => new KeyPool({}))).toMatchObject({ code: 'invalid_option', path: 'load' })
})

test('an option that is undefined is as if it were not there', () => {
  const nothing = {
    disable: undefined,
    now: undefined,
    policy: undefined,
    strategy: undefined,
    cooldown: { baseMs: undefined },
    affinity: undefined,
    seed: undefined,
    leaseTtlMs: undefined,
    providers: undefined,
  }
  const { pool } = poolOf(rows('A'), nothing as never)
  expect(take(pool).credential.id).toBe('A')
})

test('errors speak of kinds and names, never of the values', () => {
  const error = thrown(() => new KeyPool({ load, resolveSecret: 'sk-secret-value' as never }))
  expect(error.message).toBe('resolveSecret must be a function; it is a text')
})

test('the extremes that are allowed are allowed', async () => {
  const largest = 3_155_760_000_000 // a hundred years
  const { pool, clock } = poolOf(rows('A'), {
    cooldown: { baseMs: largest, capMs: largest, multiplier: 1_000, forgetAfterMs: largest },
    affinity: { capacity: 10_000_000, ttlMs: largest },
    leaseTtlMs: largest,
    seed: -1.5,
  })
  await take(pool, { session: 's' }).report({ status: 429 })
  const [status] = pool.status(PROVIDER)
  expect(status?.until).toBeGreaterThan(clock.at)
  const copy = poolOf(rows('A'))
  copy.pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  expect(copy.pool.status(PROVIDER)).toMatchObject([{ state: 'cooling' }])
})

test('zeroes that are allowed are allowed', async () => {
  const { pool } = poolOf(rows('A', 'B'), {
    cooldown: { baseMs: 0, capMs: 0, multiplier: 1, forgetAfterMs: 0 },
    affinity: { capacity: 0 },
  })
  const lease = take(pool, { session: 's' })
  await lease.report({ status: 429 })
  expect(take(pool, { session: 's' })).toMatchObject({ reason: 'strategy' })
})

test('what a request names wrongly is refused, and the pool goes on', () => {
  const { pool } = poolOf(rows('A'))
  for (const [request, path] of [
    [{ provider: '' }, 'provider'],
    [{ provider: undefined }, 'provider'],
    [{ provider: Symbol('openai') }, 'provider'],
    [{ provider: 7 }, 'provider'],
    [{ session: 7 }, 'session'],
    [{ session: null }, 'session'],
    [{ session: Symbol('s') }, 'session'],
    [{ tried: 'A' }, 'tried'],
    [{ tried: { 0: 'A' } }, 'tried'],
  ] as const) {
    const asked = Object.assign({ provider: PROVIDER }, request) as never
    for (const ask of [() => pool.tryAcquire(asked), () => pool.explain(asked)]) {
      expect(thrown(ask), JSON.stringify(path)).toMatchObject({ code: 'invalid_option', path })
    }
  }
  expect(thrown(() => pool.releaseSession(7 as never))).toMatchObject({ path: 'session' })
  expect(thrown(() => pool.status(7 as never))).toMatchObject({ path: 'provider' })
  expect(thrown(() => pool.invalidate(7 as never))).toMatchObject({ path: 'provider' })
  expect(take(pool, { tried: ['x', Symbol('y'), null] as never }).credential.id).toBe('A')
})

test.each([7, Symbol('gpt'), {}, null, 5n])('a model must be a text: case %#', (model) => {
  const { pool } = poolOf([{ id: 'A', secret: 'sk', models: ['gpt'] }])
  const asked = { provider: PROVIDER, model } as never
  for (const ask of [() => pool.tryAcquire(asked), () => pool.explain(asked)]) {
    expect(thrown(ask)).toMatchObject({ code: 'invalid_option', path: 'model' })
  }
  expect(take(pool, { model: 'gpt' }).credential.id).toBe('A')
})

test('the options may be changed afterwards without effect on what was read', async () => {
  const credentials = { [PROVIDER]: rows('A') }
  const options = { credentials, strategy: 'fill-first' as const }
  const pool = new KeyPool(options)
  options.strategy = 'nonsense' as never
  expect(take(pool).credential.id).toBe('A')
})
