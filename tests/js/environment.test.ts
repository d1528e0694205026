import { type Credential, KeyPool } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rejected } from './support/errors.ts'
import {
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  take,
} from './support/pools.ts'
import { settle } from './support/promises.ts'

beforeEach(() => {
  vi.stubEnv('KEYROTA_TEST_KEY', 'sk-from-env')
  vi.stubEnv('keyrota_test_key', 'sk-lower')
  vi.stubEnv('KEYROTA_TEST_EMPTY', '')
  vi.stubEnv('KEYROTA_TEST_NEWLINE', 'sk-env\n')
  vi.stubEnv('KEYROTA_TEST_BLANK', 'sk env')
})

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['$KEYROTA_TEST_KEY', 'sk-from-env'],
  ['$' + '{KEYROTA_TEST_KEY}', 'sk-from-env'],
  [' $KEYROTA_TEST_KEY\n', 'sk-from-env'],
  ['$keyrota_test_key', 'sk-lower'],
  ['$KEYROTA_TEST_NEWLINE', 'sk-env'],
])('%j is read from the environment, case-sensitively', (secret, expected) => {
  const { pool } = poolOf([secret, { id: 'mine', secret }])
  expect([take(pool).secret, take(pool).secret]).toEqual([expected, expected])
})

test.each([
  'KEYROTA_TEST_KEY',
  'sk-$KEYROTA_TEST_KEY',
  '$KEYROTA_TEST_KEY-x',
  '$1ABC',
  '$',
  '$$KEYROTA_TEST_KEY',
  '${KEYROTA_TEST_KEY',
  '$(KEYROTA_TEST_KEY)',
  '%KEYROTA_TEST_KEY%',
])('%j is no reference: it is the key itself', (secret) => {
  const { pool } = poolOf([secret])
  expect(take(pool).secret).toBe(secret)
})

test.each([
  ['$KEYROTA_TEST_UNSET', 'KEYROTA_TEST_UNSET'],
  ['$' + '{KEYROTA_TEST_UNSET}', 'KEYROTA_TEST_UNSET'],
  ['$KEYROTA_TEST_EMPTY', 'KEYROTA_TEST_EMPTY'],
  ['$keyrota_TEST_key', 'keyrota_TEST_key'],
  ['$constructor', 'constructor'],
  ['$__proto__', '__proto__'],
])(
  '%s is not set: the event names the variable, and the others serve',
  async (secret, variable) => {
    const pool = new KeyPool({ load: () => [row('A'), row('unset', { secret }), row('B')] })
    const heard = listen(pool, 'secret_unresolved', 'invalid_credential')
    await pool.load(PROVIDER)
    expect(heard).toEqual([
      {
        type: 'secret_unresolved',
        provider: PROVIDER,
        credential: 'unset',
        variable,
        message: `the environment variable ${variable} is not set`,
      },
    ])
    expect(order(pool, 4)).toBe('A B A B')
    expect(reasons(pool)).toMatchObject({ unset: 'secret_unresolved' })
  },
)

test('the event names the credential as everything else does, without blanks', async () => {
  const pool = new KeyPool({ load: () => [row(' unset ', { secret: '$KEYROTA_TEST_UNSET' })] })
  const heard = listen(pool, 'secret_unresolved')
  await pool.load(PROVIDER)
  expect(heard).toMatchObject([{ credential: 'unset' }])
})

test('a key of the options whose variable is not set is told to who listens at once', async () => {
  const { pool } = poolOf(['$KEYROTA_TEST_UNSET', 'sk-other'])
  const heard = listen(pool, 'secret_unresolved')
  expect(take(pool).secret).toBe('sk-other')
  await settle()
  expect(heard).toMatchObject([{ credential: 'openai-1', variable: 'KEYROTA_TEST_UNSET' }])
})

test('the refusal names the variable that is not set', async () => {
  const { pool } = poolOf(['$KEYROTA_TEST_UNSET'])
  const error = await rejected(pool.acquire({ provider: PROVIDER }))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  expect(JSON.stringify(error)).toContain('KEYROTA_TEST_UNSET')
})

