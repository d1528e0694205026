// What a lease is ended with: a Response, what an SDK threw, or plain facts.

import type { KeyPool, Lease, Verdict } from 'keyrota'
import { afterEach, expect, test, vi } from 'vitest'
import { PROVIDER, poolOf, rows, statusOf, take } from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'
import {
  type Answer,
  aiSdkError,
  anthropicError,
  axiosError,
  googleError,
  openAiAbort,
  openAiConnection,
  openAiError,
  openAiTimeout,
} from './support/sdk-errors.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Bodies of errors as the providers document them. */
const DEAD_KEY = { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }
const NO_MONEY = {
  error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' },
}

function leaseOn(dialect = PROVIDER): { pool: KeyPool; lease: Lease } {
  const { pool } = poolOf(rows('A', 'B'), { dialect })
  return { pool, lease: take(pool, { model: 'm' }) }
}

async function reported(outcome: unknown, dialect = PROVIDER): Promise<Verdict> {
  return leaseOn(dialect).lease.report(outcome)
}

function json(body: object, status = 200, headers: Record<string, string> = {}): Response {
  const all = { 'content-type': 'application/json', ...headers }
  return new Response(JSON.stringify(body), { status, headers: all })
}

/** A response whose body comes when the test says so. */
function streamed(type: string, status = 200) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const pulled = vi.fn()
  const source = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given
      },
      pull: pulled,
    },
    { highWaterMark: 0 },
  )
  const response = new Response(source, { status, headers: { 'content-type': type } })
  const send = (text: string) => controller.enqueue(new TextEncoder().encode(text))
  return {
    response,
    send,
    end: () => controller.close(),
    fail: () => controller.error('cut'),
    pulled,
  }
}

test('the body of an error is read from a clone: the caller still has his own', async () => {
  const response = json(DEAD_KEY, 401)
  expect(await reported(response)).toMatchObject({ class: 'auth_failed', disable: true })
  expect(response.bodyUsed).toBe(false)
  expect(await response.json()).toEqual(DEAD_KEY)
})

test('an error that hides in a 200 of plain JSON is found', async () => {
  const { pool, lease } = leaseOn()
  const response = json(NO_MONEY)
  expect(await lease.report(response)).toMatchObject({ class: 'quota_exhausted' })
  expect(statusOf(pool, 'A')).toMatchObject({ successes: 0, failures: 1 })
  expect(await response.json()).toEqual(NO_MONEY)
})

test('a 200 of plain JSON that is no error is a success', async () => {
  const { pool, lease } = leaseOn()
  expect(await lease.report(json({ choices: [] }))).toMatchObject({ class: 'ok' })
  expect(statusOf(pool, 'A')).toMatchObject({ successes: 1, inFlight: 0 })
})

test.each(['text/event-stream', 'text/event-stream; charset=utf-8', 'application/x-ndjson'])(
  'a stream of %s settles on its headers, and not a byte of it is read',
  async (type) => {
    const { response, pulled } = streamed(type)
    expect(await reported(response)).toMatchObject({ class: 'ok' })
    expect(pulled).not.toHaveBeenCalled()
    expect(response.body?.locked).toBe(false)
  },
)

test('a success that is no JSON is not read', async () => {
  const { response, pulled } = streamed('audio/mpeg')
  expect(await reported(response)).toMatchObject({ class: 'ok' })
  expect(pulled).not.toHaveBeenCalled()
})

test.each<[string, (response: Response) => unknown]>([
  ['was read before', (response) => response.text()],
  ['is being read', (response) => response.body?.getReader()],
])('a response whose body %s is judged by its status and headers', async (_, use) => {
  const response = json(DEAD_KEY, 401, { 'retry-after': '7' })
  await use(response)
  expect(await reported(response)).toMatchObject({
    class: 'auth_failed',
    disable: false,
    waitMs: 7_000,
    evidence: 'status',
  })
})

test('a response without a body is judged by its status', async () => {
  expect(await reported(new Response(null, { status: 401 }))).toMatchObject({
    class: 'auth_failed',
  })
})

