import { type Credential, KeyPool, type KeyPoolOptions, type Lease } from 'keyrota'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MINUTE } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import { attempt as fail, PROVIDER, poolOf, row, rows, statusOf } from './support/pools.ts'

// Who waits, wakes at once, and finds that the time has passed.
beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 }).setTimerTickMode('nextTimerAsync')
})

afterEach(() => {
  vi.useRealTimers()
})

/** A pool on the faked system clock. */
function pooled(
  credentials: readonly Credential[],
  options: Partial<KeyPoolOptions> = {},
): KeyPool {
  return poolOf(credentials, { now: undefined, ...options }).pool
}

/** An upstream that gives each credential its answer, and writes down who came. */
function upstream(answers: Record<string, unknown>) {
  const seen: string[] = []
  const call = async (lease: Lease) => {
    seen.push(lease.credential.id)
    const answer = answers[lease.credential.id]
    if (answer instanceof Error) throw answer
    return typeof answer === 'number'
      ? new Response(`from ${lease.secret}`, { status: answer })
      : answer
  }
  return { seen, call }
}

function coded(code: string, more: object = {}): Error {
  return Object.assign(new Error(code), { code }, more)
}

/** As `fetch` throws it. */
function fetchFailed(code: string): Error {
  return new TypeError('fetch failed', { cause: coded(code) })
}

/** As the SDKs throw it when nobody answered. */
function sdkConnectionError(code: string): Error {
  const empty = { status: undefined, headers: undefined, error: undefined, code: undefined }
  return Object.assign(new Error('Connection error.', { cause: fetchFailed(code) }), empty)
}

/** As the SDKs throw what was answered. */
function sdkStatusError(status: number, headers = {}, said?: unknown): Error {
  const answered = { status, headers: new Headers(headers), error: said }
  return Object.assign(new Error(`${status} no`), answered)
}

test.each([401, 402, 403, 429, 500, 502, 503, 520, 529])(
  'after a %d the next credential is tried, and the caller sees its answer',
  async (status) => {
    // Reproducer for: https://github.com/CherryHQ/cherry-studio/issues/11411
    for (const answer of [status, sdkStatusError(status)]) {
      const pool = pooled(rows('A', 'B'))
      const { seen, call } = upstream({ A: answer, B: 200 })
      const response = await pool.run({ provider: PROVIDER, tried: [], idempotent: true }, call)
      expect((response as Response).status).toBe(200)
      expect(await (response as Response).text()).toBe('from sk-B')
      expect(seen).toEqual(['A', 'B'])
    }
  },
)

/** What OpenAI says to a request that is wrong. */
function openaiError(message: string): { error: object } {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } }
}

const NOT_FOUND = { type: 'error', error: { type: 'not_found_error', message: 'Not Found' } }

test.each<[number, string, string, object]>([
  [404, 'a wrong path', 'openai', openaiError('Invalid URL (POST /v1/v1/chat/completions)')],
  [404, 'a wrong path', 'anthropic', NOT_FOUND],
  [400, 'a wrong request', 'openai', openaiError("Missing required parameter: 'messages'.")],
  [400, 'nothing more', 'openai', {}],
  [404, 'nothing more', 'openai', {}],
  [413, 'nothing more', 'openai', {}],
  [422, 'nothing more', 'openai', {}],
])(
  'a %d that says %s of %s is tried once: no other key would help',
  async (status, _, dialect, body) => {
    // Reproducer for: https://github.com/tbphp/gpt-load/issues/319
    const { pool } = poolOf(rows('A', 'B', 'C'), { dialect })
    const { seen, call } = upstream({ A: Response.json(body, { status }), B: 200, C: 200 })
    expect(((await pool.run({ provider: PROVIDER }, call)) as Response).status).toBe(status)
    expect(seen).toEqual(['A'])
    // OpenAI's SDK keeps the error of a body, Anthropic's all of it.
    const said = dialect === 'openai' && 'error' in body ? body.error : body
    const error = sdkStatusError(status, {}, said)
    const thrower = vi.fn(() => Promise.reject(error))
    await expect(pool.run({ provider: PROVIDER }, thrower)).rejects.toBe(error)
    expect(thrower).toHaveBeenCalledTimes(1)
    for (const key of pool.status(PROVIDER)) {
      expect(key).toMatchObject({ state: 'available', level: 0, failures: 0, models: [] })
    }
  },
)

