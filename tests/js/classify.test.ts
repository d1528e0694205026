import { classify, classifyStreamEvent, type ErrorRule } from 'keyrota'
import { expect, test } from 'vitest'
import { thrown } from './support/errors.ts'

const NOW = Date.parse('2026-10-20T12:00:00Z')
const DEAD = { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }

test.each<[Record<string, unknown>, string, RegExp]>([
  [{ provider: undefined }, 'provider', /must be a text/],
  [{ provider: 7 }, 'provider', /must be a text/],
  [{ provider: null }, 'provider', /must be a text/],
  [{ status: '429' }, 'status', /whole number from 100 to 999/],
  [{ status: 99 }, 'status', /whole number from 100 to 999/],
  [{ status: 1_000 }, 'status', /whole number from 100 to 999/],
  [{ status: 429.5 }, 'status', /whole number from 100 to 999/],
  [{ status: Number.NaN }, 'status', /whole number from 100 to 999/],
  [{ headers: 5 }, 'headers', /Headers, an object or a list of pairs/],
  [{ headers: 'retry-after: 5' }, 'headers', /Headers, an object or a list of pairs/],
  [{ headers: [['retry-after', '5'], 5] }, 'headers[1]', /pair of a name and a value/],
  [{ headers: ['retry-after', '5'] }, 'headers[0]', /pair of a name and a value/],
  [{ headers: [['retry-after']] }, 'headers[0]', /pair of a name and a value/],
  [{ body: Promise.resolve('text') }, 'body', /must have been read/],
  [{ body: new Response('text').body }, 'body', /must have been read/],
  [{ body: { pipe: () => {} } }, 'body', /must have been read/],
  [{ phase: 'later' }, 'phase', /must be one of 'before_send'/],
  [{ phase: 7 }, 'phase', /must be one of 'before_send'/],
  [{ networkCode: 7 }, 'networkCode', /must be a text/],
  [{ model: 7 }, 'model', /must be a text/],
  [{ now: null }, 'now', /milliseconds since the epoch/],
  [{ now: true }, 'now', /milliseconds since the epoch/],
  [{ now: 'tomorrow' }, 'now', /milliseconds since the epoch/],
  [{ now: new Date(Number.NaN) }, 'now', /milliseconds since the epoch/],
  [{ now: Number.POSITIVE_INFINITY }, 'now', /milliseconds since the epoch/],
  [{ now: 1e300 }, 'now', /milliseconds since the epoch/],
  [{ now: [] }, 'now', /milliseconds since the epoch/],
  [{ rules: {} }, 'rules', /must be a list/],
])('what %o breaks is named with its path and its rule', (wrong, path, rule) => {
  const error = thrown(() => classify({ provider: 'openai', ...wrong } as never))
  expect(error).toMatchObject({ code: 'invalid_option', path })
  expect(error.rule).toMatch(rule)
  expect(error.message).toContain(path)
})

test.each([undefined, null, 7, 'text', []])(
  'an input that is no object is refused: %o',
  (input) => {
    for (const judge of [classify, classifyStreamEvent]) {
      const error = thrown(() => judge(input as never))
      expect(error).toMatchObject({ code: 'invalid_option', rule: 'must be an object' })
    }
  },
)

test('a field that does not exist is refused, with the nearest one', () => {
  const wrong = { provider: 'openai', stauts: 429 } as never
  expect(thrown(() => classify(wrong))).toMatchObject({ code: 'unknown_option', nearest: 'status' })
  const event = { provider: 'openai', event: '{}', status: 200 } as never
  expect(thrown(() => classifyStreamEvent(event))).toMatchObject({ path: 'status' })
})

test('a stream event must be given, and have been read', () => {
  for (const event of [undefined, Promise.resolve('{}')]) {
    const error = thrown(() => classifyStreamEvent({ provider: 'openai', event } as never))
    expect(error).toMatchObject({ code: 'invalid_option', path: 'event' })
  }
})

