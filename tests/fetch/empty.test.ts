/**
 * Answers without content, of every API, streamed and not: with `retryEmptyResponses` another key is asked.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Providers, type Step, TEXT } from '../support/providers/index.ts'
import { emptyAnswer, errorFirst, limited } from '../support/providers/steps.ts'
import { Scene, type SceneOptions, soon } from './scene.ts'

let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

const CHAT = { model: 'gpt-5-mini', messages: [{ role: 'user', content: 'hello' }] }
const CLAUDE = { ...CHAT, model: 'claude-sonnet-4-5', max_tokens: 8 }
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
const MODELS = '/v1beta/models/gemini-2.5-flash'

/** Each API: its dialect, and how it is asked in one piece and for a stream. */
const APIS: readonly [string, string, [string, object], [string, object]][] = [
  [
    'a chat',
    'openai',
    ['/v1/chat/completions', CHAT],
    ['/v1/chat/completions', { ...CHAT, stream: true }],
  ],
  [
    'a response',
    'openai',
    ['/v1/responses', { model: 'gpt-5-mini', input: 'hello' }],
    ['/v1/responses', { model: 'gpt-5-mini', input: 'hello', stream: true }],
  ],
  [
    'a message',
    'anthropic',
    ['/v1/messages', CLAUDE],
    ['/v1/messages', { ...CLAUDE, stream: true }],
  ],
  [
    'a candidate',
    'gemini',
    [`${MODELS}:generateContent`, GEMINI],
    [`${MODELS}:streamGenerateContent?alt=sse`, GEMINI],
  ],
]

const CASES = APIS.flatMap(([api, dialect, whole, streamed]) => [
  { name: `${api} in one piece`, dialect, asked: whole },
  { name: `${api} as a stream`, dialect, asked: streamed },
])

const wanted: SceneOptions = { fetch: { retryEmptyResponses: true } }

async function ask(at: Scene, [path, body]: [string, object], init: RequestInit = {}) {
  const response = await at.fetch(`${providers.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })
  return { response, text: await response.text() }
}

/** All that an answer says, whatever it comes in. */
function said(text: string): string {
  const pieces = [...text.matchAll(/"(?:text|delta|content)":"([^"]*)"/g)].map(([, piece]) => piece)
  return pieces.join('')
}

describe.each(CASES)('$name', ({ dialect, asked }) => {
  test('another key answers, and nobody is to blame', async () => {
    const at = new Scene(providers, dialect, wanted)
    at.script('a', emptyAnswer)
    const { response, text } = await ask(at, asked)
    expect(response.status).toBe(200)
    expect(said(text)).toContain(TEXT)
    expect(at.traffic).toBe('a1 b1')
    await at.assertNobodyBlamed()
    expect(at.verdicts).toEqual(['ok', 'ok'])
    expect(at.kinds).toBe('')
    for (const id of ['a', 'b']) expect(at.status(id)).toMatchObject({ failures: 0, inFlight: 0 })
  })

  test('the last answer is handed over byte for byte', async () => {
    const at = new Scene(providers, dialect, wanted)
    let sent = ''
    const keep: Step = (exchange, spoken) => {
      const chunk = exchange.chunk.bind(exchange)
      const respond = exchange.respond.bind(exchange)
      exchange.chunk = (text) => {
        sent += text
        return chunk(text)
      }
      exchange.respond = (status, headers, body) => {
        sent += body
        respond(status, headers, body)
      }
      return emptyAnswer(exchange, spoken)
    }
    at.script('a', emptyAnswer)
    at.script('b', keep)
    const { response, text } = await ask(at, asked)
    expect(response.status).toBe(200)
    expect(text).toBe(sent)
    expect(at.traffic).toBe('a1 b1')
    await at.assertNobodyBlamed()
  })

  test('unless it is wanted, it is an answer as any other', async () => {
    for (const options of [{}, { fetch: { retryEmptyResponses: false } }]) {
      const at = new Scene(providers, dialect, options)
      at.script('a', emptyAnswer)
      const { text } = await ask(at, asked)
      expect(said(text)).not.toContain(TEXT)
      expect(at.traffic).toBe('a1 b0')
    }
  })

  test('an answer that has content is handed over as ever', async () => {
    const at = new Scene(providers, dialect, wanted)
    expect(said((await ask(at, asked)).text)).toContain(TEXT)
    expect(at.traffic).toBe('a1 b0')
  })
})

test('after an empty answer an error is handed over, and after an error an empty answer', async () => {
  const [path, body] = ['/v1/chat/completions', { ...CHAT, stream: true }]
  const first = new Scene(providers, 'openai', wanted)
  first.script('a', emptyAnswer)
  first.script('b', limited(30))
  expect((await ask(first, [path, body])).response.status).toBe(429)
  const second = new Scene(providers, 'openai', wanted)
  second.script('a', errorFirst('limited'))
  second.script('b', emptyAnswer)
  const { response, text } = await ask(second, [path, body])
  expect(response.status).toBe(200)
  expect(text).toContain('[DONE]')
  expect(second.traffic).toBe('a1 b1')
})

test('the budget of retries is asked', async () => {
  const at = new Scene(providers, 'openai', {
    fetch: { retryEmptyResponses: true, retryBudget: { share: 0, reserve: 1 } },
  })
  at.script('a', emptyAnswer, emptyAnswer)
  const asked: [string, object] = ['/v1/chat/completions', CHAT]
  await ask(at, asked)
  expect(at.traffic).toBe('a1 b1')
  await ask(at, asked)
  expect(at.traffic).toBe('a2 b1')
})

const SSE = { 'content-type': 'text/event-stream' }

function says(...chunks: string[]): Step {
  return (exchange) => {
    exchange.begin(200, SSE)
    for (const chunk of chunks) exchange.chunk(chunk)
    exchange.end()
  }
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`
const choice = (delta: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta, finish_reason }] })
const OPENING = choice({ role: 'assistant', content: '' })
const DONE = 'data: [DONE]\n\n'

