/**
 * A secret goes to the provider, and nowhere else.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectHidden } from '../js/support/secrets.ts'
import {
  cutAfter,
  drop,
  echo,
  errorFirst,
  errorLater,
  forbiddenPage,
  limited,
  Providers,
  refuse,
  type Step,
} from '../support/providers/index.ts'
import { Scene, type SceneOptions } from './scene.ts'

let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

/** Makes a call in every way that may tell of it, and answers what the caller and the pool then show. */
async function shownOf(at: Scene, path: string): Promise<unknown[]> {
  const body = JSON.stringify({ model: 'm', stream: path.includes('chat') })
  const headers = { 'content-type': 'application/json' }
  const shown: unknown[] = []
  try {
    const response = await at.fetch(path, { method: 'POST', headers, body })
    shown.push(response.url, [...response.headers], await response.text())
  } catch (error) {
    shown.push(error)
  }
  const { pool, dialect } = at
  shown.push(
    at.told,
    at.verdicts,
    pool.status(dialect),
    pool.snapshot(),
    pool.explain({ provider: dialect }),
  )
  return shown
}

describe('a secret is in nothing that is shown after', () => {
  const steps: readonly (readonly [string, Step])[] = [
    ['an answer', limited(0)],
    ['a 429', limited(30)],
    ['a refused key', refuse('unauthorized')],
    ['a page', forbiddenPage],
    ['no answer', drop],
    ['an error before content', errorFirst('limited')],
    ['an error after content', errorLater('limited')],
    ['a cut stream', cutAfter(2)],
  ]
  const ways = [
    ['a header', 'openai', '/v1/chat/completions'],
    ['the query', 'gemini', '/v1beta/models/m:streamGenerateContent?alt=sse&key=pooled'],
  ] as const
  const cases = ways.flatMap((way) => steps.map((step) => [...way, ...step] as const))

  test.concurrent.each(cases)('in %s (%s %s) %s', async (_, dialect, path, __, step) => {
    const at = new Scene(providers, dialect)
    at.script('a', step)
    at.script('b', step)
    expectHidden(at.secrets, await shownOf(at, `${providers.url}${path}`))
  })
})

test.each([
  [
    'a port where nobody listens',
    'http://127.0.0.1:1/v1beta/models/m:generateContent?key=pooled',
    {},
  ],
  [
    'a fetch that tells all it knows',
    'http://127.0.0.1:1/v1beta/models/m:generateContent?key=pooled',
    {
      fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
        const headers = JSON.stringify([...new Headers(init?.headers)])
        const cause = Object.assign(new Error(`headers ${headers}`), { url: String(input) })
        throw new TypeError(`fetch of ${input} failed`, { cause })
      },
    },
  ],
] satisfies [string, string, SceneOptions['fetch']][])(
  'a network error hides it: %s',
  async (_, url, fetch) => {
    const at = new Scene(providers, 'gemini', { fetch: { maxAttempts: 2, ...fetch } })
    expectHidden(at.secrets, await shownOf(at, url))
  },
)

test('an answer that repeats the request shows what the provider sent, and no more', async () => {
  const at = new Scene(providers, 'openai')
  at.script('a', echo)
  const [url, headers, text, ...ofPool] = await shownOf(at, `${providers.url}/v1/chat/completions`)
  expect(text).toContain(at.secret('a'))
  expectHidden([at.secret('b')], [text])
  expectHidden(at.secrets, [url, headers, ...ofPool])
})
