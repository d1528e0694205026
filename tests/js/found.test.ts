// Faults that were found by trying to break the package, each as the rule that it broke.

import { KeyPool } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'
import { APIUserAbortError } from 'openai'
import { expect, test } from 'vitest'
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
