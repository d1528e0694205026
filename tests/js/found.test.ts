// Faults that were found by trying to break the package, each as the rule that it broke.

import { classify, KeyPool, type Lease } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'
import { APIUserAbortError } from 'openai'
import { expect, test, vi } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'

const row = (id: string) => ({ id, secret: `sk-${id}` })

test('a snapshot restored before the first load leaves every provider its own options', async () => {
  const options = {
    load: (provider: string) => [row(provider), row(`${provider}-2`)],
    providers: { b: { policy: 'classic', strategy: 'fill-first' } },
  } as const
  const one = new KeyPool(options)
  await one.load('x')
  await one.load('b')
  const two = new KeyPool(options)
  two.restore(JSON.parse(JSON.stringify(one.snapshot())))
  await two.load('b')
  const lease = await two.acquire({ provider: 'b' })
  expect((await lease.report({ status: 401 })).disable).toBe(true)
  two.reset('b')
  two.enable('b')
  two.invalidate()
  two.dispose()
})

test("an abort that the openai SDK tells is the caller's own, and is not repeated", async () => {
  const pool = new KeyPool({ credentials: { a: ['x', 'y', 'z'] } })
  let attempts = 0
  const running = pool.run({ provider: 'a', idempotent: true }, () => {
    attempts++
    throw new APIUserAbortError()
  })
  await expect(running).rejects.toThrow('aborted')
  expect(attempts).toBe(1)
  expect(pool.status('a').map(({ failures }) => failures)).toEqual([0, 0, 0])
})

test('what time will not change comes before a cooldown in an explanation', async () => {
  const pool = new KeyPool({ credentials: { a: [row('x'), { ...row('z'), models: ['m'] }] } })
  for (const id of ['x', 'z']) {
    const lease = await pool.acquire({ provider: 'a', tried: id === 'x' ? ['z'] : ['x'] })
    await lease.report({ status: 429 })
  }
  const { candidates, retryAfterMs } = pool.explain({ provider: 'a', tried: ['x'], model: 'q' })
  expect(candidates.map(({ reason }) => reason)).toEqual(['already_tried', 'model_not_exposed'])
  expect(retryAfterMs).toBeNull()
})

test('credentials that failed long ago and left the rows are forgotten', async () => {
  const clock = new FakeClock()
  let number = 0
  const pool = new KeyPool({ now: clock.now, load: () => [row(`k${number}`)] })
  for (number = 0; number < 3_000; number++) {
    const lease = await pool.acquire({ provider: 'a' })
    await lease.report({ status: 429 })
    clock.pass(60 * MINUTE)
    pool.invalidate()
  }
  const { providers } = pool.snapshot() as unknown as { providers: { credentials: unknown[] }[] }
  expect(providers[0]?.credentials.length).toBeLessThan(1_500)
})

test('run ends its lease when the report fails', async () => {
  let now = 1e12
  const pool = new KeyPool({ now: () => now, credentials: { a: ['x', 'y'] } })
  const answer = await pool.run({ provider: 'a' }, () => {
    now = Number.NaN
    return { status: 429 }
  })
  now = 1e12
  expect(answer).toEqual({ status: 429 })
  expect(pool.status('a').map(({ inFlight }) => inFlight)).toEqual([0, 0])
})

test('an outcome that cannot be read is a rejection, and the lease goes on', async () => {
  const pool = new KeyPool({ credentials: { a: ['x'] } })
  const lease = await pool.acquire({ provider: 'a' })
  const outcome = {
    get status(): number {
      throw new Error('unreadable')
    },
  }
  await expect(lease.report(outcome)).rejects.toThrow('unreadable')
  expect(await lease.report({ status: 200 })).toMatchObject({ class: 'ok' })
})

test('run hands back the answer it has when the reload for another attempt fails', async () => {
  let loads = 0
  const pool = new KeyPool({
    load: () => {
      if (loads++ > 0) throw new Error('the database is gone')
      return [row('x'), row('y')]
    },
  })
  const answer = await pool.run({ provider: 'a' }, () => {
    pool.invalidate()
    return { status: 429 }
  })
  expect(answer).toEqual({ status: 429 })
})

test('a loader that invalidates what it loads is told, not repeated for ever', async () => {
  const pool: KeyPool = new KeyPool({
    load: async (provider) => {
      pool.invalidate(provider)
      return [row('x')]
    },
  })
  await expect(pool.load('a')).rejects.toMatchObject({ code: 'load_failed' })
  const service: ApiKeyPoolService = new ApiKeyPoolService({
    loadKeys: async (providerId) => {
      service.invalidateCache(providerId)
      return []
    },
    disableKey: async () => true,
  })
  await expect(service.getKey('a')).rejects.toMatchObject({ code: 'load_failed' })
  service.dispose()
})

test('a lease keeps the credential and the secret that it was granted', async () => {
  let rows = [row('first')]
  const pool = new KeyPool({ load: () => rows })
  const lease = await pool.acquire({ provider: 'a' })
  await lease.report({ status: 200 })
  rows = [{ id: 'first', secret: 'sk-replaced' }]
  pool.invalidate()
  await pool.load('a')
  for (let round = 1; round < 4; round++) {
    rows = Array.from({ length: 1_100 * round }, (_, at) => row(`r${round}-${at}`))
    pool.invalidate()
    await pool.load('a')
  }
  expect([lease.credential.id, lease.secret]).toEqual(['first', 'sk-first'])
})

