import { expect, test } from 'vitest'
import { DAY } from './support/clock.ts'
import { poolOf, rows, statusOf, take } from './support/pools.ts'

type Told = [
  status: number,
  verdict: string,
  scope: string,
  retryOther: boolean,
  state: string,
  failures: number,
]

const ADAPTIVE: Told[] = [
  [200, 'ok', 'none', false, 'available', 0],
  [204, 'ok', 'none', false, 'available', 0],
  [304, 'ok', 'none', false, 'available', 0],
  [400, 'client_error', 'request', false, 'available', 0],
  [401, 'auth_failed', 'credential', true, 'cooling', 1],
  [402, 'quota_exhausted', 'account', true, 'quota_exhausted', 1],
  [403, 'model_denied', 'credential', true, 'available', 1],
  [404, 'client_error', 'request', false, 'available', 0],
  [407, 'egress_blocked', 'egress', false, 'provider_paused', 0],
  [408, 'unknown_outcome', 'request', true, 'available', 0],
  [422, 'client_error', 'request', false, 'available', 0],
  [429, 'rate_limited', 'credential', true, 'cooling', 1],
  [451, 'egress_blocked', 'egress', false, 'provider_paused', 0],
  [500, 'server_error', 'provider', true, 'provider_paused', 0],
  [502, 'server_error', 'provider', true, 'provider_paused', 0],
  [503, 'overloaded', 'provider', true, 'provider_paused', 0],
  [504, 'unknown_outcome', 'request', true, 'available', 0],
  [520, 'unknown_outcome', 'provider', true, 'provider_paused', 0],
  [529, 'overloaded', 'provider', true, 'provider_paused', 0],
  [599, 'unknown_outcome', 'request', true, 'available', 0],
]

test.each(ADAPTIVE)(
  'adaptive reads %d as %s of scope %s',
  async (status, verdict, scope, retryOther, state, failures) => {
    const { pool } = poolOf(rows('A'))
    const told = await take(pool).report({ status })
    expect(told).toEqual({
      class: verdict,
      scope,
      retryOther,
      waitMs: null,
      waitFrom: null,
      evidence: 'status',
      disable: false,
    })
    expect(statusOf(pool, 'A')).toMatchObject({ state, failures })
  },
)

test.each<[number, string, string]>([
  [200, 'ok', 'available'],
  [400, 'client_error', 'available'],
  [401, 'auth_failed', 'credential_disabled'],
  [402, 'client_error', 'available'],
  [403, 'auth_failed', 'credential_disabled'],
  [404, 'client_error', 'available'],
  [429, 'rate_limited', 'cooling'],
  [500, 'server_error', 'available'],
  [503, 'server_error', 'available'],
  [529, 'rate_limited', 'cooling'],
])('classic reads %d as %s', async (status, verdict, state) => {
  const { pool } = poolOf(rows('A'), { policy: 'classic' })
  const headers = { 'retry-after': '5' }
  const told = await take(pool).report({ status, headers })
  expect(told).toMatchObject({ class: verdict, waitMs: null, disable: state.endsWith('disabled') })
  expect(statusOf(pool, 'A').state).toBe(state)
})

test.each<[string, string, boolean]>([
  ['ECONNREFUSED', 'server_error', true],
  ['CERT_HAS_EXPIRED', 'egress_blocked', false],
  ['ERR_TUNNEL_CONNECTION_FAILED', 'egress_blocked', false],
  ['ECONNRESET', 'unknown_outcome', true],
  ['TimeoutError', 'unknown_outcome', false],
  ['AbortError', 'client_aborted', false],
])(
  'classic reads the network code %s as %s and blames nobody',
  async (networkCode, kind, other) => {
    const { pool } = poolOf(rows('A'), { policy: 'classic' })
    const told = await take(pool).report({ networkCode })
    expect(told).toMatchObject({ class: kind, retryOther: other, disable: false })
    expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', failures: 0 })
  },
)

test('only classic disables by the status alone', async () => {
  for (const [policy, disable] of [
    ['classic', true],
    ['adaptive', false],
  ] as const) {
    const { pool } = poolOf(rows('A', 'B'), { policy })
    for (const status of [401, 403]) {
      expect((await take(pool).report({ status })).disable, policy).toBe(disable)
    }
  }
})