test('each credential is tried once, however many attempts are left', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/2899
  const { pool } = poolOf(rows('A', 'B', 'C'), { strategy: 'fill-first' })
  const { seen, call } = upstream({ A: 402, B: 401, C: 429 })
  const response = await pool.run({ provider: PROVIDER, maxAttempts: 50 }, call)
  expect((response as Response).status).toBe(429)
  expect(seen).toEqual(['A', 'B', 'C'])
})

test('one that was not to blame is tried once more when nobody else is left', async () => {
  const pool = pooled(rows('A', 'B', 'C'), { strategy: 'fill-first' })
  const { seen, call } = upstream({ A: 500, B: 401, C: 429 })
  const response = await pool.run({ provider: PROVIDER, maxAttempts: 50 }, call)
  expect((response as Response).status).toBe(500)
  expect(seen).toEqual(['A', 'B', 'C', 'A'])
})

test('a pool of one outlives a short failure of its provider', async () => {
  const began = Date.now()
  const pool = pooled(rows('A'))
  let count = 0
  const response = await pool.run({ provider: PROVIDER }, () => {
    count += 1
    return { status: count === 1 ? 503 : 200 }
  })
  expect(response).toEqual({ status: 200 })
  expect(count).toBe(2)
  // The pause of 250 ms, its jitter and the spread.
  expect(Date.now() - began).toBeGreaterThanOrEqual(250)
  expect(Date.now() - began).toBeLessThanOrEqual(250 * 1.1 * 1.1 + 2)
})

test('a computed pause of the provider is waited out, unless a request says how long it waits', async () => {
  const pool = pooled(rows('A', 'B', 'C'))
  await fail(pool, 'A', 503)
  const call = vi.fn(() => ({ status: 200 }))
  const error = await rejected(pool.run({ provider: PROVIDER, maxWaitMs: 0 }, call))
  expect(error.code).toBe('no_credential_available')
  expect(error.retryAfterMs).toBeLessThanOrEqual(275)
  expect(call).not.toHaveBeenCalled()
  expect(await pool.run({ provider: PROVIDER }, call)).toEqual({ status: 200 })
})

test('a stated pause that is longer than 2.5 s ends the request with the answer', async () => {
  const pool = pooled(rows('A', 'B'))
  const answers: number[] = []
  const response = await pool.run({ provider: PROVIDER }, () => {
    answers.push(503)
    return { status: 503, headers: { 'retry-after': '3' } }
  })
  expect(response).toMatchObject({ status: 503 })
  expect(answers).toHaveLength(1)
})

test('all healthy credentials are reached', async () => {
  // Reproducer for: https://github.com/maximhq/bifrost/issues/5876
  const { pool } = poolOf(rows('A', 'B', 'C', 'D'), { strategy: 'fill-first' })
  const { seen, call } = upstream({ A: 429, B: 429, C: 429, D: 200 })
  expect(((await pool.run({ provider: PROVIDER }, call)) as Response).status).toBe(200)
  expect(seen).toEqual(['A', 'B', 'C', 'D'])
})

test('maxAttempts counts the first attempt; every credential is the default', async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `k${at}`)
  for (const [options, attempts] of [
    [{}, 12],
    [{ maxAttempts: 1 }, 1],
    [{ maxAttempts: 3 }, 3],
    [{ maxAttempts: Number.POSITIVE_INFINITY }, 12],
  ] as const) {
    const { pool } = poolOf(rows(...ids))
    const numbers: number[] = []
    const answer = await pool.run({ provider: PROVIDER, ...options }, (_, attempt) => {
      numbers.push(attempt)
      return { status: 429, attempt }
    })
    expect(answer).toEqual({ status: 429, attempt: attempts })
    expect(numbers).toEqual(Array.from({ length: attempts }, (_, at) => at + 1))
  }
})

test.each([0, -1, Number.NaN, 'many', null])('maxAttempts may not be %j', async (maxAttempts) => {
  const { pool } = poolOf(rows('A'))
  const run = pool.run({ provider: PROVIDER, maxAttempts: maxAttempts as number }, () => 1)
  expect(await rejected(run)).toMatchObject({ code: 'invalid_option', path: 'maxAttempts' })
})

