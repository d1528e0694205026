/**
 * What kinds of requests get the right key, and which of them are sent again.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  after,
  drop,
  type Exchange,
  limited,
  Providers,
  refuse,
  stall,
  TEXT,
} from '../support/providers/index.ts'
import { failure, Scene, type SceneOptions, soon } from './scene.ts'

let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

const CHAT = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] }

function scene(options: SceneOptions = {}, dialect = 'openai'): Scene {
  return new Scene(providers, dialect, options)
}

function post(
  at: Scene,
  json: unknown = CHAT,
  init: RequestInit = {},
  path = '/v1/chat/completions',
) {
  const headers = {
    'content-type': 'application/json',
    ...(init.headers as Record<string, string>),
  }
  const body = JSON.stringify(json)
  return at.fetch(`${providers.url}${path}`, { method: 'POST', body, ...init, headers })
}

/** The only request that came with a credential, without its secret. */
function sentWith(at: Scene, id: string): { exchange: Exchange; text: string } {
  const [exchange, ...others] = providers.received(at.secret(id))
  if (exchange === undefined || others.length > 0) throw new Error(`not one request with ${id}`)
  const text = exchange.raw.toString('latin1').replaceAll(at.secret(id), 'SECRET')
  return { exchange, text }
}

function streamOf(...texts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
}

describe('where the key goes', () => {
  test.concurrent.each([
    ['openai', '/v1/models', { authorization: 'Bearer pooled' }],
    ['openai', '/v1/models', {}],
    ['anthropic', '/v1/messages', { 'x-api-key': 'pooled' }],
    ['gemini', '/v1beta/models', { 'x-goog-api-key': 'pooled' }],
    ['gemini', '/v1beta/models?key=pooled', {}],
    ['gemini', '/v1beta/models?alt=json&key=pooled&pageSize=5', {}],
  ])('%s: %s with %j', async (dialect, path, headers) => {
    const at = scene({}, dialect)
    const response = await at.fetch(`${providers.url}${path}`, { headers })
    expect(response.status).toBe(200)
    const { text } = sentWith(at, 'a')
    expect(text.match(/SECRET/g)).toHaveLength(1)
    expect(text).not.toContain('pooled')
    // The URL of an answer is the caller's to log.
    expect(response.url).not.toContain(at.secret('a'))
  })

  test('an answer that is handed over as it comes does not tell it by its URL either', async () => {
    const at = scene({}, 'gemini')
    at.script('a', (exchange) => exchange.respond(200, { 'content-type': 'video/mp4' }, 'film'))
    const response = await at.fetch(`${providers.url}/v1beta/files/f:download?alt=media&key=pooled`)
    expect(response.url).toContain('alt=media')
    expect(response.url).not.toContain(at.secret('a'))
    expect(await response.text()).toBe('film')
  })

  test('inject puts it elsewhere, and the key of the SDK is gone', async () => {
    const at = scene({
      fetch: { inject: ({ headers }, secret) => headers.set('authorization', `Bearer ${secret}`) },
    })
    await post(at, CHAT, { headers: { 'x-api-key': 'pooled' } })
    expect(sentWith(at, 'a').text).not.toContain('pooled')
  })

  test('the session function decides before all that the request says', async () => {
    const seen: unknown[] = []
    const session: NonNullable<SceneOptions['fetch']>['session'] = ({ json, method, url }) => {
      seen.push([json?.['model'], method, url.pathname])
      return 'mine'
    }
    const pool = { strategy: 'weighted-round-robin' } as const
    const at = scene({ fetch: { session }, pool })
    for (const content of ['one', 'two', 'three']) {
      await post(at, { ...CHAT, messages: [{ role: 'user', content }] })
    }
    expect(at.traffic).toBe('a3 b0')
    expect(seen).toContainEqual(['gpt-5-mini', 'POST', '/v1/chat/completions'])
  })

  test('a request of other bytes passes untouched', async () => {
    const at = scene()
    const bytes = new Uint8Array([0, 255, 13, 10, 0])
    const headers = { 'content-type': 'application/octet-stream' }
    await at.fetch(`${providers.url}/v1/files`, { method: 'POST', body: bytes, headers })
    expect([...sentWith(at, 'a').exchange.body]).toEqual([...bytes])
  })
})

