// Reports from people who run key pools, each with the case that must hold here. These stand elsewhere:
//
// - rotation: run (cherry-studio#11411, new-api#2899, bifrost#5876), probes (cherry-studio#9139),
//   explain (ig-client#92)
// - what never comes back: probes (new-api#3537, new-api#7040, openclaw#21574), refresh (openclaw#18624),
//   disabling and lodging (openclaw#65041)
// - cooldowns: cooldowns (opencodex#3809, CLIProxyAPI#5917), verdicts (openclaw#111353), waiting
//   (hermes-agent#75177, litellm#3646), explain (litellm#37754)
// - limits of one model: model-limits (OmniRoute#14573, CLIProxyAPI#4881, opencodex#1267)
// - wrong requests: run (gpt-load#319)
// - an empty pool: environment (librefang#5063)
// - sessions: lodging and affinity (better-ccflare#285), affinity (codex-proxy#577)
// - leases: leases (agents-js#2477)
// - a restart: snapshot and disabling (CLIProxyAPI#3368)
// - secrets that can stand in no header: rows (openai-node#192)

import { classify, KeyPool } from 'keyrota'
import { expect, test } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

test('a key without money is asked at most twice in a minute; others fail fast and typed', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/39807
  const { pool, clock } = poolOf(rows('A'))
  let upstream = 0
  for (let call = 0; call < 10; call++) {
    const run = pool.run({ provider: PROVIDER }, () => {
      upstream += 1
      return { status: 402 }
    })
    await run.catch((error) => expect(error).toMatchObject({ code: 'no_credential_available' }))
    clock.pass(6 * SECOND - 1)
  }
  expect(upstream).toBeLessThanOrEqual(2)
  expect(statusOf(pool, 'A').state, 'a status alone proves no key dead').not.toMatch(/disabled/)
})

test('fifty overloads disable nobody', async () => {
  // Reproducer for: https://github.com/tbphp/gpt-load/issues/278
  const { pool, clock } = poolOf(rows('A', 'B'))
  for (let call = 0; call < 50; call++) {
    await take(pool).report({ status: 503 })
    clock.pass(60 * SECOND)
  }
  expect(pool.status(PROVIDER).map(({ state }) => state)).toEqual(['available', 'available'])
})

/** What OpenAI says to the name of a model that it does not have. */
const NO_MODEL = {
  error: {
    message: 'The model `gpt-9` does not exist or you do not have access to it.',
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
}

/** An answer of OpenAI of which the end is missing. */
const TORN =
  '{"id":"chatcmpl-1","object":"chat.completion","created":1800000000,"model":"gpt-5",' +
  '"choices":[{"index":0,"message":{"role":"assistant","content":"Hel'

const JSON_TYPE = { 'content-type': 'application/json' }

test.each<[string, string, string, unknown]>([
  [
    '404 of an unknown model',
    'model_denied',
    'available',
    Response.json(NO_MODEL, { status: 404 }),
  ],
  ['429', 'rate_limited', 'cooling', { status: 429 }],
  ['529', 'overloaded', 'provider_paused', { status: 529 }],
  [
    '200 whose body was cut',
    'unknown_outcome',
    'available',
    new Response(TORN, { headers: JSON_TYPE }),
  ],
  [
    'a reset connection',
    'unknown_outcome',
    'available',
    Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
  ],
  [
    'an HTML 403 of an edge',
    'egress_blocked',
    'provider_paused',
    new Response('<!DOCTYPE html><title>Just a moment...</title>', {
      status: 403,
      headers: { 'content-type': 'text/html' },
    }),
  ],
])('%s disables nobody', async (_, kind, state, outcome) => {
  // Reproducer for: https://github.com/songquanpeng/one-api/issues/90
  const { pool } = poolOf(rows('A', 'B'))
  const isOfModel = kind === 'model_denied'
  const lease = take(pool, { tried: ['B'], ...(isOfModel && { model: 'gpt-9' }) })
  expect(await lease.report(outcome)).toMatchObject({ class: kind, disable: false })
  expect(statusOf(pool, 'A').state).toBe(state)
  const models = statusOf(pool, 'A').models.map(({ model, cause }) => [model, cause])
  expect(models).toEqual(isOfModel ? [['gpt-9', kind]] : [])
})

test('a cooldown of one key leaves the others of its provider alone', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3975
  const { pool } = poolOf(rows('A', 'B', 'C'))
  await attempt(pool, 'A', 429)
  expect(order(pool, 4).split(' ').sort()).toEqual(['B', 'B', 'C', 'C'])
})

test('keys are spent evenly, not one until it fails', () => {
  // Reproducer for: https://github.com/p32929/rotato/issues/21
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const picks = order(pool, 9).split(' ')
  for (const id of ['A', 'B', 'C']) expect(picks.filter((pick) => pick === id)).toHaveLength(3)
})