test.each<[Record<string, string>, number | null, string | null]>([
  [{ 'retry-after': '30' }, 30_000, 'header:retry-after'],
  [{ 'retry-after': '1.574' }, 1_574, 'header:retry-after'],
  [{ 'retry-after-ms': '1500' }, 1_500, 'header:retry-after-ms'],
  [{ 'retry-after-ms': '1500', 'retry-after': '30' }, 1_500, 'header:retry-after-ms'],
  [{ 'retry-after-ms': 'abc', 'retry-after': '30' }, 30_000, 'header:retry-after'],
  [{ 'Retry-After': '30' }, 30_000, 'header:retry-after'],
  [{ 'retry-after': ' 30 ' }, 30_000, 'header:retry-after'],
  [
    { 'retry-after': 'Tue, 02 Jan 2024 00:00:30 GMT', date: 'Tue, 02 Jan 2024 00:00:00 GMT' },
    30_000,
    'header:retry-after',
  ],
  [{ 'retry-after': '-5' }, null, null],
  [{ 'retry-after': '0' }, null, null],
  [{ 'retry-after': 'inf' }, null, null],
  [{ 'retry-after': 'NaN' }, null, null],
  [{ 'retry-after': '1e9' }, null, null],
  [{ 'retry-after': '0x10' }, null, null],
  [{ 'retry-after': '' }, null, null],
  [{ 'retry-after': 'soon' }, null, null],
  [{ 'retry-after': String(401 * 86_400) }, null, null],
  [{ 'retry-after': String(400 * 86_400) }, 400 * DAY, 'header:retry-after'],
])('headers %j state a wait of %j ms', async (headers, waitMs, waitFrom) => {
  // Reproducer for: https://github.com/openclaw/openclaw/pull/111353
  for (const given of [headers, new Headers(headers), new Map(Object.entries(lower(headers)))]) {
    const { pool, clock } = poolOf(rows('A'))
    const told = await take(pool).report({ status: 429, headers: given })
    expect([told.waitMs, told.waitFrom]).toEqual([waitMs, waitFrom])
    expect(statusOf(pool, 'A').until).toBe(clock.at + (waitMs ?? 60_000))
  }
})

function lower(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

test("a date is measured against the response's date, else against the pool's clock", async () => {
  const { pool, clock } = poolOf(rows('A'))
  const headers = { 'retry-after': new Date(clock.at + 45_000).toUTCString() }
  expect((await take(pool).report({ status: 429, headers })).waitMs).toBe(45_000)
})

test('a Response, an SDK error and a plain object say the same', async () => {
  const headers = { 'retry-after': '7' }
  const outcomes = [
    new Response('busy', { status: 429, headers }),
    { status: 429, headers },
    { statusCode: 429, headers },
    { status: 429, responseHeaders: headers },
    { response: { status: 429, headers } },
    { response: new Response(null, { status: 429, headers }) },
    Object.assign(new Error('429 busy'), { status: 429, headers: new Headers(headers) }),
    Object.assign(new Error('busy'), { statusCode: 429, responseHeaders: headers }),
    { status: 429, headers: { 'Retry-After': 7 } },
  ]
  for (const outcome of outcomes) {
    const { pool } = poolOf(rows('A'))
    expect(await take(pool).report(outcome)).toMatchObject({
      class: 'rate_limited',
      waitMs: 7_000,
    })
  }
})

test('headers that are no headers are not read', async () => {
  for (const headers of [null, undefined, 'retry-after: 5', 5, [], new Map(), { get: 5 }]) {
    const { pool } = poolOf(rows('A'))
    const told = await take(pool).report({ status: 429, headers })
    expect(told).toMatchObject({ class: 'rate_limited', waitMs: null })
  }
})

test.each<[string, unknown, string, boolean]>([
  ['a refused connection', withCode('ECONNREFUSED'), 'server_error', true],
  ['a name that is unknown', withCode('ENOTFOUND'), 'server_error', true],
  ['a name server that is away', withCode('EAI_AGAIN'), 'server_error', true],
  ['a connection that took too long', withCode('UND_ERR_CONNECT_TIMEOUT'), 'server_error', true],
  ['a reset connection', withCode('ECONNRESET'), 'unknown_outcome', true],
  ['a closed socket', withCode('UND_ERR_SOCKET'), 'unknown_outcome', true],
  ['headers that took too long', withCode('UND_ERR_HEADERS_TIMEOUT'), 'unknown_outcome', true],
  ['an abort', new DOMException('aborted', 'AbortError'), 'client_aborted', false],
  ['a time-out of the caller', new DOMException('late', 'TimeoutError'), 'unknown_outcome', false],
  ['an error that says nothing', new Error('boom'), 'unknown_outcome', true],
  ['an empty object', {}, 'unknown_outcome', true],
  ['a status that is none', { status: 0 }, 'unknown_outcome', true],
  ['a status of text', { status: '429' }, 'unknown_outcome', true],
])('%s is %s and blames nobody', async (_, outcome, verdict, retryOther) => {
  const { pool } = poolOf(rows('A'))
  const told = await take(pool).report(outcome)
  expect(told).toMatchObject({ class: verdict, retryOther, waitMs: null, disable: false })
  // Nobody was reached: that is the provider's or the network's, and it pauses for everyone.
  const state = verdict === 'server_error' ? 'provider_paused' : 'available'
  expect(statusOf(pool, 'A')).toMatchObject({ state, failures: 0 })
})

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

test('a network code is found under nested causes, as fetch and SDKs hide it', async () => {
  const system = withCode('ECONNREFUSED')
  const several = Object.assign(new AggregateError([system]), { code: 'ECONNREFUSED' })
  const fetching = new TypeError('fetch failed', { cause: several })
  const sdk = Object.assign(new Error('Connection error.', { cause: fetching }), {
    status: undefined,
    headers: undefined,
    code: undefined,
  })
  for (const outcome of [system, several, fetching, sdk]) {
    const { pool } = poolOf(rows('A'))
    expect(await take(pool).report(outcome)).toMatchObject({
      class: 'server_error',
      scope: 'provider',
    })
  }
})

test('causes in a circle are read to an end', async () => {
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  const { pool } = poolOf(rows('A'))
  expect(await take(pool).report(circle)).toMatchObject({ class: 'unknown_outcome' })
})