test('errors speak of kinds, never of the values', () => {
  const error = thrown(() => classify({ provider: 'openai', model: ['sk-secret'] } as never))
  expect(error.message).toBe('model must be a text; it is a list')
})

test('null is as if a field were not there', () => {
  const nothing = { status: null, headers: null, body: null, phase: null, networkCode: null }
  expect(classify({ provider: 'openai', ...nothing, model: null })).toEqual(
    classify({ provider: 'openai' }),
  )
})

test('the moment may be a number, a date or its text', () => {
  const headers = { 'retry-after': new Date(NOW + 45_000).toUTCString() }
  for (const now of [NOW, new Date(NOW), '2026-10-20T12:00:00Z', '2026-10-20T14:00:00+02:00']) {
    expect(classify({ provider: 'openai', status: 429, headers, now }).waitMs).toBe(45_000)
  }
})

test('headers are read from a Headers, an object or pairs; names in any case', () => {
  for (const headers of [
    new Headers({ 'retry-after': '7' }),
    { 'Retry-After': '7' },
    { 'RETRY-AFTER': ['7'] },
    { 'retry-after': 7 },
    [['Retry-After', '7']],
    new Map([['retry-after', '7']]),
  ]) {
    expect(classify({ provider: 'openai', status: 429, headers }).waitMs).toBe(7_000)
  }
})

test('a body is read from text, bytes or its JSON as an object', () => {
  const text = JSON.stringify(DEAD)
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array(bytes.length + 9)
  padded.set(bytes, 4)
  const part = new Uint8Array(padded.buffer, 4, bytes.length)
  for (const body of [text, bytes, bytes.buffer, Buffer.from(text), part, DEAD]) {
    const verdict = classify({ provider: 'openai', status: 401, body })
    expect(verdict).toMatchObject({ class: 'auth_failed', disable: true, evidence: 'code' })
  }
})

test('a body that is none is as if it were not there', () => {
  const circle: { self?: unknown } = {}
  circle.self = circle
  const throwing = {
    toJSON() {
      throw new Error('mine')
    },
  }
  for (const body of [circle, throwing, Symbol('body'), 10n, () => 'text', '', new Uint8Array()]) {
    const verdict = classify({ provider: 'openai', status: 401, body })
    expect(verdict).toEqual(classify({ provider: 'openai', status: 401 }))
  }
})

test('of a body the first 64 KB count, and what they cut off is no matter', () => {
  const pad = 'x'.repeat(70_000)
  const first = { ...DEAD, pad }
  const last = { pad, ...DEAD }
  for (const [body, disable] of [
    [first, true],
    [last, false],
  ] as const) {
    const text = JSON.stringify(body)
    for (const form of [body, text, new TextEncoder().encode(text)]) {
      const verdict = classify({ provider: 'openai', status: 401, body: form })
      expect(verdict).toMatchObject({ class: 'auth_failed', disable })
    }
  }
})

test('bytes that are no text have a verdict', () => {
  const body = Uint8Array.from({ length: 256 }, (_, at) => at)
  expect(classify({ provider: 'openai', status: 500, body })).toMatchObject({
    class: 'server_error',
  })
})

test('generated text never counts', () => {
  const content = 'Incorrect API key provided. invalid_api_key. insufficient_quota'
  const body = { choices: [{ message: { content } }] }
  expect(classify({ provider: 'openai', status: 200, body })).toMatchObject({ class: 'ok' })
})

test('an unknown dialect is read by the general rules', () => {
  expect(classify({ provider: 'never heard of', status: 429 })).toMatchObject({
    class: 'rate_limited',
    scope: 'credential',
  })
})