test('what the last upstream said is handed back, not that nobody is left', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const last = sdkStatusError(429)
  const { call } = upstream({ A: sdkStatusError(402), B: last })
  await expect(pool.run({ provider: PROVIDER }, call)).rejects.toBe(last)
  const again = await rejected(pool.run({ provider: PROVIDER }, call))
  expect(again).toMatchObject({ code: 'no_credential_available', retryAfterMs: MINUTE })
})

test('an answer without a status is a success', async () => {
  const { pool } = poolOf(rows('A'))
  for (const value of [{ id: 'resp', status: 'completed' }, 'text', undefined, null, 0, false]) {
    expect(await pool.run({ provider: PROVIDER }, () => value)).toBe(value)
  }
  expect(statusOf(pool, 'A')).toMatchObject({ successes: 6, failures: 0, inFlight: 0 })
})

test('an unknown outcome is repeated only if the request is idempotent', async () => {
  const dropped = [fetchFailed('ECONNRESET'), sdkConnectionError('UND_ERR_SOCKET')]
  for (const error of [...dropped, sdkStatusError(408), sdkStatusError(504)]) {
    const { pool } = poolOf(rows('A', 'B'))
    const once = upstream({ A: error, B: 200 })
    await expect(pool.run({ provider: PROVIDER }, once.call)).rejects.toBe(error)
    expect(once.seen).toEqual(['A'])
    const twice = upstream({ A: 200, B: error })
    const run = pool.run({ provider: PROVIDER, idempotent: true }, twice.call)
    expect(((await run) as Response).status).toBe(200)
    expect(twice.seen).toEqual(['B', 'A'])
  }
})

test.each([
  ['as it comes from the system', coded('ECONNREFUSED')],
  ['as fetch throws it', fetchFailed('ECONNREFUSED')],
  ['as an SDK throws it', sdkConnectionError('ECONNREFUSED')],
  ['with two addresses', new TypeError('x', { cause: aggregate('ECONNREFUSED') })],
  ['a name that is unknown', sdkConnectionError('ENOTFOUND')],
  ['a connection that took too long', sdkConnectionError('UND_ERR_CONNECT_TIMEOUT')],
])('a refused connection always fails over: %s', async (_, error) => {
  for (const policy of ['adaptive', 'classic'] as const) {
    const pool = pooled(rows('A', 'B'), { policy })
    const { seen, call } = upstream({ A: error, B: 200 })
    expect(((await pool.run({ provider: PROVIDER }, call)) as Response).status).toBe(200)
    expect(seen).toEqual(['A', 'B'])
    expect(statusOf(pool, 'A').state, 'no key is to blame').toBe('available')
  }
})

function aggregate(code: string): Error {
  return Object.assign(new AggregateError([coded(code), coded(code)]), { code })
}

test("the caller's own abort ends the request at once and blames nobody", async () => {
  const { pool } = poolOf(rows('A', 'B'))
  for (const error of [
    new DOMException('This operation was aborted', 'AbortError'),
    Object.assign(new Error('Request was aborted.'), { name: 'APIUserAbortError' }),
  ]) {
    const { seen, call } = upstream({ A: error, B: error })
    await expect(pool.run({ provider: PROVIDER, idempotent: true }, call)).rejects.toBe(error)
    expect(seen).toHaveLength(1)
  }
  expect(pool.status(PROVIDER).map(({ failures }) => failures)).toEqual([0, 0])
})

test('a signal that aborts between two attempts ends the request with its reason', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const controller = new AbortController()
  const seen: string[] = []
  const run = pool.run({ provider: PROVIDER, signal: controller.signal }, (lease) => {
    seen.push(lease.credential.id)
    controller.abort(new Error('mine'))
    return { status: 429 }
  })
  await expect(run).rejects.toThrow('mine')
  expect(seen).toEqual(['A'])
  expect(statusOf(pool, 'A').state).toBe('cooling')
  const late = pool.run({ provider: PROVIDER, signal: AbortSignal.abort() }, () => 1)
  await expect(late).rejects.toThrow(DOMException)
})