test('a session stays though another key would have less to do', () => {
  // Reproducer for: https://github.com/can1357/oh-my-pi/issues/12034
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'least-busy' })
  const { credential } = take(pool, { session: 's' })
  for (let busy = 0; busy < 5; busy++) leaseOf(pool, credential.id)
  expect(take(pool, { session: 's' }).credential.id).toBe(credential.id)
})

test('a wait that never was one does not stop the pool', async () => {
  // Reproducer for: https://github.com/anomalyco/opencode/issues/33728
  for (const stated of ['-5', 'inf', 'NaN', '1e99', '', 'soon', '99999999999999999999']) {
    const { pool } = poolOf(rows('A'))
    await attempt(pool, 'A', 429, { 'retry-after': stated })
    const error = await rejected(pool.acquire({ provider: PROVIDER }))
    expect(error.retryAfterMs, stated).toBe(60 * SECOND)
  }
})

test('the ladder is kept while the cooldown ends and begins again', async () => {
  // Reproducer for: https://github.com/NousResearch/hermes-agent/issues/15296
  const { pool, clock } = poolOf(rows('A'), { cooldown: { baseMs: 30 * SECOND } })
  const began = clock.at
  for (const [at, until] of [
    [0, 30],
    [31, 91],
    [92, 212],
  ] as const) {
    clock.at = began + at * SECOND
    await attempt(pool, 'A', 429)
    expect(statusOf(pool, 'A').until).toBe(began + until * SECOND)
  }
})

test('a retry has nothing of the attempt before it but the list of who was tried', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3317
  const { pool } = poolOf([row('A', { secret: 'sk-A' }), row('B', { secret: 'sk-B' })])
  const sent: string[] = []
  await pool.run({ provider: PROVIDER }, (lease) => {
    sent.push(`Bearer ${lease.secret}`)
    return { status: lease.credential.id === 'A' ? 429 : 200 }
  })
  expect(sent).toEqual(['Bearer sk-A', 'Bearer sk-B'])
})

/** What each of the credentials answered, in the order in which they were asked. */
async function attemptsOf(
  pool: KeyPool,
  answers: Record<string, unknown>,
  request: object = {},
): Promise<{ seen: string[]; answer: unknown }> {
  const seen: string[] = []
  const answer = await pool.run({ provider: PROVIDER, ...request }, ({ credential }) => {
    seen.push(credential.id)
    return answers[credential.id]
  })
  return { seen, answer }
}

test('a limit of one key is not shown to the user while another is free', async () => {
  // Reproducer for: https://github.com/CherryHQ/cherry-studio/issues/11411
  const { pool } = poolOf(rows('A', 'B'), { dialect: 'gemini' })
  const answers = { A: { status: 429 }, B: { status: 200 } }
  const { seen, answer } = await attemptsOf(pool, answers, { model: 'gemini-2.5-pro' })
  expect([seen, answer]).toEqual([['A', 'B'], { status: 200 }])
  expect(reasons(pool, { model: 'gemini-2.5-pro' })).toMatchObject({ A: 'model_cooling' })
  expect(statusOf(pool, 'A').state).toBe('available')
})

test('a weight that is left out is 1; any other that is no whole number from 1 is refused by name', async () => {
  // Reproducer for: https://github.com/Portkey-AI/gateway/issues/228
  const wrong = [0, null, Number.NaN, -1, '2', 1.5]
  const list = [
    row('A'),
    ...wrong.map((weight, at) => row(`bad-${at}`, { weight: weight as never })),
  ]
  const pool = new KeyPool({ load: () => list })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').weight).toBe(1)
  expect(order(pool, 3)).toBe('A A A')
  const about = heard.map(({ credential, field }) => [credential, field])
  expect(about).toEqual(wrong.map((_, at) => [`bad-${at}`, 'weight']))
  for (const { rule } of heard) expect(rule).toMatch(/number/)
})

test('a stated time replaces our own guess, which is longer', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/115642
  const { pool, clock } = poolOf(rows('A'), { cooldown: { baseMs: 18_000_000, capMs: 18_000_000 } })
  const [first, second] = [take(pool), take(pool)]
  await first.report({ status: 429 })
  expect(statusOf(pool, 'A').until).toBe(clock.at + 18_000 * SECOND)
  await second.report({ status: 429, headers: { 'retry-after': '600' } })
  expect(statusOf(pool, 'A').until).toBe(clock.at + 600 * SECOND)
})

