import { describe, expect, test } from 'vitest'
import { AccessTable, presentedKey } from '../../js/gateway/access.ts'
import { forClient, forUpstream, requestIdOf } from '../../js/gateway/headers.ts'
import { upstreamUrl } from '../../js/gateway/protocols.ts'
import { SecretFilter } from '../../js/gateway/redact.ts'
import { digestOf, newKey } from './scene.ts'

describe('the address of the provider', () => {
  test.each([
    ['https://api.openai.com', '/v1/messages', 'https://api.openai.com/v1/messages'],
    ['https://api.openai.com/', '/v1/messages', 'https://api.openai.com/v1/messages'],
    ['https://api.openai.com/v1', '/v1/messages', 'https://api.openai.com/v1/messages'],
    ['https://api.openai.com/v1/', '/v1/messages', 'https://api.openai.com/v1/messages'],
    [
      'https://x.example/api/paas/v4',
      '/v1/chat/completions',
      'https://x.example/api/paas/v4/chat/completions',
    ],
    ['https://x.example/anthropic', '/v1/messages', 'https://x.example/anthropic/v1/messages'],
    ['https://g.example', '/v1beta/models/m:f', 'https://g.example/v1beta/models/m:f'],
    ['https://g.example/v1beta', '/v1beta/models/m:f', 'https://g.example/v1beta/models/m:f'],
    ['https://g.example/v1alpha', '/v1beta/models/m:f', 'https://g.example/v1alpha/models/m:f'],
    ['https://x.example/v', '/v1/messages', 'https://x.example/v/v1/messages'],
  ])('%s with %s', (base, path, expected) => {
    expect(upstreamUrl(base, path).href).toBe(expected)
  })

  test('has the query of the base address, which a client cannot change, and the rest of the client', () => {
    const query = new URLSearchParams('alt=sse&api-version=1&include=a&include=b')
    expect(upstreamUrl('https://x.example/?api-version=2', '/v1/responses', query).search).toBe(
      '?api-version=2&alt=sse&include=a&include=b',
    )
  })
})

describe('an access key', () => {
  const keys = Array.from({ length: 20 }, () => newKey('ak-'))
  const table = new AccessTable(keys.map((key, at) => ({ id: `k${at}`, sha256: digestOf(key) })))

  test('is found by its digest, wherever it stands', async () => {
    const found = await Promise.all(keys.map((key) => table.find(key)))
    expect(found.map((one) => one?.id)).toEqual(keys.map((_, at) => `k${at}`))
  })

  test.each([
    [''],
    ['x'],
    [`${keys[0]} `],
    [keys[0]?.slice(1) ?? ''],
    [digestOf(keys[0] ?? '')],
    ['é€🌍'],
  ])('is not found by %j', async (key) => {
    expect(await table.find(key)).toBeUndefined()
  })

  test('may be written with large digits', async () => {
    const large = new AccessTable([{ id: 'a', sha256: digestOf('key').toUpperCase() }])
    expect((await large.find('key'))?.id).toBe('a')
  })

  test('longer than any is not found, even by its beginning', async () => {
    const long = 'k'.repeat(4_096)
    const one = new AccessTable([{ id: 'a', sha256: digestOf(long) }])
    expect((await one.find(long))?.id).toBe('a')
    expect(await one.find(`${long}k`)).toBeUndefined()
  })

  const url = (query = '') => new URL(`http://x.example/v1beta/models/m:f${query}`)

  test.each([
    [{ authorization: 'Bearer k' }],
    [{ authorization: 'bearer   k' }],
    [{ 'x-api-key': 'k' }],
    [{ 'x-goog-api-key': 'k' }],
    [{ 'api-key': 'k' }],
    [{ 'api-key': 'k', authorization: 'Bearer k' }],
    [{ authorization: 'Bearer k, Bearer k' }],
  ])('is read from %j', (headers) => {
    expect(presentedKey(new Headers(headers), url(), false)).toBe('k')
  })

  test('is read from the query for Gemini alone', () => {
    expect(presentedKey(new Headers(), url('?key=k'), true)).toBe('k')
    expect(() => presentedKey(new Headers(), url('?key=k'), false)).toThrow(/no access key/)
  })

  test.each([
    [{ 'x-api-key': 'a', authorization: 'Bearer b' }, ''],
    [{ authorization: 'Bearer a, Bearer b' }, ''],
    [{ 'x-api-key': 'a' }, '?key=b'],
    [{}, '?key=a&key=b'],
  ])('that contradicts itself is refused: %j %s', (headers, query) => {
    expect(() => presentedKey(new Headers(headers as HeadersInit), url(query), true)).toThrow(
      expect.objectContaining({ code: 'conflicting_access_keys' }),
    )
  })

  test.each([
    [{}],
    [{ authorization: '' }],
    [{ authorization: 'Bearer ' }],
    [{ 'x-api-key': ' ' }],
  ])('is missing in %j', (headers) => {
    expect(() => presentedKey(new Headers(headers as HeadersInit), url(), true)).toThrow(
      expect.objectContaining({ code: 'unauthorized' }),
    )
  })
})

