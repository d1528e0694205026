import { type Credential, KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { rejected, thrown } from './support/errors.ts'
import { listen, order, PROVIDER, poolOf, reasons, row, take } from './support/pools.ts'

const WEIGHT = 'must be a whole number from 1 to 100'
const ID = 'must be a text that is not empty'
const VISIBLE = /^must be of visible ASCII characters without blanks \(it has \d+ characters\)$/

/** A row that breaks a rule: what is wrong with it, the field that is named, the rule. */
type Bad = [name: string, bad: unknown, field: string, rule: string | RegExp, id?: string]

const BAD_WEIGHTS: Bad[] = [0, 101, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((weight) => [
  `weight ${weight}`,
  { weight },
  'weight',
  WEIGHT,
])

const BAD_KINDS: Bad[] = [
  ['weight "2"', { weight: '2' }, 'weight', 'must be a whole number from 1 to 100'],
  ['weight null', { weight: null }, 'weight', 'must be a whole number from 1 to 100'],
  ['weight true', { weight: true }, 'weight', 'must be a whole number from 1 to 100'],
  ['a weight of a bigint', { weight: 2n }, 'weight', 'must be a whole number from 1 to 100'],
  [
    'a weight of a symbol',
    { weight: Symbol('2') },
    'weight',
    'must be a whole number from 1 to 100',
  ],
  ['a weight of a function', { weight: () => 2 }, 'weight', 'must be a whole number from 1 to 100'],
  [
    'a weight of an object',
    { weight: { valueOf: () => 2 } },
    'weight',
    'must be a whole number from 1 to 100',
  ],
  ['a label of a number', { label: 7 }, 'label', 'must be a text'],
  ['a label of a symbol', { label: Symbol('x') }, 'label', 'must be a text'],
  ['enabled "true"', { enabled: 'true' }, 'enabled', 'must be true or false'],
  ['enabled 1', { enabled: 1 }, 'enabled', 'must be true or false'],
  ['enabled null', { enabled: null }, 'enabled', 'must be true or false'],
  ['order 1.5', { order: 1.5 }, 'order', 'must be a whole number in its bounds'],
  ['order "1"', { order: '1' }, 'order', 'must be a whole number in its bounds'],
  ['order 2^31', { order: 2 ** 31 }, 'order', 'must be a whole number in its bounds'],
  ['priority NaN', { priority: Number.NaN }, 'priority', 'must be a whole number in its bounds'],
  ['priority of a bigint', { priority: 1n }, 'priority', 'must be a whole number in its bounds'],
  ['models of a text', { models: 'gpt' }, 'models', 'must be a list of texts'],
  ['models of numbers', { models: [1] }, 'models', 'must be a list of texts'],
  ['models of an object', { models: { 0: 'gpt' } }, 'models', 'must be a list of texts'],
  ['secretVersion 1', { secretVersion: 1 }, 'secretVersion', 'must be a text'],
]

const BAD_SECRETS: Bad[] = [
  ['an empty secret', { secret: '' }, 'secret', 'must not be empty'],
  ['a blank secret', { secret: ' \n\t' }, 'secret', 'must not be empty'],
  ['no secret', { secret: undefined }, 'secret', 'must be a text'],
  ['a secret null', { secret: null }, 'secret', 'must be a text'],
  ['a secret of a number', { secret: 7 }, 'secret', 'must be a text'],
  ['a secret of a symbol', { secret: Symbol('sk') }, 'secret', 'must be a text'],
  ['a secret of a function', { secret: () => 'sk' }, 'secret', 'must be a text'],
  ['a secret with a blank inside', { secret: 'sk-a b' }, 'secret', VISIBLE],
  ['a secret with a newline inside', { secret: 'sk-a\nb' }, 'secret', VISIBLE],
  ['a secret with an ellipsis', { secret: 'sk-abc…' }, 'secret', VISIBLE],
  ['a secret with a letter of another script', { secret: 'sk-аbc' }, 'secret', VISIBLE],
  ['a secret with NUL', { secret: 'sk-a\0b' }, 'secret', VISIBLE],
  ['a secret with a lone surrogate', { secret: 'sk-\ud800' }, 'secret', VISIBLE],
]

const BAD_IDS: Bad[] = [
  ['an empty id', { id: '' }, 'id', ID, ''],
  ['a blank id', { id: '  ' }, 'id', ID, ''],
  ['no id', { id: undefined }, 'id', ID, ''],
  ['an id of a number', { id: 7 }, 'id', ID, ''],
  ['an id of a symbol', { id: Symbol('bad') }, 'id', ID, ''],
  ['an id of an object', { id: { toString: () => 'bad' } }, 'id', ID, ''],
]

test.each([...BAD_WEIGHTS, ...BAD_KINDS, ...BAD_SECRETS, ...BAD_IDS])(
  'a row with %s is passed over with one event, and the others serve',
  async (_, bad, field, rule, id = 'bad') => {
    const list = [row('A'), { ...row('bad'), ...(bad as object) }, row('B')]
    const pool = new KeyPool({ load: () => list as Credential[] })
    const heard = listen(pool, 'invalid_credential', 'secret_unresolved')
    await pool.load(PROVIDER)
    expect(heard).toEqual([
      {
        type: 'invalid_credential',
        provider: PROVIDER,
        credential: id,
        field,
        rule: rule instanceof RegExp ? expect.stringMatching(rule) : rule,
      },
    ])
    expect(order(pool, 4)).toBe('A B A B')
    const told = pool.explain({ provider: PROVIDER }).candidates.at(-1)
    expect(told).toMatchObject({ id, reason: 'invalid_credential', field })
    expect(pool.status(PROVIDER).map((known) => known.id)).toEqual(['A', 'B'])
  },
)

test.each<[string, unknown]>([
  ['null', null],
  ['nothing', undefined],
  ['a text', 'sk-A'],
  ['a number', 7],
  ['a bigint', 7n],
  ['a symbol', Symbol('row')],
  ['a function', () => ({})],
  ['a list', [row('X')]],
  ['a getter that throws', throwing('id')],
  ['a secret whose getter throws', throwing('secret')],
  ['models whose getter throws', throwing('models')],
  ['a model whose getter throws', { ...row('bad'), models: throwingList() }],
  ['a proxy that throws', new Proxy({}, { get: () => fail() })],
  ['a proxy that was revoked', revoked({})],
])('%s is no row: it is passed over, and the others serve', async (_, bad) => {
  for (const later of [false, true]) {
    const list = [row('A'), bad as Credential, row('B')]
    const pool = new KeyPool({
      load: () => list,
      resolveSecret: (raw) => (later ? Promise.resolve(raw) : raw),
    })
    const heard = listen(pool, 'invalid_credential')
    await pool.load(PROVIDER)
    expect(heard).toMatchObject([{ credential: '', field: 'row', rule: 'must be an object' }])
    expect(order(pool, 4)).toBe('A B A B')
  }
})

function fail(): never {
  throw new Error('mine')
}

function throwing(field: string): object {
  return Object.defineProperty({ ...row('bad') }, field, { get: fail, enumerable: true })
}

function throwingList(): string[] {
  return Object.defineProperty(['gpt'], 0, { get: fail, enumerable: true })
}

function revoked<T extends object>(target: T): T {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

test('a list with holes, of either kind, is read', async () => {
  for (const later of [false, true]) {
    const list = [row('A')]
    list[2] = row('B')
    const pool = new KeyPool({
      load: () => list,
      resolveSecret: (raw) => (later ? Promise.resolve(raw) : raw),
    })
    await pool.load(PROVIDER)
    expect(order(pool, 4)).toBe('A B A B')
  }
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['an object', { 0: row('A'), length: 1 }],
  ['a text', 'rows'],
  ['a number', 3],
  ['a set', new Set([row('A')])],
  ['a function', () => []],
])('a loader that answers %s is refused, and asked again', async (_, answer) => {
  for (const later of [false, true]) {
    let isWrong = true
    const pool = new KeyPool({
      load: () => {
        const given = (isWrong ? answer : [row('A')]) as Credential[]
        return later ? Promise.resolve(given) : given
      },
    })
    expect(await rejected(pool.acquire({ provider: PROVIDER }))).toMatchObject({
      code: 'invalid_rows',
      provider: PROVIDER,
    })
    isWrong = false
    expect((await pool.acquire({ provider: PROVIDER })).credential.id).toBe('A')
  }
})

test('an id that stands twice: the first row serves, the second is passed over', async () => {
  const list = [
    row('A', { secret: 'first' }),
    row('A', { secret: 'second' }),
    row(' A ', { secret: 'third' }),
  ]
  const pool = new KeyPool({ load: () => list })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  expect(heard).toMatchObject([
    { credential: 'A', field: 'id', rule: 'must be unique in the pool' },
    { credential: 'A', field: 'id', rule: 'must be unique in the pool' },
  ])
  expect(take(pool).secret).toBe('first')
})

test('blanks and newlines around ids and secrets are trimmed', () => {
  // Reproducer for: https://github.com/openai/openai-node/issues/192
  const { pool } = poolOf([{ id: ' A\n', secret: ' sk-x\r\n' }])
  const lease = take(pool)
  expect([lease.credential.id, lease.secret]).toEqual(['A', 'sk-x'])
})

test('fields that nobody knows are left alone', async () => {
  const list = [{ ...row('A'), createdAt: new Date(), owner: { name: 'x' }, fn: () => 1 }]
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  expect(take(pool).credential).toEqual({ id: 'A', label: null })
})

test('null stands for nothing where a database has no value', async () => {
  const list = [row('A', { label: null, models: null, secretVersion: null })]
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  expect(take(pool, { model: 'any' }).credential).toEqual({ id: 'A', label: null })
})

test('rows whose fields are getters, as an ORM makes them, are read', async () => {
  class Model {
    get id() {
      return 'A'
    }
    get secret() {
      return 'sk-A'
    }
    get weight() {
      return 3
    }
  }
  const pool = new KeyPool({ load: () => [new Model()] })
  await pool.load(PROVIDER)
  expect(pool.status(PROVIDER)).toMatchObject([{ id: 'A', weight: 3 }])
})

test('names that every object has are names like any other', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const pool = new KeyPool({
    load: (provider) => names.map((id) => row(`${provider} ${id}`, { secret: 'sk' })),
  })
  for (const provider of names) {
    const lease = await pool.acquire({ provider, session: '__proto__', model: 'constructor' })
    expect(lease.credential.id).toBe(`${provider} __proto__`)
    await lease.report({ status: 429 })
    expect(reasons(pool, { provider })[`${provider} __proto__`]).toBe('cooling')
  }
})

test('a pool of nothing but bad rows says so, row by row', async () => {
  const list = [row('A', { weight: 0 }), row('B', { secret: '' })]
  const pool = new KeyPool({ load: () => list, fallbackSecret: () => 'sk-provider' })
  const error = await rejected(pool.acquire({ provider: PROVIDER }))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  expect(error.message).toBe("no credential of 'openai' is available (2 invalid_credential)")
})

test.each<[string, unknown, string]>([
  ['a weight', [{ id: 'A', secret: 'sk', weight: 0 }], 'credentials.openai[0].weight'],
  ['an empty secret', ['sk', ''], 'credentials.openai[1].secret'],
  ['no secret', [{ id: 'A' }], 'credentials.openai[0].secret'],
  ['an empty id', [{ id: '', secret: 'sk' }], 'credentials.openai[0].id'],
  [
    'an id that stands twice',
    [
      { id: 'A', secret: 'a' },
      { id: 'A', secret: 'b' },
    ],
    'credentials.openai[1].id',
  ],
])('in the options, %s that breaks a rule is an error with its path', (_, list, path) => {
  const options = { credentials: { [PROVIDER]: list } } as never
  expect(thrown(() => new KeyPool(options))).toMatchObject({ code: 'invalid_option', path })
})

test('in the options, an id in two providers is an error', () => {
  const options = { credentials: { one: [row('A')], two: [row('A')] } }
  expect(thrown(() => new KeyPool(options))).toMatchObject({
    code: 'invalid_option',
    path: 'credentials.two[0].id',
    rule: 'must be unique in the pool',
  })
})
