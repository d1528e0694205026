import { describe, expect, test } from 'vitest'
import { place, takeOut } from '../../js/fetch/inject.ts'

const SECRET = 'sk-the-pools'

function placed(headers: Record<string, string>, dialect: string, query = '', secret = SECRET) {
  const outgoing = { url: new URL(`https://x.example/v1${query}`), headers: new Headers(headers) }
  place(outgoing, secret, dialect)
  return { headers: Object.fromEntries(outgoing.headers), query: outgoing.url.search }
}

describe('the secret stands', () => {
  test.each([
    ['authorization', 'Bearer pooled', `Bearer ${SECRET}`],
    ['x-api-key', 'pooled', SECRET],
    ['api-key', 'pooled', SECRET],
    ['x-goog-api-key', 'pooled', SECRET],
  ])('where the SDK put its own key: %s', (name, own, expected) => {
    expect(placed({ [name]: own, accept: '*/*' }, 'any').headers).toEqual({
      accept: '*/*',
      [name]: expected,
    })
  })

  test.each([
    ['anthropic', 'x-api-key', SECRET],
    ['azure', 'api-key', SECRET],
    ['gemini', 'x-goog-api-key', SECRET],
    ['groq', 'authorization', `Bearer ${SECRET}`],
  ])('where %s expects it, if the SDK put none', (dialect, name, expected) => {
    expect(placed({}, dialect).headers).toEqual({ [name]: expected })
  })

  test('in the query, if the SDK put its key there', () => {
    const { headers, query } = placed({}, 'gemini', '?alt=sse&key=pooled')
    expect(headers).toEqual({})
    expect(new URLSearchParams(query).getAll('key')).toEqual([SECRET])
    expect(query).toContain('alt=sse')
  })

  test('as a token, if it is one of a subscription', () => {
    const token = 'sk-ant-oat01-abc'
    const { headers } = placed({ 'x-api-key': 'pooled' }, 'anthropic', '', token)
    expect(headers).toEqual({ authorization: `Bearer ${token}` })
  })
})

test('nothing of what the SDK put is left when it is taken out', () => {
  const headers = new Headers({ authorization: 'Bearer x', 'x-api-key': 'x', 'api-key': 'x' })
  const outgoing = { url: new URL('https://x.example/?key=x&a=1'), headers }
  expect(takeOut(outgoing, 'gemini')).toEqual({ header: 'x-api-key', inQuery: true })
  expect([...headers]).toEqual([])
  expect(outgoing.url.search).toBe('?a=1')
})

test("a parameter named key is the app's own where keys stand in headers", () => {
  const headers = new Headers({ authorization: 'Bearer x' })
  const outgoing = { url: new URL('https://x.example/kv?key=profile&q=a%20b~'), headers }
  place(outgoing, 'sk-secret-1', 'openai')
  expect(outgoing.url.search).toBe('?key=profile&q=a%20b~')
  expect(headers.get('authorization')).toBe('Bearer sk-secret-1')
})
