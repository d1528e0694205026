import { inspect } from 'node:util'
import * as keyrota from 'keyrota'
import { isKeyrotaError, KeyPool, type KeyPoolEvent, type Lease } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'
import { expect, test } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import { attempt, leaseOf, PROVIDER, poolOf, row, take } from './support/pools.ts'
import { settle } from './support/promises.ts'
import { everythingShownOf, expectHidden, markedSecret } from './support/secrets.ts'
import { entry, serviceOf } from './support/service.ts'

const EVENTS: KeyPoolEvent[] = [
  'acquired',
  'cooldown',
  'paused',
  'refreshed',
  'refresh_failed',
  'recovered',
  'disabled',
  'disable_failed',
  'enabled',
  'rebound',
  'lease_expired',
  'invalid_credential',
  'secret_unresolved',
]

/** A pool with everything that may come of its secrets, and all that it emitted meanwhile. */
async function emitted(secrets: readonly [string, string, string]): Promise<unknown[]> {
  const clock = new FakeClock()
  const [first, second, third] = secrets
  const list = [
    row('A', { secret: first }),
    row('B', { secret: second, label: 'second' }),
    row('broken', { secret: `${third} with a blank` }),
    row('long', { secret: `${third}…` }),
    row('unset', { secret: `$${'KEYROTA_TEST_UNSET'}` }),
    row('A', { secret: third }),
  ]
  const pool = new KeyPool({
    policy: 'classic',
    load: () => list,
    now: clock.now,
    disable: (id) => Promise.reject(new Error(`no ${id}`)),
  })
  const out: unknown[] = [pool]
  for (const event of EVENTS) pool.on(event, (payload) => out.push(payload))
  const loading = pool.acquire({ provider: PROVIDER, session: 's' })
  const lease = await loading
  const other = take(pool)
  out.push(lease, other, { ...lease }, [lease], new Map([[lease, other]]), loading)
  out.push(await leaseOf(pool, 'A').report({ status: 429 }))
  take(pool, { session: 's' })
  out.push(await leaseOf(pool, 'B').report({ status: 401 }))
  await settle()
  const refusal = pool.tryAcquire({ provider: PROVIDER })
  if (refusal.ok) throw new Error('granted')
  out.push(refusal, refusal.explanation, refusal.toError(), refusal.toError().toJSON())
  out.push(await rejected(pool.acquire({ provider: PROVIDER })))
  out.push(await rejected(pool.run({ provider: PROVIDER }, () => 1)))
  out.push(pool.explain({ provider: PROVIDER }), pool.status(PROVIDER), pool.snapshot())
  out.push(thrown(() => pool.reset('nobody')))
  clock.pass(10 * MINUTE)
  pool.enable('B')
  take(pool)
  pool.restore(pool.snapshot())
  pool.dispose()
  out.push(
    thrown(() => pool.status(PROVIDER)),
    pool,
    lease,
  )
  return out
}

/** What a provider may say of the key that it got: the whole, its ends, in the body, in headers. */
function echoes(secret: string): unknown[] {
  const masked = `${secret.slice(0, 11)}…${secret.slice(-8)}`
  const said = (message: string) => ({
    error: { message, code: 'invalid_api_key', param: message },
  })
  const headers = {
    'content-type': 'application/json',
    'www-authenticate': `Bearer realm="${secret}"`,
    'retry-after': secret,
    'x-ratelimit-reset-requests': secret,
    [`x-${secret.toLowerCase()}`]: '1',
  }
  const json = (status: number, message: string) =>
    new Response(JSON.stringify(said(message)), { status, headers })
  return [
    json(401, `Incorrect API key provided: ${secret}.`),
    json(401, `Incorrect API key provided: ${masked}.`),
    json(403, secret),
    json(500, secret),
    { status: 429, headers, body: { error: { message: secret, code: secret, type: secret } } },
    { status: 402, headers, body: `{"error":"${secret}","resets_at":"${secret}"}` },
    { status: 400, body: new TextEncoder().encode(`<html><title>${secret}</title></html>`) },
    Object.assign(new Error(secret), { status: 503, error: said(secret).error, headers }),
    Object.assign(new Error(secret), { code: secret, cause: new Error(secret) }),
  ]
}