describe('headers', () => {
  test('go to the provider without keys, cookies, and what tells of the connection or the client', () => {
    const sent = forUpstream(
      new Headers({
        ...{ authorization: 'Bearer k', 'x-api-key': 'k', 'x-goog-api-key': 'k', 'api-key': 'k' },
        ...{ cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', 'cf-ray': 'x', 'x-real-ip': '1.2.3.4' },
        ...{ connection: 'keep-alive, x-mine', 'x-mine': '1', te: 'trailers', host: 'h' },
        ...{
          'content-length': '3',
          'accept-encoding': 'br',
          'x-request-id': 'r',
          forwarded: 'for=1',
        },
        ...{
          'proxy-authorization': 'Basic x',
          'sec-fetch-mode': 'cors',
          origin: 'https://x.example',
        },
        ...{ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b', 'openai-organization': 'o' },
        ...{ 'content-type': 'application/json', 'x-stainless-lang': 'js', 'idempotency-key': 'i' },
      }),
    )
    expect([...sent.keys()].sort()).toEqual([
      ...['anthropic-beta', 'anthropic-version', 'content-type', 'idempotency-key'],
      ...['openai-organization', 'x-stainless-lang'],
    ])
  })

  test('come back without what tells of the connection, the account or the secret', () => {
    const returned = forClient(
      new Headers({
        ...{ 'content-type': 'text/event-stream', 'openai-processing-ms': '3', 'request-id': 'q' },
        ...{
          'set-cookie': 'a=b',
          'content-encoding': 'gzip',
          'content-length': '3',
          connection: 'x-c',
          'x-c': '1',
        },
        ...{ 'x-ratelimit-remaining-requests': '3', 'anthropic-ratelimit-tokens-limit': '4' },
        ...{
          'openai-organization': 'o',
          'anthropic-organization-id': 'o',
          'x-echo': 'key=sk-secret-value',
        },
        ...{
          'access-control-allow-origin': '*',
          'cf-ray': 'x',
          'x-request-id': 'theirs',
          'retry-after': '3',
        },
      }),
      'sk-secret-value',
    )
    expect(Object.fromEntries(returned)).toEqual({
      'content-type': 'text/event-stream',
      'openai-processing-ms': '3',
      'request-id': 'q',
      'retry-after': '3',
      'x-upstream-request-id': 'theirs',
    })
  })

  test.each([['abc-123'], ['x'.repeat(128)], ['!~']])('the id %s of a client is taken', (id) => {
    expect(requestIdOf(new Headers({ 'x-request-id': id }))).toBe(id)
  })

  test.each([[''], ['a b'], ['x'.repeat(129)], ['é'], ['a\tb']])('the id %j is replaced', (id) => {
    expect(requestIdOf(new Headers({ 'x-request-id': id }))).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('a secret in an answer', () => {
  const secret = 'sk-0123456789abcdefghij'
  const through = (texts: readonly string[], isError = false, of = secret) => {
    const filter = new SecretFilter(of, isError)
    const decoder = new TextDecoder()
    const chunks = texts.map((text) => filter.push(new TextEncoder().encode(text)))
    return [...chunks, filter.rest() ?? new Uint8Array()]
      .map((chunk) => decoder.decode(chunk))
      .join('')
  }
  const stars = '*'.repeat(secret.length)

  test('is starred out, as often as it is there', () => {
    expect(through([`a ${secret} b ${secret}`])).toBe(`a ${stars} b ${stars}`)
  })

  test('is found wherever chunks are cut', () => {
    const text = `x${secret}y sk-01 ${secret}`
    for (let cut = 0; cut <= text.length; cut++) {
      const shown = through([text.slice(0, cut), text.slice(cut)])
      expect(shown).toBe(`x${stars}y sk-01 ${stars}`)
    }
    expect(through([...text])).toBe(`x${stars}y sk-01 ${stars}`)
  })

  test('that is not there leaves each chunk the very one that came', () => {
    const filter = new SecretFilter(secret, false)
    for (const text of ['data: {}\n\n', '', 'sk-012 x']) {
      const chunk = new TextEncoder().encode(text)
      expect(filter.push(chunk)).toBe(chunk)
    }
  })

  test('is starred out of an error by its ends, too', () => {
    const long = `${secret}-klmnopqrst`
    const quoted = `Incorrect API key: ${long.slice(0, 8)}****${long.slice(-8)}`
    expect(through([quoted], true, long)).not.toMatch(/sk-01234|mnopqrst/)
    expect(through([quoted], false, long)).toBe(quoted)
  })

  test('that is but a word is left', () => {
    expect(through(['none of it'], true, 'none')).toBe('none of it')
  })
})