test('the end of a window that is not spent is no time to wait for', async () => {
  // Reproducer for: https://github.com/Wei-Shaw/claude-relay-service/pull/1189
  const { pool, clock } = poolOf(rows('A'), { dialect: 'anthropic' })
  const headers = {
    'anthropic-ratelimit-unified-status': 'allowed',
    'anthropic-ratelimit-unified-5h-status': 'allowed',
    'anthropic-ratelimit-unified-5h-reset': String(clock.at / 1_000 + 293 * 60),
  }
  const verdict = await take(pool).report({ status: 429, headers })
  expect(verdict).toMatchObject({ class: 'rate_limited', waitMs: null })
  expect(statusOf(pool, 'A').until).toBe(clock.at + MINUTE)
})

/** A Gemini 429: whose quota is spent, and what it says of when to come again. */
function gemini(quotaId: string, retryDelay: string): { status: number; body: object } {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]
  return { status: 429, body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details } } }
}

test('a quota of a minute rests for its delay, one of a day until midnight in California', () => {
  // Reproducer for: https://github.com/Wei-Shaw/sub2api/issues/641
  const hours = (quotaId: string, now: string) =>
    (classify({ provider: 'gemini', now, ...gemini(quotaId, '41s') }).waitMs ?? 0) / 3_600_000
  const perMinute = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier'
  const perDay = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'
  expect(hours(perMinute, '2026-10-20T12:00:00Z')).toBe(41 / 3_600)
  expect(hours(perDay, '2026-10-20T12:00:00Z')).toBe(19)
  expect(hours(perDay, '2026-01-20T12:00:00Z')).toBe(20)
  // Half past midnight of the days that have 23 and 25 hours.
  expect(hours(perDay, '2026-03-08T08:30:00Z')).toBe(22.5)
  expect(hours(perDay, '2026-11-01T07:30:00Z')).toBe(24.5)
})

test('a spent day is not asked again and again because its delay says 0 s', async () => {
  // Reproducer for: https://github.com/RooCodeInc/Roo-Code/issues/6680
  const { pool, clock } = poolOf(rows('A', 'B'), { dialect: 'gemini' })
  clock.at = Date.parse('2027-01-15T20:30:00Z')
  const spent = gemini('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '0s')
  const { seen, answer } = await attemptsOf(pool, { A: spent, B: { status: 200 } }, { model: 'm' })
  expect([seen, answer]).toEqual([['A', 'B'], { status: 200 }])
  const [rest] = statusOf(pool, 'A').models
  expect(rest).toMatchObject({ model: 'm', cause: 'quota_exhausted' })
  expect(rest?.until, 'midnight in California').toBe(Date.parse('2027-01-16T08:00:00Z'))
  const again = await attemptsOf(pool, { B: { status: 200 } }, { model: 'm' })
  expect(again.seen).toEqual(['B'])
})

test("a time without a zone is read in the provider's own", () => {
  // Reproducer for: https://github.com/can1357/oh-my-pi/issues/11014
  const message = '已达到 5 小时的使用上限。您的限额将在 2026-10-20 22:35:41 重置。'
  const body = { error: { code: '1308', message } }
  const now = '2026-10-20T12:00:00Z'
  expect(classify({ provider: 'zhipu', status: 429, body, now }).waitMs).toBe(9_341_000)
})

test('in-flight failures that come together are one step of the ladder', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI
  const { pool, clock } = poolOf(rows('A'))
  const leases = Array.from({ length: 10 }, () => take(pool))
  clock.pass(SECOND)
  for (const lease of leases) await lease.report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ level: 1, until: clock.at + MINUTE })
})

test('a page of an edge in place of an answer touches no key and is tried once', async () => {
  // Reproducer for: https://github.com/Wei-Shaw/sub2api/issues/2413
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const headers = { 'content-type': 'text/html' }
  const page = '<!DOCTYPE html><title>Just a moment...</title>'
  const { seen, answer } = await attemptsOf(pool, {
    A: new Response(page, { status: 403, headers }),
  })
  expect(seen).toEqual(['A'])
  expect((answer as Response).status).toBe(403)
  expect(pool.status(PROVIDER).map(({ failures, level }) => failures + level)).toEqual([0, 0, 0])
  expect(refused(pool).explanation.candidates[0]).toMatchObject({ cause: 'egress_blocked' })
})

test('time-outs are no proof against a key, in whatever order they come', async () => {
  // Reproducer for: https://github.com/snailyp/gemini-balance/issues/32
  const { pool } = poolOf(rows('A', 'B'))
  const late = Object.assign(new Error('late'), { code: 'UND_ERR_HEADERS_TIMEOUT' })
  for (const outcome of [late, late, { status: 200 }, late, late, late, late]) {
    await leaseOf(pool, 'A').report(outcome)
    expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', failures: 0 })
  }
})