test('options that call the pool while they are read do no harm', () => {
  let pool: KeyPool | undefined
  const cooldown = {
    get baseMs(): number {
      pool?.tryAcquire({ provider: 'other' })
      return 1_000
    },
  }
  pool = new KeyPool({ load: () => [], providers: { y: { cooldown } } })
  expect(pool.explain({ provider: 'y' }).loaded).toBe(false)
})

test('the service takes no status that is none', async () => {
  const service = new ApiKeyPoolService({
    loadKeys: async () => [{ id: 'k', providerId: 'a', apiKey: 'sk', enabled: true, weight: 1 }],
    disableKey: async () => true,
  })
  await service.getKeyForSession('a', 's')
  for (const status of [65_965, '429', Number.NaN]) {
    expect(await service.reportError('a', 's', status as number)).toBeNull()
  }
  expect(await service.getKeyForSession('a', 's')).toBe('sk')
  service.dispose()
})

test('a misspelt field of a call is named', async () => {
  const pool = new KeyPool({ credentials: { a: ['x'] } })
  const unknown = { code: 'unknown_option', nearest: 'session' }
  await expect(pool.acquire({ provider: 'a', sesion: 's' } as never)).rejects.toMatchObject(unknown)
  await expect(pool.run({ provider: 'a', sesion: 's' } as never, () => 1)).rejects.toMatchObject(
    unknown,
  )
  for (const call of [
    () => pool.acquire(undefined as never),
    () => pool.run({ provider: 'a' }, undefined as never),
    () => pool.acquire({ provider: 'a', signal: {} as never }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'invalid_option' })
  }
  expect(pool.status('a')).toMatchObject([{ inFlight: 0, picks: 0 }])
})

test('the answers that run throws away give their connections back', async () => {
  const pool = new KeyPool({ credentials: { a: ['x', 'y'] } })
  const cancelled: number[] = []
  const answer = await pool.run({ provider: 'a' }, (_, attempt) => {
    const body = new ReadableStream({ cancel: () => void cancelled.push(attempt) })
    return new Response(body, { status: attempt === 1 ? 429 : 200 })
  })
  expect([answer.status, cancelled]).toEqual([200, [1]])
})

test('the provider-level key may be a reference to the environment', async () => {
  process.env['KEYROTA_TEST_FALLBACK'] = 'sk-from-environment'
  const pool = new KeyPool({ load: () => [], fallbackSecret: () => '$KEYROTA_TEST_FALLBACK' })
  expect((await pool.acquire({ provider: 'a' })).secret).toBe('sk-from-environment')
  Reflect.deleteProperty(process.env, 'KEYROTA_TEST_FALLBACK')
  const other = new KeyPool({ load: () => [], fallbackSecret: () => '$KEYROTA_TEST_FALLBACK' })
  await expect(other.acquire({ provider: 'a' })).rejects.toThrow('KEYROTA_TEST_FALLBACK')
})

const LONG = JSON.stringify({ data: 'x'.repeat(100_000) })

test('a success that is longer than what is read of it is a success', async () => {
  const bytes = new TextEncoder().encode(LONG)
  for (const body of [LONG, bytes, bytes.buffer, JSON.parse(LONG)]) {
    expect(classify({ provider: 'openai', status: 200, body }).class).toBe('ok')
  }
  expect(classify({ provider: 'openai', status: 200, body: LONG.slice(0, -9) }).class).toBe('ok')
  const torn = '{"choices": [{"mess'
  expect(classify({ provider: 'openai', status: 200, body: torn }).class).toBe('unknown_outcome')
  const pool = new KeyPool({ credentials: { a: ['x', 'y'] } })
  const headers = { 'content-type': 'application/json' }
  const call = vi.fn(() => new Response(LONG, { headers }))
  const answer = await pool.run({ provider: 'a', idempotent: true }, call)
  expect([call.mock.calls.length, await answer.text()]).toEqual([1, LONG])
  expect(pool.status('a').map(({ successes }) => successes)).toEqual([1, 0])
})

test('a success whose body is late is no failure', async () => {
  vi.useFakeTimers()
  try {
    const pool = new KeyPool({ credentials: { a: ['x', 'y'] } })
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('\n')),
    })
    const call = vi.fn(
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
    )
    const answer = pool.run({ provider: 'a', idempotent: true }, call)
    await vi.advanceTimersByTimeAsync(10_000)
    expect([(await answer).status, call.mock.calls.length]).toEqual([200, 1])
    expect(pool.status('a')[0]).toMatchObject({ successes: 1, inFlight: 0 })
  } finally {
    vi.useRealTimers()
  }
})