test('a provider that repeats the key leaks none of it into what the pool tells or keeps', async () => {
  const secret = markedSecret()
  const renewed = markedSecret()
  for (const outcome of [...echoes(secret), ...echoes(renewed)]) {
    const isRenewed = JSON.stringify(await textOf(outcome)).includes(renewed)
    const clock = new FakeClock()
    const pool = new KeyPool({
      credentials: { [PROVIDER]: [row('A', { secret, refreshable: isRenewed }), row('B')] },
      now: clock.now,
      refresh: () => renewed,
      rules: [{ bodyIncludes: 'no such text', effect: 'overloaded' }],
    })
    const out: unknown[] = []
    for (const event of EVENTS) pool.on(event, (payload) => out.push(payload))
    if (isRenewed) {
      await leaseOf(pool, 'A').report({ status: 401 })
      await settle()
      expect(leaseOf(pool, 'A').secret).toBe(renewed)
    }
    const lease = leaseOf(pool, 'A')
    out.push(await lease.report(outcome), lease)
    await settle()
    const asked = { provider: PROVIDER, tried: ['B'] }
    const refusal = pool.tryAcquire(asked)
    if (!refusal.ok) out.push(refusal, refusal.toError(), refusal.toError().toJSON())
    out.push(pool.explain(asked), pool.status(PROVIDER), pool.snapshot())
    expectHidden([secret, renewed], out)
  }
})

test('classify tells nothing of a body but what it means', () => {
  const secret = markedSecret()
  for (const outcome of echoes(secret)) {
    const { status, headers, body } = outcome as Record<string, never>
    if (typeof status !== 'number' || outcome instanceof Response) continue
    expectHidden([secret], [keyrota.classify({ provider: PROVIDER, status, headers, body })])
  }
})

async function textOf(outcome: unknown): Promise<unknown> {
  if (outcome instanceof Response) return outcome.clone().text()
  return outcome instanceof Error ? outcome.message : outcome
}

test('a secret occurs in nothing that is printed, serialized, stored, told or thrown', async () => {
  const secrets = [markedSecret(), markedSecret(), markedSecret()] as const
  const out = await emitted(secrets)
  expect(out.length).toBeGreaterThan(30)
  expectHidden(secrets, out)
})

test('the search itself finds a secret, wherever it stands', () => {
  const secret = markedSecret()
  class Getter {
    get secret() {
      return secret
    }
  }
  const places = [
    secret,
    { deep: [{ er: secret }] },
    new Error(secret),
    new Error('x', { cause: new Error(secret.slice(0, 20)) }),
    new Map([['k', secret.slice(-8)]]),
    new Getter(),
    Object.defineProperty({}, 'hidden', { value: secret, enumerable: false }),
  ]
  for (const place of places) {
    expect(() => expectHidden([secret], [place]), inspect(place)).toThrow('occurs in')
  }
})

test('a lease prints as who serves and why, and its secret is there for who asks', () => {
  const secret = markedSecret()
  const { pool } = poolOf([{ id: 'A', secret }])
  const lease: Lease = take(pool)
  expect(lease.secret).toBe(secret)
  expect(JSON.parse(JSON.stringify(lease))).toEqual({
    provider: PROVIDER,
    credential: { id: 'A', label: null },
    reason: 'strategy',
  })
  expect(Object.keys(lease)).toEqual([])
  expectHidden([secret], [lease, { lease }, inspect(lease, { getters: true, showHidden: true })])
})

test('the engine that the entries share shows none either', async () => {
  interface Engine {
    ensureLoaded(provider: unknown): Promise<void> | undefined
    provider(name: string): unknown
    pick(name: string, session: undefined): string | undefined
  }
  const { Engine } = keyrota as unknown as { Engine: new (options: object) => Engine }
  const secret = markedSecret()
  const engine = new Engine({ load: () => [row('A', { secret })] })
  await engine.ensureLoaded(engine.provider(PROVIDER))
  expect(engine.pick(PROVIDER, undefined)).toBe(secret)
  expectHidden([secret], [engine])
})

test('the service logs, throws and prints no key', async () => {
  const [first, second, third] = [markedSecret(), markedSecret(), markedSecret()]
  const log: unknown[] = []
  const { service, clock } = serviceOf(
    [
      entry('a', { apiKey: first }),
      entry('b', { apiKey: second }),
      entry('c', { apiKey: `${third} x` }),
      entry('d', { apiKey: '$KEYROTA_TEST_UNSET' }),
    ],
    { log: (message) => log.push(message), disableKey: () => false },
  )
  log.push(service)
  expect(await service.getKeyForSession('openai', 's')).toBe(first)
  await service.reportError('openai', 's', 429)
  await service.reportError('openai', 's', 401)
  clock.pass(MINUTE)
  service.cleanupExpiredCooldowns()
  service.dispose()
  log.push(await rejected(service.getKey('openai')))
  expect(log.length).toBeGreaterThan(5)
  expectHidden([first, second, third], log)
})