test('a session goes where its request was served in the end', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const { call } = upstream({ A: 429, B: 200 })
  await pool.run({ provider: PROVIDER, session: 's' }, call)
  expect(pool.explain({ provider: PROVIDER, session: 's' }).choice).toBe('B')
})

test("the caller's own report counts, and a release stops the request", async () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const reported: string[] = []
  await pool.run({ provider: PROVIDER }, async (lease) => {
    reported.push(lease.credential.id)
    await lease.report({ status: lease.credential.id === 'A' ? 429 : 200 })
    return 'done'
  })
  expect(reported).toEqual(['A', 'C'])
  const released: string[] = []
  const run = pool.run({ provider: PROVIDER }, (lease) => {
    released.push(lease.credential.id)
    lease.release()
    throw new Error('mine')
  })
  await expect(run).rejects.toThrow('mine')
  expect(released).toHaveLength(1)
  expect(pool.status(PROVIDER).map(({ inFlight }) => inFlight)).toEqual([0, 0, 0])
})

test.each([undefined, null, 'text', 7, Symbol('thrown')])(
  'whatever is thrown is handed back as it is: %s',
  async (value) => {
    const { pool } = poolOf(rows('A', 'B'))
    let count = 0
    const run = pool.run({ provider: PROVIDER }, () => {
      count += 1
      throw value
    })
    await expect(run).rejects.toBe(value)
    expect(count).toBe(1)
    expect(statusOf(pool, 'A').inFlight).toBe(0)
  },
)

test('without any credential the refusal is the error, and nothing was attempted', async () => {
  const { pool } = poolOf([])
  const call = vi.fn()
  const error = await rejected(pool.run({ provider: PROVIDER }, call))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  expect(call).not.toHaveBeenCalled()
})

test('what was tried before is not tried again', async () => {
  const tried = ['B']
  for (const [status, expected] of [
    [429, ['A', 'C']],
    // Who was not to blame gets a second chance, but none whom the caller passes over.
    [500, ['A', 'C', 'A', 'C']],
  ] as const) {
    const pool = pooled(rows('A', 'B', 'C'), { strategy: 'fill-first' })
    const { seen, call } = upstream({ A: status, B: status, C: status })
    await pool.run({ provider: PROVIDER, tried }, call)
    expect(seen).toEqual(expected)
  }
  expect(tried, "the caller's list is his").toEqual(['B'])
})

test('the next request passes over who failed, and takes him back in time', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'))
  await fail(pool, 'A', 429)
  const { seen, call } = upstream({ A: 200, B: 200 })
  await pool.run({ provider: PROVIDER }, call)
  clock.pass(MINUTE)
  await pool.run({ provider: PROVIDER }, call)
  await pool.run({ provider: PROVIDER }, call)
  expect(new Set(seen)).toEqual(new Set(['A', 'B']))
  expect(seen[0]).toBe('B')
})

test('under classic a 401 disables, reloads and goes on with the next', async () => {
  const loads: string[] = []
  const off = new Set<string>()
  const pool = new KeyPool({
    policy: 'classic',
    strategy: 'fill-first',
    load: (provider) => {
      loads.push(provider)
      return ['A', 'B', 'C'].map((id) => row(id, { enabled: !off.has(id) }))
    },
    disable: async (id) => {
      off.add(id)
      return true
    },
  })
  const { seen, call } = upstream({ A: 401, B: 403, C: 200 })
  expect(((await pool.run({ provider: PROVIDER }, call)) as Response).status).toBe(200)
  expect(seen).toEqual(['A', 'B', 'C'])
  expect(off).toEqual(new Set(['A', 'B']))
})

test('an answer is not lost when the pool was disposed or its clock failed meanwhile', async () => {
  const disposed = poolOf(rows('A'))
  const answer = { status: 429 }
  const run = disposed.pool.run({ provider: PROVIDER }, () => {
    disposed.pool.dispose()
    return answer
  })
  expect(await run).toBe(answer)

  const { pool, clock } = poolOf(rows('A', 'B'))
  const error = sdkStatusError(429)
  const failing = pool.run({ provider: PROVIDER }, () => {
    clock.at = Number.NaN
    throw error
  })
  await expect(failing).rejects.toBe(error)
})