test.each<[string, string[], string]>([
  ['a cut before any content is no empty answer', [OPENING], 'a1 b0'],
  ['an end that says why is an answer', [OPENING, choice({}, 'content_filter'), DONE], 'a1 b0'],
  ['an end without a mark is an end', [OPENING, choice({}, 'stop')], 'a1 b1'],
  ['a mark alone is an end', [OPENING, DONE], 'a1 b1'],
  ['a mark is an end, whatever follows', [OPENING, DONE, ': bye\n\n'], 'a1 b1'],
  [
    'content after an empty choice is content',
    [choice({}, 'stop'), choice({ content: 'x' }), DONE],
    'a1 b0',
  ],
  [
    'content in the last event is content',
    [OPENING, choice({ content: 'x' }, 'stop'), DONE],
    'a1 b0',
  ],
  ['empty pieces are none', [OPENING, choice({ content: '' }), choice({}, 'stop'), DONE], 'a1 b1'],
  [
    'a call is content',
    [choice({ tool_calls: [{ index: 0 }] }), choice({}, 'tool_calls')],
    'a1 b0',
  ],
  ['thinking is content', [choice({ reasoning_content: 'hm' }), choice({}, 'stop')], 'a1 b0'],
  ['what is not known is content', ['data: hello\n\n', DONE], 'a1 b0'],
])('%s', async (_, chunks, traffic) => {
  const at = new Scene(providers, 'openai', wanted)
  at.script('a', says(...chunks))
  await ask(at, ['/v1/chat/completions', { ...CHAT, stream: true }]).catch(() => {})
  expect(at.traffic).toBe(traffic)
})

test('a stream that stays open after its end is not waited for', async () => {
  const at = new Scene(providers, 'openai', wanted)
  at.script('a', (exchange) => {
    exchange.begin(200, SSE)
    exchange.chunk(OPENING + DONE)
  })
  const asked = ask(at, ['/v1/chat/completions', { ...CHAT, stream: true }])
  expect(said((await soon(asked)).text)).toContain(TEXT)
  expect(at.traffic).toBe('a1 b1')
  const [left] = at.providers.received(at.secret('a'))
  await soon(left?.closed ?? Promise.reject(new Error('not asked')))
})

test('a request that may not be sent twice is not', async () => {
  const at = new Scene(providers, 'openai', wanted)
  at.script('a', emptyAnswer)
  const bytes = new TextEncoder().encode(JSON.stringify(CHAT))
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
  await ask(at, ['/v1/chat/completions', CHAT], { body, duplex: 'half' } as RequestInit)
  expect(at.traffic).toBe('a1 b0')
})

test('what is only looked up is handed over', async () => {
  const at = new Scene(providers, 'openai', wanted)
  const nothing: Step = (exchange) => {
    exchange.respond(200, { 'content-type': 'application/json' }, '{"choices":[]}')
  }
  at.script('a', nothing)
  const response = await at.fetch(`${providers.url}/v1/chat/completions/chatcmpl-1`)
  expect(await response.json()).toEqual({ choices: [] })
  expect(at.traffic).toBe('a1 b0')
})