test('at most 64 KB of an error are read; the rest is let go', async () => {
  const { response, send, pulled } = streamed('application/json', 401)
  const verdict = reported(response)
  send(`${JSON.stringify(DEAD_KEY).slice(0, -1)},"pad":"`)
  for (let kilobytes = 0; kilobytes < 64; kilobytes++) send('x'.repeat(1_024))
  expect(await verdict).toMatchObject({ class: 'auth_failed', disable: true })
  expect(pulled.mock.calls.length).toBeLessThan(100)
})

test('a body that breaks off is judged by what came', async () => {
  const { response, send, fail } = streamed('application/json', 401)
  const verdict = reported(response)
  send(JSON.stringify(DEAD_KEY))
  await settle()
  fail()
  expect(await verdict).toMatchObject({ class: 'auth_failed', disable: true })
})

test('a body that stalls is judged after five seconds by what came', async () => {
  vi.useFakeTimers()
  const { response, send } = streamed('application/json', 429)
  const { pool, lease } = leaseOn()
  let verdict: Verdict | undefined
  void lease.report(response).then((told) => {
    verdict = told
  })
  send('{"error":{"code":"insufficient_quota"')
  await vi.advanceTimersByTimeAsync(4_999)
  expect(verdict).toBeUndefined()
  expect(statusOf(pool, 'A').inFlight).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(verdict).toMatchObject({ class: 'quota_exhausted' })
  expect(statusOf(pool, 'A').inFlight).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
})

test('no timer is left when a body came in time', async () => {
  vi.useFakeTimers()
  await reported(json(DEAD_KEY, 401))
  expect(vi.getTimerCount()).toBe(0)
})

test('a second report while the body is read is the same report', async () => {
  const { pool, lease } = leaseOn()
  const first = lease.report(json(NO_MONEY, 429))
  const second = lease.report({ status: 200 })
  expect(await second).toBe(await first)
  expect(statusOf(pool, 'A')).toMatchObject({ successes: 0, failures: 1 })
})

test('a pool that is disposed while a body is read tells so, and nothing breaks', async () => {
  const { pool, lease } = leaseOn()
  const verdict = lease.report(json(NO_MONEY, 429))
  pool.dispose()
  await expect(verdict).rejects.toMatchObject({ code: 'disposed' })
})

test("a response of node-fetch, whose body is Node's, is judged by status and headers", async () => {
  const body = { pipe: () => {}, on: () => {} }
  const headers = new Headers({ 'retry-after': '7' })
  const response = { status: 429, bodyUsed: false, body, headers, clone: () => response }
  expect(await reported(response)).toMatchObject({ class: 'rate_limited', waitMs: 7_000 })
  const undici = { statusCode: 429, headers: { 'retry-after': '7' }, body }
  expect(await reported(undici)).toMatchObject({ class: 'rate_limited', waitMs: 7_000 })
})

test('bodies of plain facts may be text, bytes or objects', async () => {
  const text = JSON.stringify(DEAD_KEY)
  for (const body of [DEAD_KEY, text, new TextEncoder().encode(text), Buffer.from(text)]) {
    expect(await reported({ status: 401, body })).toMatchObject({ disable: true })
  }
  const circle: { self?: unknown } = {}
  circle.self = circle
  expect(await reported({ status: 401, body: circle })).toMatchObject({ disable: false })
})

test('a key that is a mere placeholder takes nothing out of an answer', async () => {
  for (const secret of ['x', 'none', 'retry', 'error', 'EMPTY']) {
    const { pool } = poolOf([{ id: 'A', secret }], { dialect: 'openai' })
    const headers = { 'retry-after': '7', 'x-ratelimit-remaining-requests': '0' }
    const outcome = { status: 429, headers, body: NO_MONEY }
    expect(await take(pool).report(outcome)).toMatchObject({ class: 'quota_exhausted' })
    const limit = { status: 429, headers }
    expect(await pool.probe('A', () => limit)).toMatchObject({ waitMs: 7_000 })
  }
})

test('headers that are a broken list are read as far as they are pairs', async () => {
  for (const headers of [
    [5, ['retry-after', '7']],
    [null, ['Retry-After', '7']],
  ]) {
    expect(await reported({ status: 429, headers })).toMatchObject({ waitMs: 7_000 })
  }
})

const RATE_LIMIT = { 'retry-after': '7' }