test('a variable that was set meanwhile is seen after an invalidation, with its health', async () => {
  const { pool } = poolOf(['$KEYROTA_TEST_LATER', 'sk-other'])
  expect(order(pool, 2)).toBe('openai-2 openai-2')
  vi.stubEnv('KEYROTA_TEST_LATER', 'sk-later')
  expect(order(pool, 2), 'what is loaded is loaded').toBe('openai-2 openai-2')
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(order(pool, 4).split(' ').sort()).toEqual(['openai-1', 'openai-1', 'openai-2', 'openai-2'])
})

test('a variable whose value can be no key makes the row invalid, without showing it', async () => {
  const list = [row('A'), row('bad', { secret: '$KEYROTA_TEST_BLANK' })]
  const pool = new KeyPool({ load: () => list })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  expect(heard).toMatchObject([{ credential: 'bad', field: 'secret' }])
  expect(JSON.stringify(heard)).not.toContain('sk env')
})

test('a resolver of the app decides alone, at once or later', async () => {
  const vault: Record<string, string> = { 'vault:one': 'sk-1', $KEYROTA_TEST_KEY: 'sk-2' }
  const list = [row('A', { secret: 'vault:one' }), row('B', { secret: '$KEYROTA_TEST_KEY' })]
  for (const resolveSecret of [
    (raw: string) => vault[raw],
    async (raw: string) => vault[raw],
    (raw: string) => (raw.startsWith('vault') ? Promise.resolve(vault[raw]) : vault[raw]),
  ]) {
    const pool = new KeyPool({ load: () => list, resolveSecret })
    await pool.load(PROVIDER)
    expect([take(pool).secret, take(pool).secret]).toEqual(['sk-1', 'sk-2'])
  }
})

test.each<[string, () => unknown]>([
  ['answers nothing', () => undefined],
  ['answers null', () => null],
  ["answers ''", () => ''],
  [
    'throws',
    () => {
      throw new Error('vault is sealed')
    },
  ],
  ['rejects', () => Promise.reject(new Error('vault is sealed'))],
  ['answers nothing later', async () => undefined],
])('a row whose resolver %s is passed over, and the others serve', async (_, fault) => {
  const list = [row('A'), row('sealed', { secret: 'vault:x' })]
  const pool = new KeyPool({
    load: () => list,
    resolveSecret: (raw) => (raw === 'vault:x' ? (fault() as string) : raw),
  })
  const heard = listen(pool, 'secret_unresolved')
  await pool.load(PROVIDER)
  expect(heard).toMatchObject([
    { credential: 'sealed', variable: null, message: 'resolveSecret found no secret' },
  ])
  expect(order(pool, 2)).toBe('A A')
})

test('a resolver that answers what is no text makes the row invalid', async () => {
  for (const answer of [7, {}, true, Symbol('sk'), ['sk']]) {
    const pool = new KeyPool({
      load: () => [row('A')],
      resolveSecret: () => answer as never,
    })
    const heard = listen(pool, 'invalid_credential')
    await pool.load(PROVIDER)
    expect(heard).toMatchObject([{ credential: 'A', field: 'secret', rule: 'must be a text' }])
  }
})

test('an empty or missing secret is not even resolved', async () => {
  const resolveSecret = vi.fn((raw: string) => raw)
  const list = [row('A', { secret: ' ' }), { id: 'B' } as Credential, row('C')]
  const pool = new KeyPool({ load: () => list, resolveSecret })
  await pool.load(PROVIDER)
  expect(resolveSecret.mock.calls).toEqual([['sk-C']])
})