test('a dead Gemini key behind a 400 is disabled and the next one tried, however it is wrapped', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/1451
  const error = {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  }
  for (const body of [
    { error },
    [{ error }],
    { error: { code: 400, message: JSON.stringify({ error }), status: 'Bad Request' } },
  ]) {
    const { pool } = poolOf(rows('A', 'B'), { dialect: 'gemini' })
    const { seen } = await attemptsOf(pool, { A: { status: 400, body }, B: { status: 200 } })
    expect(seen).toEqual(['A', 'B'])
    expect(reasons(pool)).toEqual({ A: 'credential_disabled', B: 'chosen' })
  }
})

test('a spent balance behind a 400 rests the whole account, and the next one is tried', async () => {
  // Reproducer for: https://github.com/BerriAI/litellm/issues/16092
  const group = { quotaGroup: 'acme' }
  const { pool } = poolOf([row('A', group), row('B', group), row('C')], { dialect: 'anthropic' })
  const message = 'Your credit balance is too low to access the Anthropic API.'
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  const { seen } = await attemptsOf(pool, { A: { status: 400, body }, C: { status: 200 } })
  expect(seen).toEqual(['A', 'C'])
  expect(reasons(pool)).toEqual({ A: 'quota_exhausted', B: 'quota_exhausted', C: 'chosen' })
})

test('a 402 rotates; a bare 403 denies the model for that key, and disables nobody', async () => {
  // Reproducer for: https://github.com/lidge-jun/opencodex/issues/1267
  const { pool } = poolOf(rows('A', 'B', 'C'), { strategy: 'fill-first' })
  const answers = { A: { status: 402 }, B: { status: 403 }, C: { status: 200 } }
  const { seen } = await attemptsOf(pool, answers, { model: 'm' })
  expect(seen).toEqual(['A', 'B', 'C'])
  expect(reasons(pool, { model: 'm' })).toEqual({
    A: 'quota_exhausted',
    B: 'model_cooling',
    C: 'chosen',
  })
  expect(reasons(pool)).toMatchObject({ B: 'chosen' })
})

test('a session whose key rests for long is served by another', async () => {
  // Reproducer for: https://github.com/Wei-Shaw/claude-relay-service/issues/1007
  const { pool } = poolOf(rows('A', 'B'))
  const { credential } = take(pool, { session: 's' })
  await attempt(pool, credential.id, 429, { 'retry-after': '300' })
  expect(take(pool, { session: 's' }).credential.id).toBe('B')
})

test('a late success of an old request ends no cooldown that began since', async () => {
  // Reproducer for: https://github.com/Alishahryar1/free-claude-code/pull/1655
  const { pool, clock } = poolOf(rows('A'), { cooldown: { baseMs: 30 * SECOND } })
  const [old, young] = [take(pool), take(pool)]
  clock.pass(SECOND)
  const until = clock.at + 30 * SECOND
  await young.report({ status: 429 })
  clock.pass(SECOND)
  await old.report({ status: 200 })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'cooling', until })
})

test('what rests or is disabled does so after a restart, until its secret is another', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3368
  const list = (version: string) => [
    row('A'),
    row('B', { secretVersion: version }),
    row('C', { secretVersion: '1' }),
  ]
  const before = poolOf(list('1'))
  await attempt(before.pool, 'A', 429)
  const dead = { status: 401, body: { error: { code: 'invalid_api_key' } } }
  for (const id of ['B', 'C']) await leaseOf(before.pool, id).report(dead)
  const kept = JSON.stringify(before.pool.snapshot())
  const after = poolOf(list('2'))
  after.clock.at = before.clock.at + 10 * SECOND
  after.pool.restore(JSON.parse(kept))
  expect(reasons(after.pool)).toEqual({ A: 'cooling', B: 'chosen', C: 'credential_disabled' })
  expect(statusOf(after.pool, 'A').until).toBe(before.clock.at + MINUTE)
})

test('a secret with an ellipsis or a blank inside is refused with its length, not its value', async () => {
  // Reproducer for: https://github.com/Zero6992/chatGPT-discord-bot/issues/422
  const secrets = ['sk-abcdef…', 'sk-abc def', 'sk-abc\ndef', '  ', 'sk-ключ']
  const list = secrets.map((secret, at) => row(`k${at}`, { secret }))
  const pool = new KeyPool({ load: () => [row('A', { secret: 'sk-x\n' }), ...list] })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  expect(take(pool).secret).toBe('sk-x')
  expect(heard.map(({ credential }) => credential)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4'])
  expect(heard[0]).toMatchObject({ field: 'secret', rule: expect.stringMatching(/10 characters/) })
  expect(JSON.stringify(heard)).not.toMatch(/abc|ключ/)
})