test('a request does not wait for a new secret while another credential can serve', async () => {
  const pool = new KeyPool({
    credentials: { a: [{ ...row('old'), refreshable: true }, row('healthy')] },
    refresh: () => new Promise<string>(() => {}),
  })
  const call = ({ credential }: Lease) => ({ status: credential.id === 'old' ? 401 : 200 })
  expect(await pool.run({ provider: 'a' }, call)).toEqual({ status: 200 })
})

test('a wait for a new secret ends with the signal, and with the pool', async () => {
  for (const end of ['abort', 'dispose'] as const) {
    const controller = new AbortController()
    const pool = new KeyPool({
      credentials: { a: [{ ...row('old'), refreshable: true }] },
      refresh: () => {
        queueMicrotask(() => (end === 'abort' ? controller.abort('mine') : pool.dispose()))
        return new Promise<string>(() => {})
      },
    })
    const { signal } = controller
    const call = () => ({ status: 401 })
    const run = pool.run({ provider: 'a', signal }, call)
    if (end === 'abort') await expect(run).rejects.toBe('mine')
    else expect(await run).toEqual({ status: 401 })
  }
})

test('a secret that was renewed outlives a load of the options', async () => {
  const pool = new KeyPool({
    credentials: { a: [{ ...row('oauth'), refreshable: true }] },
    refresh: () => 'token-2',
  })
  const first = await pool.acquire({ provider: 'a' })
  await first.report({ status: 401 })
  await new Promise((resolve) => setImmediate(resolve))
  pool.invalidate()
  expect((await pool.acquire({ provider: 'a' })).secret).toBe('token-2')
})

test('what was told after content is not tried elsewhere', async () => {
  const pool = new KeyPool({ credentials: { a: ['x', 'y'] } })
  const call = vi.fn(() => ({ status: 529, phase: 'after_content' }))
  await pool.run({ provider: 'a' }, call)
  expect(call).toHaveBeenCalledTimes(1)
  const lease = await pool.acquire({ provider: 'a', maxWaitMs: 1_000 })
  const refused = { networkCode: 'ECONNREFUSED', phase: 'before_send' }
  expect(await lease.report(refused)).toMatchObject({ class: 'server_error' })
})

test('a rule that says that a key is dead disables it, whatever the class', async () => {
  for (const kind of [
    'model_denied',
    'client_error',
    'over_key_limit',
    'egress_blocked',
  ] as const) {
    const pool = new KeyPool({
      credentials: { a: ['x', 'y'] },
      rules: [{ status: 418, effect: { class: kind, disable: true } }],
    })
    const lease = await pool.acquire({ provider: 'a', model: 'm' })
    expect(await lease.report({ status: 418 })).toMatchObject({ disable: true })
    expect(pool.status('a')[0]?.by, kind).toBe('verdict')
  }
  const rules = [{ status: 418, effect: { class: 'ok', disable: true } }] as const
  expect(() => classify({ provider: 'a', status: 418, rules })).toThrow('disable')
})

test.each([
  [
    'the AWS SDK',
    { name: 'ThrottlingException', message: 'slow', $metadata: { httpStatusCode: 429 } },
  ],
  ['got', { code: 'ERR_NON_2XX_3XX_RESPONSE', response: { statusCode: 429, body: '{}' } }],
  ['what gave up after several tries', { lastError: { statusCode: 429, responseBody: '{}' } }],
])('an error of %s is read', async (_, fields) => {
  const pool = new KeyPool({ credentials: { bedrock: ['x', 'y'] } })
  const call = vi.fn(({ credential }: Lease) => {
    if (credential.id === 'bedrock-2') return 'fine'
    throw Object.assign(new Error('…'), fields)
  })
  expect(await pool.run({ provider: 'bedrock' }, call)).toBe('fine')
  expect(pool.status('bedrock')[0]).toMatchObject({ cause: 'rate_limited', state: 'cooling' })
})

test('an error that carries the response is read with its body', async () => {
  const pool = new KeyPool({ credentials: { openai: ['x', 'y'] } })
  const lease = await pool.acquire({ provider: 'openai' })
  const body = JSON.stringify({ error: { code: 'invalid_api_key' } })
  const error = Object.assign(new Error('…'), { response: new Response(body, { status: 401 }) })
  expect((await lease.report(error)).disable).toBe(true)
})

test('a probe whose outcome cannot be read leaves no lease behind', async () => {
  const pool = new KeyPool({ credentials: { a: ['x'] } })
  await pool.load('a')
  const unreadable = {
    get status(): number {
      throw new Error('getter')
    },
  }
  const probe = pool.probe('a-1', () => {
    throw unreadable
  })
  await expect(probe).rejects.toThrow('getter')
  expect(pool.status('a')[0]?.inFlight).toBe(0)
})

test('several keys in one text are no key', () => {
  const wrong = { path: 'credentials.a[0].secret', rule: 'must be one key: it has a comma' }
  expect(() => new KeyPool({ credentials: { a: ['k1,k2'] } })).toThrow(
    expect.objectContaining(wrong),
  )
})

test('what was not read yet is no body', () => {
  for (const body of [new Response('{}'), new Blob(['{}'])]) {
    expect(() => classify({ provider: 'a', status: 401, body })).toThrow('must have been read')
  }
})