describe('what is sent again', () => {
  test('a form, byte by byte but for the secret', async () => {
    const at = scene()
    at.script('a', limited(30))
    const form = new FormData()
    form.set('purpose', 'batch')
    form.set('file', new Blob([new Uint8Array([0, 13, 10, 255])]), 'a.jsonl')
    await at.fetch(`${providers.url}/v1/files`, { method: 'POST', body: form })
    const [first, second] = [sentWith(at, 'a').text, sentWith(at, 'b').text]
    expect(first).toContain('multipart/form-data; boundary=')
    expect(second).toBe(first)
  })

  test('a request that is an object, if it is JSON', async () => {
    const at = scene()
    at.script('a', limited(30))
    const init = { method: 'POST', body: JSON.stringify(CHAT) }
    const headers = { 'content-type': 'application/json', authorization: 'Bearer pooled' }
    const request = new Request(`${providers.url}/v1/chat/completions`, { ...init, headers })
    const response = await at.fetch(request)
    expect((await response.json()).choices[0].message.content).toBe(TEXT)
    expect(sentWith(at, 'b').text).toBe(sentWith(at, 'a').text)
    expect(sentWith(at, 'b').exchange.json).toEqual(CHAT)
  })

  test.each([
    ['once', 0, 'a1 b0', 429],
    ['once if it is longer than maxBufferedBytes', 4, 'a1 b0', 429],
    ['again within maxBufferedBytes', 1_000, 'a1 b1', 200],
  ])('a streamed body: %s', async (_, maxBufferedBytes, traffic, status) => {
    const at = scene({ fetch: { maxBufferedBytes } })
    at.script('a', limited(30))
    const text = JSON.stringify(CHAT)
    const body = streamOf(text.slice(0, 9), text.slice(9))
    const response = await post(at, CHAT, { body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(status)
    expect(at.traffic).toBe(traffic)
    expect(sentWith(at, 'a').exchange.json).toEqual(CHAT)
    if (status === 200) expect(sentWith(at, 'b').text).toBe(sentWith(at, 'a').text)
  })
})

describe('sent, and no answer came', () => {
  const get: RequestInit = { method: 'GET', body: null }

  test.each<[string, RequestInit, SceneOptions['fetch'], string]>([
    ['a POST is not repeated', {}, {}, 'a1 b0'],
    ['one with an Idempotency-Key is', { headers: { 'idempotency-key': 'k' } }, {}, 'a1 b1'],
    ['one that is idempotent by option is', {}, { idempotent: true }, 'a1 b1'],
    ['a GET is', get, {}, 'a1 b1'],
    ['a GET is not, if the option says so', get, { idempotent: false }, 'a1 b0'],
  ])('%s', async (_, init, fetch, traffic) => {
    const at = scene({ fetch: { ...fetch } })
    at.script('a', drop)
    const path = init.method === 'GET' ? '/v1/models' : undefined
    await post(at, CHAT, init, path).catch(() => {})
    expect(at.traffic).toBe(traffic)
    await at.assertNobodyBlamed()
  })

  test.each<[string, string, SceneOptions['fetch'], string[]]>([
    ['headers that never came', 'UND_ERR_HEADERS_TIMEOUT', {}, ['a']],
    ['headers that never came', 'UND_ERR_HEADERS_TIMEOUT', { idempotent: true }, ['a', 'b']],
    ['a socket that closed', 'UND_ERR_SOCKET', {}, ['a']],
    ['a socket that closed', 'UND_ERR_SOCKET', { idempotent: true }, ['a', 'b']],
    ['a connection that never was', 'UND_ERR_CONNECT_TIMEOUT', {}, ['a', 'b']],
  ])('%s (%s) with %j', async (_, code, options, expected) => {
    const sent: (string | null)[] = []
    const thrown = new TypeError('fetch failed', {
      cause: Object.assign(new Error(code), { code }),
    })
    const send = async (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('authorization'))
      if (sent.length === 1) throw thrown
      return Response.json({})
    }
    const at = scene({ fetch: { ...options, fetch: send } })
    const answer = await post(at).catch((error: unknown) => error)
    expect(sent).toEqual(expected.map((id) => `Bearer ${at.secret(id)}`))
    if (expected.length > 1) expect(answer).toBeInstanceOf(Response)
    else expect(answer).toBe(thrown)
    await at.assertNobodyBlamed()
  })

  test('the time-out of the call ends it, and nobody else is asked or blamed', async () => {
    const at = scene({ fetch: { timeoutMs: 40, idempotent: true } })
    at.script('a', stall)
    const error = await failure(post(at))
    expect(error.name).toBe('TimeoutError')
    await soon(sentWith(at, 'a').exchange.closed)
    expect(at.traffic).toBe('a1 b0')
    await at.assertNobodyBlamed()
  })

  test('the time-out ends a wait for a key too', async () => {
    const at = scene({ ids: ['a'], fetch: { timeoutMs: 300, maxWaitMs: 60_000 } })
    at.script('a', limited(30))
    await post(at)
    expect((await failure(post(at))).name).toBe('TimeoutError')
    expect(at.traffic).toBe('a1')
  })

  test('the time-out does not count once the answer has begun', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const signals: (AbortSignal | null | undefined)[] = []
      const answer = new Response(streamOf('first ', 'second'), {
        headers: { 'content-type': 'audio/mpeg' },
      })
      const send = async (_: unknown, init?: RequestInit) => {
        signals.push(init?.signal)
        return answer
      }
      const at = scene({ fetch: { timeoutMs: 50, fetch: send } })
      const response = await post(at)
      vi.advanceTimersByTime(100)
      expect(signals.map((signal) => signal?.aborted)).toEqual([false])
      expect(await response.text()).toBe('first second')
    } finally {
      vi.useRealTimers()
    }
  })

  test('whoever gives up with a reason of his own has given up', async () => {
    const at = scene({ fetch: { idempotent: true } })
    at.script('a', stall)
    const controller = new AbortController()
    const answer = failure(post(at, CHAT, { signal: controller.signal }))
    await soon(providers.arrival(at.secret('a')))
    controller.abort(new Error('the user closed the tab'))
    expect((await answer).message).toBe('the user closed the tab')
    expect(at.verdicts).toEqual(['client_aborted'])
    expect(at.traffic).toBe('a1 b0')
  })

  test('a provider that cannot be reached is an error without a blame', async () => {
    const at = scene({ fetch: { maxAttempts: 1 } })
    await failure(at.fetch('http://127.0.0.1:1/v1/chat/completions', { method: 'POST' }))
    await at.assertNobodyBlamed()
  })
})

