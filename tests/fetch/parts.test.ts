import { KeyPool, KeyrotaError } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RetryBudget } from '../../js/fetch/budget.ts'
import { shownUrl, withoutSecret } from '../../js/fetch/redact.ts'
import { refusalResponse } from '../../js/fetch/refusal.ts'
import { anyOf } from '../../js/fetch/signals.ts'

describe('the retry budget', () => {
  const retriesOf = (budget: RetryBudget) => {
    let count = 0
    while (budget.allows({ class: 'overloaded' })) count++
    return count
  }

  test('lets the reserve be spent by who has had no traffic', () => {
    expect(retriesOf(new RetryBudget(0.2, 10))).toBe(10)
  })

  test('allows a share of the requests, and no more', () => {
    const budget = new RetryBudget(0.25, 0)
    for (let request = 0; request < 100; request++) budget.deposit()
    expect(retriesOf(budget)).toBe(25)
    expect(budget.allows({ class: 'server_error' })).toBe(false)
  })

  test.each(['rate_limited', 'quota_exhausted', 'auth_failed', 'model_denied'] as const)(
    'does not count a key that says %s',
    (kind) => {
      const budget = new RetryBudget(0, 0)
      expect(budget.allows({ class: kind })).toBe(true)
      expect(budget.allows({ class: 'unknown_outcome' })).toBe(false)
    },
  )

  test('saves up no more than what a thousand requests pay in', () => {
    const budget = new RetryBudget(0.5, 10)
    for (let request = 0; request < 100_000; request++) budget.deposit()
    expect(retriesOf(budget)).toBe(510)
  })

  test('of no share and no reserve allows none', () => {
    const budget = new RetryBudget(0, 0)
    budget.deposit()
    expect(budget.allows({ class: 'server_error' })).toBe(false)
  })
})

describe('a refusal', () => {
  const refusal = (retryAfterMs: number | null) =>
    ({
      name: 'KeyrotaError',
      code: 'no_credential_available',
      message: 'no',
      retryAfterMs,
    }) as never

  test.each([
    ['openai', { error: { type: 'rate_limit_error', code: 'no_credential_available' } }],
    ['anthropic', { type: 'error', error: { type: 'rate_limit_error', message: 'no' } }],
    ['gemini', { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }],
  ])('with a time is a 429 in the words of %s', async (dialect, body) => {
    const response = refusalResponse(refusal(1_500), dialect)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(response.headers.get('retry-after-ms')).toBe('1500')
    expect(await response.json()).toMatchObject(body)
  })

  test('of Gemini says its time where Google says it', async () => {
    const { error } = await refusalResponse(refusal(1_500), 'gemini').json()
    expect(error.details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' },
    ])
  })

  test('for lack of room is a 429 that says to ask again in a second', () => {
    for (const retryAfterMs of [null, 3_600_000]) {
      const full = { ...(refusal(retryAfterMs) as object), explanation: { atCapacity: true } }
      const response = refusalResponse(full as never, 'openai')
      expect(response.status).toBe(429)
      expect(response.headers.get('retry-after')).toBe('1')
    }
  })

  test.each([['openai'], ['anthropic'], ['gemini']])(
    'that time does not end is a 503 that %s shall not ask again',
    (dialect) => {
      const response = refusalResponse(refusal(null), dialect)
      expect(response.status).toBe(503)
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(response.headers.get('retry-after')).toBeNull()
    },
  )
})

describe('a wrong option is a typed error', () => {
  const pool = new KeyPool({ credentials: { openai: [{ id: 'a', secret: 'sk-a' }] } })
  const given = { provider: 'openai' }

  test.each([
    ['provider', {}],
    ['provider', { provider: '' }],
    ['provider', { provider: 1 }],
    ['dialect', { ...given, dialect: '' }],
    ['session', { ...given, session: 'x' }],
    ['inject', { ...given, inject: {} }],
    ['fetch', { ...given, fetch: 'x' }],
    ['maxAttempts', { ...given, maxAttempts: 0 }],
    ['maxAttempts', { ...given, maxAttempts: 1.5 }],
    ['maxWaitMs', { ...given, maxWaitMs: -1 }],
    ['timeoutMs', { ...given, timeoutMs: 0 }],
    ['timeoutMs', { ...given, timeoutMs: Number.NaN }],
    ['maxBufferedBytes', { ...given, maxBufferedBytes: -1 }],
    ['idempotent', { ...given, idempotent: 'yes' }],
    ['retryBudget.share', { ...given, retryBudget: { share: -0.1 } }],
    ['retryBudget.reserve', { ...given, retryBudget: { reserve: 0.5 } }],
  ])('%s: %j', (path, options) => {
    const make = () => pooledFetch(pool, options as never)
    expect(make).toThrow(KeyrotaError)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_option', path }))
  })

  test.each([
    ['providr', { provider: 'openai', providr: 1 }],
    ['retryBudget.shares', { ...given, retryBudget: { shares: 1 } }],
  ])('%s is unknown', (path, options) => {
    expect(() => pooledFetch(pool, options as never)).toThrow(
      expect.objectContaining({ code: 'unknown_option', path }),
    )
  })

  test.each([[undefined], [null], ['openai'], [1]])('%j are no options', (options) => {
    expect(() => pooledFetch(pool, options as never)).toThrow(KeyrotaError)
  })
})

describe('what is told without the secret', () => {
  const secret = 'sk-a+b/c=d-0123456789'

  test('has it neither as it is nor as it stands in a query', () => {
    const inQuery = new URLSearchParams({ key: secret }).toString()
    for (const text of [secret, inQuery, `key=${encodeURIComponent(secret)}`]) {
      const shown = shownUrl(`https://x.example/?${text}`, secret)
      expect(shown).not.toContain('0123456789')
    }
  })

  test('is an error with all its causes and parts', () => {
    const cause = new AggregateError([new Error(`part ${secret}`)], `cause ${secret}`)
    const error = Object.assign(new TypeError(`to ${secret}`, { cause }), { url: `u ${secret}` })
    expect(withoutSecret(error, secret)).toBe(error)
    const told = [error, cause, cause.errors[0]].map(
      (one) => `${one.message} ${one.stack} ${one.url}`,
    )
    expect(told.join()).not.toContain(secret)
    expect(error.message).toBe('to …')
  })

  test('leaves what is no error, and causes that turn in a circle', () => {
    const error = new Error('x')
    error.cause = error
    expect(withoutSecret(error, secret)).toBe(error)
    expect(withoutSecret('x', secret)).toBe('x')
  })
})

describe.each([
  ['with', AbortSignal.any],
  ['without', undefined],
])('signals as one, %s AbortSignal.any', (_, any) => {
  const own = AbortSignal.any
  beforeAll(() => {
    Object.assign(AbortSignal, { any })
  })
  afterAll(() => {
    Object.assign(AbortSignal, { any: own })
  })

  test('abort with the first of them, for its reason', () => {
    const [first, second] = [new AbortController(), new AbortController()]
    const both = anyOf([first.signal, second.signal])
    expect(both.aborted).toBe(false)
    second.abort('second')
    first.abort('first')
    expect(both.reason).toBe('second')
  })

  test('are aborted if one of them is', () => {
    const both = anyOf([new AbortController().signal, AbortSignal.abort('early')])
    expect([both.aborted, both.reason]).toEqual([true, 'early'])
  })

  test('are the only one, if there is only one', () => {
    const { signal } = new AbortController()
    expect(anyOf([signal])).toBe(signal)
  })
})