test('a rule of your own goes before all that are built in, the first that matches', () => {
  const rules: ErrorRule[] = [
    { provider: 'gemini', status: 401, effect: 'overloaded' },
    { code: 'invalid_api_key', bodyIncludes: 'INCORRECT', effect: 'client_error' },
    { status: 401, effect: { class: 'rate_limited', scope: 'account', waitMs: 5_000 } },
  ]
  const input = { provider: 'openai', status: 401, rules }
  expect(classify({ ...input, body: DEAD })).toMatchObject({ class: 'client_error' })
  expect(classify({ ...input, provider: 'gemini' })).toMatchObject({ class: 'overloaded' })
  expect(classify(input)).toMatchObject({
    class: 'rate_limited',
    scope: 'account',
    waitMs: 5_000,
    disable: false,
  })
  expect(classify({ ...input, status: 500 })).toMatchObject({ class: 'server_error' })
})

test('a rule may say whether to disable and whether another credential may be tried', () => {
  const effect = { class: 'auth_failed', disable: true, retryOther: false } as const
  const rules = [{ bodyIncludes: 'account closed', effect }]
  const verdict = classify({ provider: 'x', status: 418, body: 'Account closed.', rules })
  expect(verdict).toMatchObject(effect)
})

test.each<[unknown, string, RegExp]>([
  [{ effect: 'ok' }, 'rules[0].status', /must be given, or code/],
  [7, 'rules[0]', /must be an object/],
  [{ status: 429 }, 'rules[0].effect', /must be/],
  [{ status: '429', effect: 'ok' }, 'rules[0].status', /whole number/],
  [{ status: 42, effect: 'ok' }, 'rules[0].status', /whole number/],
  [{ code: '', effect: 'ok' }, 'rules[0].code', /not empty/],
  [{ bodyIncludes: '', effect: 'ok' }, 'rules[0].bodyIncludes', /not empty/],
  [{ status: 429, effect: 'rate_limit' }, 'rules[0].effect', /did you mean 'rate_limited'/],
  [{ status: 429, effect: {} }, 'rules[0].effect.class', /must be one of/],
  [{ status: 429, effect: { class: 'ok', scope: 'key' } }, 'rules[0].effect.scope', /one of/],
  [{ status: 429, effect: { class: 'ok', waitMs: 0 } }, 'rules[0].effect.waitMs', /whole number/],
  [{ status: 429, effect: { class: 'ok', waitMs: 4e10 } }, 'rules[0].effect.waitMs', /number/],
  [{ status: 429, effect: { class: 'ok', disable: 1 } }, 'rules[0].effect.disable', /true or/],
])('the rule %o is refused', (rule, path, why) => {
  const error = thrown(() => classify({ provider: 'x', rules: [rule] } as never))
  expect(error).toMatchObject({ code: 'invalid_option', path })
  expect(error.rule).toMatch(why)
})

test('a misspelt condition or effect of a rule is refused', () => {
  for (const [rule, path] of [
    [{ statuz: 429, effect: 'ok' }, 'rules[0].statuz'],
    [{ status: 429, effect: { class: 'ok', wait: 5 } }, 'rules[0].effect.wait'],
  ] as const) {
    const error = thrown(() => classify({ provider: 'x', rules: [rule] } as never))
    expect(error).toMatchObject({ code: 'unknown_option', path })
  }
})

test('a hundred rules are allowed, and no more', () => {
  const rules = Array.from({ length: 100 }, () => ({ status: 418, effect: 'ok' as const }))
  expect(classify({ provider: 'x', status: 418, rules }).class).toBe('ok')
  const error = thrown(() => classify({ provider: 'x', rules: [...rules, ...rules.slice(-1)] }))
  expect(error).toMatchObject({ path: 'rules', rule: 'must have at most 100 rules' })
})

test('no pool is needed, and nothing is kept between calls', () => {
  const input = { provider: 'openai', status: 429, headers: { 'retry-after': '3' } }
  const first = classify(input)
  classify({ provider: 'gemini', status: 503 })
  expect(classify(input)).toEqual(first)
  expect(Object.keys(first).sort()).toEqual([
    'class',
    'disable',
    'evidence',
    'retryOther',
    'scope',
    'waitFrom',
    'waitMs',
  ])
})