test.each<[string, string, (answer: Answer) => Error, Answer, Partial<Verdict>]>([
  [
    'OpenAI',
    'openai',
    openAiError,
    { status: 401, body: DEAD_KEY },
    { class: 'auth_failed', disable: true, evidence: 'code' },
  ],
  [
    'OpenAI',
    'openai',
    openAiError,
    { status: 429, headers: RATE_LIMIT, body: NO_MONEY },
    { class: 'quota_exhausted', evidence: 'code' },
  ],
  [
    'OpenAI',
    'openai',
    openAiError,
    { status: 429, headers: RATE_LIMIT, body: { error: { code: 'rate_limit_exceeded' } } },
    { class: 'rate_limited', waitMs: 7_000 },
  ],
  [
    'Anthropic',
    'anthropic',
    anthropicError,
    {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    },
    { class: 'quota_exhausted', scope: 'account', evidence: 'sentence' },
  ],
  [
    'Anthropic',
    'anthropic',
    anthropicError,
    {
      status: 401,
      body: {
        type: 'error',
        error: { type: 'authentication_error', message: 'invalid x-api-key' },
      },
    },
    { class: 'auth_failed', disable: true },
  ],
  [
    'Anthropic',
    'anthropic',
    anthropicError,
    {
      status: 529,
      headers: RATE_LIMIT,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    },
    { class: 'overloaded', waitMs: 7_000 },
  ],
  [
    'Google',
    'gemini',
    googleError,
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
          ],
        },
      },
    },
    { class: 'auth_failed', disable: true },
  ],
  [
    'Google',
    'gemini',
    googleError,
    {
      status: 429,
      body: {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota.',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
              violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier' }],
            },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '41s' },
          ],
        },
      },
    },
    { class: 'rate_limited', scope: 'model', waitMs: 41_000 },
  ],
  [
    'the AI SDK',
    'openai',
    aiSdkError,
    { status: 401, body: DEAD_KEY },
    { class: 'auth_failed', disable: true },
  ],
  [
    'the AI SDK',
    'openai',
    aiSdkError,
    { status: 429, headers: RATE_LIMIT, body: { error: { code: 'rate_limit_exceeded' } } },
    { class: 'rate_limited', waitMs: 7_000 },
  ],
  [
    'axios',
    'openai',
    axiosError,
    { status: 401, body: DEAD_KEY },
    { class: 'auth_failed', disable: true },
  ],
  [
    'axios',
    'openai',
    axiosError,
    { status: 503, headers: RATE_LIMIT, body: {} },
    { class: 'overloaded', scope: 'provider', waitMs: 7_000 },
  ],
])('an error of %s says what the response said (%s)', async (_, dialect, make, answer, told) => {
  const fromError = await reported(make(answer), dialect)
  expect(fromError).toMatchObject(told)
  const { status, body, headers = {} } = answer
  expect(fromError).toEqual(await reported(json(body, status, headers), dialect))
})

test.each<[string, () => Error, string, boolean]>([
  ['a refused connection', () => openAiConnection(coded('ECONNREFUSED')), 'server_error', true],
  ['a broken connection', () => openAiConnection(coded('ECONNRESET')), 'unknown_outcome', true],
  ['no answer in time', openAiTimeout, 'unknown_outcome', true],
  ['an abort by the user', openAiAbort, 'client_aborted', false],
  ['an abort of axios', () => coded('ERR_CANCELED', 'CanceledError'), 'client_aborted', false],
  ['a time-out of axios', () => coded('ECONNABORTED', 'AxiosError'), 'unknown_outcome', true],
])('%s, as its SDK throws it, is read by its kind', async (_, make, kind, retryOther) => {
  expect(await reported(make())).toMatchObject({ class: kind, retryOther, disable: false })
})

function coded(code: string, name = 'Error'): Error {
  return Object.assign(new Error(code), { code, name })
}

test('the credential rests before the report is awaited when nothing is to be read', () => {
  const { pool, lease } = leaseOn()
  void lease.report({ status: 401 })
  expect(statusOf(pool, 'A').state).toBe('cooling')
})

test('a report that comes while the provider is invalidated still counts', async () => {
  const { pool, lease } = leaseOn()
  const gate = deferred<void>()
  const report = gate.promise.then(() => lease.report(json(DEAD_KEY, 401)))
  pool.invalidate(PROVIDER)
  gate.resolve()
  expect(await report).toMatchObject({ disable: true })
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').by).toBe('verdict')
})