describe('retries', () => {
  const ids = ['a', 'b', 'c', 'd']

  test('maxAttempts bounds them, and the last answer is handed over as it came', async () => {
    const at = scene({ ids, fetch: { maxAttempts: 2 } })
    for (const id of ids) at.script(id, limited(30))
    const response = await post(at)
    expect(at.traffic).toBe('a1 b1 c0 d0')
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('30')
    expect((await response.json()).error.code).toBe('rate_limit_exceeded')
  })

  test('the retry budget bounds them over all calls', async () => {
    const at = scene({ ids, fetch: { retryBudget: { share: 0, reserve: 2 } } })
    const sent = () =>
      [...at.traffic.matchAll(/\d/g)].reduce((sum, [count]) => sum + Number(count), 0)
    for (const id of ids) at.script(id, ...Array.from({ length: 4 }, () => refuse('overloaded')))
    expect((await post(at)).status).toBe(529)
    expect(sent()).toBe(3)
    expect((await post(at)).status).toBe(529)
    expect(sent()).toBe(4)
  })

  test('each call pays its share into the budget', async () => {
    const at = scene({ ids, fetch: { retryBudget: { share: 1, reserve: 0 } } })
    for (const id of ids) at.script(id, refuse('overloaded'))
    expect((await post(at)).status).toBe(529)
    expect(at.traffic).toBe('a1 b1 c0 d0')
  })

  test('a burst that meets the limit of one key is served by the others, however long it is', async () => {
    const at = scene({ ids: ['a', 'b'], fetch: { retryBudget: { share: 0, reserve: 0 } } })
    at.script('a', ...Array.from({ length: 30 }, () => limited(30)))
    const answers = await Promise.all(Array.from({ length: 30 }, () => post(at)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('an answer that was passed over does not hold its connection', async () => {
    const at = scene()
    at.script('a', refuse('limited'))
    await post(at)
    await at.rest()
    expect(at.verdicts).toEqual(['rate_limited', 'ok'])
  })

  test('a call waits for a key as long as maxWaitMs allows', async () => {
    const at = scene({ ids: ['a'], fetch: { maxWaitMs: 1_000 } })
    at.script('a', refuse('limited', { 'retry-after-ms': '20' }))
    expect((await post(at)).status).toBe(429)
    expect((await post(at)).status).toBe(200)
    expect(at.traffic).toBe('a2')
  })
})

describe('a response that is continued', () => {
  const pool = { strategy: 'weighted-round-robin' } as const
  const ids = ['a', 'b', 'c']
  const ask = (at: Scene, json: object) => {
    return post(at, { model: 'gpt-5-mini', ...json }, {}, '/v1/responses')
  }

  test('goes to the key that made it', async () => {
    const at = scene({ ids, pool })
    const made = await Promise.all(
      ['x', 'y', 'z'].map(async (input) => (await ask(at, { input })).json()),
    )
    expect(at.traffic).toBe('a1 b1 c1')
    for (const [index, { id }] of made.entries()) {
      const before = at.counts
      await ask(at, { input: 'and then?', previous_response_id: id })
      await at.fetch(`${providers.url}/v1/responses/${id}`)
      const gained = at.counts.map((count, key) => count - (before[key] ?? 0))
      expect(gained).toEqual(ids.map((_, key) => (key === index ? 2 : 0)))
    }
  })

  test('goes to the key that streamed it', async () => {
    const at = scene({ ids, pool })
    await ask(at, { input: 'x' })
    const text = await (await ask(at, { input: 'y', stream: true })).text()
    const [, id] = /"id":"(resp_\d+)"/.exec(text) ?? []
    expect(at.traffic).toBe('a1 b1 c0')
    for (let time = 0; time < 3; time++) await ask(at, { input: 'z', previous_response_id: id })
    expect(at.traffic).toBe('a1 b4 c0')
  })

  test('goes to no other key while that one rests', async () => {
    const at = scene({ ids, pool })
    const { id } = await (await ask(at, { input: 'x' })).json()
    at.script('a', limited(30))
    const next = { input: 'y', previous_response_id: id }
    for (let time = 0; time < 2; time++) expect((await ask(at, next)).status).toBe(429)
    expect(at.traffic).toBe('a2 b0 c0')
  })

  test('keeps a conversation on the key that made it', async () => {
    const at = scene({ ids, pool })
    await ask(at, { input: 'x' })
    const made = await post(at, {}, {}, '/v1/conversations')
    const { id: conversation } = await made.json()
    for (const input of ['y', 'z']) await ask(at, { input, conversation })
    expect(at.traffic).toBe('a1 b3 c0')
  })
})

test('calls that wait at the provider are counted as in flight', async () => {
  const at = scene()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  at.script('a', after(gate))
  const answer = post(at)
  await soon(providers.arrival(at.secret('a')))
  expect(at.status('a').inFlight).toBe(1)
  open()
  await answer
  expect(at.status('a').inFlight).toBe(0)
})