test('the provider-level key serves only when there is no row at all', async () => {
  const fallbackSecret = vi.fn(() => 'sk-provider')
  let list: Credential[] = []
  const pool = new KeyPool({ load: () => list, fallbackSecret })
  const lease = await pool.acquire({ provider: PROVIDER })
  expect([lease.secret, lease.credential.id]).toEqual(['sk-provider', `${PROVIDER}:fallback`])
  expect(fallbackSecret).toHaveBeenCalledExactlyOnceWith(PROVIDER)

  // Reproducer for: https://github.com/librefang/librefang/pull/5063
  for (const unusable of [
    [row('A', { enabled: false })],
    [row('A', { weight: 0 })],
    [row('A', { secret: '$KEYROTA_TEST_UNSET' })],
  ]) {
    list = unusable
    pool.invalidate()
    const error = await rejected(pool.acquire({ provider: PROVIDER }))
    expect(error.code).toBe('no_credential_available')
  }
  list = rows('A')
  pool.invalidate()
  expect((await pool.acquire({ provider: PROVIDER })).secret).toBe('sk-A')
  list = []
  pool.invalidate()
  expect((await pool.acquire({ provider: PROVIDER })).secret).toBe('sk-provider')
  expect(fallbackSecret).toHaveBeenCalledTimes(2)
})

test('the provider-level key may come later, or not at all', async () => {
  for (const [answer, secret] of [
    ['sk-provider', 'sk-provider'],
    [' sk-provider\n', 'sk-provider'],
    [undefined, null],
    [null, null],
    ['', null],
  ] as const) {
    for (const fallbackSecret of [() => answer, async () => answer]) {
      const pool = new KeyPool({ load: () => [], fallbackSecret })
      const served = await pool.acquire({ provider: PROVIDER }).catch(() => null)
      expect(served?.secret ?? null).toBe(secret)
    }
  }
})

test('a provider-level key that can be no key is passed over with an event', async () => {
  const pool = new KeyPool({ load: () => [], fallbackSecret: () => 'sk broken' })
  const heard = listen(pool, 'invalid_credential')
  await rejected(pool.acquire({ provider: PROVIDER }))
  expect(heard).toMatchObject([{ credential: `${PROVIDER}:fallback`, field: 'secret' }])
})

const DEAD = { status: 401, body: { error: { code: 'invalid_api_key' } } }

test.each<[string, Credential[], unknown, string | undefined]>([
  ['is empty', [], undefined, undefined],
  [
    'was disabled by hand',
    [row('A', { enabled: false }), row('B', { enabled: false })],
    undefined,
    'credential_disabled',
  ],
  ['was disabled by a verdict', rows('A', 'B'), DEAD, 'credential_disabled'],
  ['rests', rows('A', 'B'), { status: 429 }, 'cooling'],
  ['has empty secrets', [row('A', { secret: '' })], undefined, 'invalid_credential'],
  [
    'waits for its variable',
    [row('A', { secret: '$KEYROTA_TEST_UNSET' })],
    undefined,
    'secret_unresolved',
  ],
])(
  'a pool that %s sends neither a key of the environment nor an empty one',
  async (_, list, outcome, reason) => {
    // Reproducer for: https://github.com/librefang/librefang/pull/5063
    vi.stubEnv('OPENAI_API_KEY', 'sk-not-of-the-pool')
    const pool = new KeyPool({ load: () => list })
    await pool.load(PROVIDER)
    if (outcome !== undefined) {
      for (const { id } of list) await leaseOf(pool, id).report(outcome)
    }
    const expected = list.map(({ id }) => [id, reason])
    expect(Object.entries(reasons(pool)), 'all of them are out').toEqual(expected)
    const sent = vi.fn(() => ({ status: 200 }))
    const errors = [
      refused(pool).toError(),
      await rejected(pool.acquire({ provider: PROVIDER })),
      await rejected(pool.run({ provider: PROVIDER }, sent)),
    ]
    for (const error of errors) expect(error.code).toBe('no_credential_available')
    expect(sent).not.toHaveBeenCalled()
    const upstream = vi.fn(async () => Response.json({}))
    const fetched = pooledFetch(pool, { provider: PROVIDER, fetch: upstream })
    expect((await fetched('http://127.0.0.1/v1/models')).ok).toBe(false)
    expect(upstream).not.toHaveBeenCalled()
  },
)