test('options with a wrong value do not show it', () => {
  const secret = markedSecret()
  const wrong: object[] = [
    { credentials: secret },
    { credentials: { openai: secret } },
    { credentials: { openai: [`${secret} x`] } },
    { credentials: { openai: [{ id: 'A', secret, weight: 0 }] } },
    { credentials: { openai: [{ id: 'A', secret: [secret] }] } },
    { load: secret },
    { load: () => [], fallbackSecret: secret },
    { load: () => [], seed: { secret } },
    { load: () => [], strategy: secret },
    { load: () => [], policy: secret },
  ]
  for (const options of wrong) expectHidden([secret], [thrown(() => new KeyPool(options as never))])
})

test('a resolver whose error quotes the secret is not quoted', async () => {
  const secret = markedSecret()
  for (const resolveSecret of [
    () => {
      throw new Error(`cannot decrypt ${secret}`)
    },
    () => Promise.reject(new Error(`cannot decrypt ${secret}`)),
    () => Promise.reject(secret),
    () => `${secret} broken`,
    () => ({ secret }) as never,
    () => undefined,
  ]) {
    const pool = new KeyPool({ load: () => [row('A', { secret }), row('B')], resolveSecret })
    const out: unknown[] = []
    for (const event of EVENTS) pool.on(event, (payload) => out.push(payload))
    out.push(await rejected(pool.acquire({ provider: PROVIDER })))
    out.push(pool.explain({ provider: PROVIDER }), pool.status(PROVIDER), pool.snapshot())
    expect(out.length).toBeGreaterThan(4)
    expectHidden([secret], out)
  }
})

test("a loader's own error is the cause as it is; the package's error repeats nothing of it", async () => {
  const secret = markedSecret()
  // As `JSON.parse` quotes what it cannot read.
  const cause = new SyntaxError(`Unexpected token in "secret": "${secret}"`)
  for (const options of [
    { load: () => Promise.reject(cause) },
    {
      load: () => {
        throw cause
      },
    },
    { load: () => [], fallbackSecret: () => Promise.reject(cause) },
  ]) {
    const error = await rejected(new KeyPool(options).acquire({ provider: PROVIDER }))
    expect(error).toMatchObject({ code: 'load_failed', cause })
    expectHidden([secret], [error.message, error.toJSON(), { ...error }, error.stack])
  }
})

test('the provider-level key is hidden like the others', async () => {
  const secret = markedSecret()
  for (const fallbackSecret of [() => secret, () => `${secret} x`]) {
    const pool = new KeyPool({ load: () => [], fallbackSecret })
    const out: unknown[] = [pool]
    for (const event of EVENTS) pool.on(event, (payload) => out.push(payload))
    out.push(await pool.acquire({ provider: PROVIDER }).catch((error) => error))
    await attempt(pool, `${PROVIDER}:fallback`, 429).catch(() => {})
    out.push(pool.status(PROVIDER), pool.explain({ provider: PROVIDER }), pool.snapshot())
    expectHidden([secret], out)
  }
})

test('session ids are not shown either', async () => {
  const session = markedSecret()
  const { pool } = poolOf([row('A'), row('B')])
  const out: unknown[] = [pool]
  for (const event of EVENTS) pool.on(event, (payload) => out.push(payload))
  const lease = take(pool, { session })
  await lease.report({ status: 429 })
  out.push(take(pool, { session }), pool.snapshot(), pool.status(PROVIDER))
  out.push(await rejected(pool.acquire({ provider: PROVIDER, session, tried: ['A', 'B'] })))
  expectHidden([session], out)
})

test('an error survives a structured clone and JSON as plain data that is still told apart', async () => {
  const { pool } = poolOf([row('A')])
  await attempt(pool, 'A', 429)
  const error = await rejected(pool.acquire({ provider: PROVIDER }))
  for (const data of [structuredClone(error.toJSON()), JSON.parse(JSON.stringify(error))]) {
    expect(isKeyrotaError(data)).toBe(true)
    expect(isKeyrotaError(data, 'no_credential_available')).toBe(true)
    expect(isKeyrotaError(data, 'disposed')).toBe(false)
    expect(data).toMatchObject({ retryAfterMs: MINUTE, provider: PROVIDER, message: error.message })
    expect(data.explanation.candidates).toMatchObject([{ id: 'A', reason: 'cooling' }])
    expect(data).not.toHaveProperty('stack')
  }
  expect(isKeyrotaError(error, 'no_credential_available')).toBe(true)
  for (const other of [null, undefined, 'KeyrotaError', new Error('x'), { code: 'disposed' }, {}]) {
    expect(isKeyrotaError(other)).toBe(false)
  }
})

test('a class of the service is one with that of the pool', () => {
  expect(everythingShownOf(ApiKeyPoolService).length).toBeGreaterThan(0)
  expect(new keyrota.KeyrotaError('disposed', 'x')).toBeInstanceOf(Error)
})
