/**
 * Streams on their way to the caller.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limited, PIECES, Providers, type Step, stallAfter } from '../support/providers/index.ts'
import { failure, Scene, type SceneOptions, soon } from './scene.ts'

let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

const SSE = { 'content-type': 'text/event-stream' }

function scene(options: SceneOptions = {}): Scene {
  return new Scene(providers, 'openai', options)
}

function stream(at: Scene, init: RequestInit = {}): Promise<Response> {
  const messages = [{ role: 'user', content: 'hello' }]
  const body = JSON.stringify({ model: 'gpt-5-mini', stream: true, messages })
  const headers = { 'content-type': 'application/json' }
  return at.fetch(`${providers.url}/v1/chat/completions`, {
    method: 'POST',
    body,
    headers,
    ...init,
  })
}

function says(...chunks: string[]): Step {
  return (exchange) => {
    exchange.begin(200, SSE)
    for (const chunk of chunks) exchange.chunk(chunk)
    exchange.end()
  }
}

/** A scene whose provider is a function. */
function over(body: ReadableStream<Uint8Array>, type = SSE['content-type']): Scene {
  const answer = new Response(body, { headers: { 'content-type': type } })
  return scene({ fetch: { fetch: async () => answer } })
}

const bytes = (text: string) => new TextEncoder().encode(text)
const chat = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`

test('every chunk is the very one that came', async () => {
  const sent = ['a', 'b', 'c'].map((text) => bytes(chat(text))).concat(bytes('data: [DONE]\n\n'))
  const at = over(
    new ReadableStream({
      start(controller) {
        for (const chunk of sent) controller.enqueue(chunk)
        controller.close()
      },
    }),
  )
  const reader = (await stream(at)).body?.getReader()
  for (const chunk of sent) expect((await reader?.read())?.value).toBe(chunk)
  expect((await reader?.read())?.done).toBe(true)
})

test('no more is asked of the provider than the caller reads', async () => {
  let pulled = 0
  const at = over(
    new ReadableStream(
      {
        pull(controller) {
          pulled++
          controller.enqueue(bytes(chat(String(pulled))))
        },
      },
      { highWaterMark: 0 },
    ),
  )
  const reader = (await stream(at)).body?.getReader()
  expect(pulled).toBe(1)
  for (let read = 1; read <= 5; read++) {
    await reader?.read()
    expect(pulled).toBe(read)
  }
  await reader?.cancel()
})

test('a caller who does not read stops the provider', async () => {
  const MOST = 2_000
  let sent = 0
  const at = scene()
  at.script('a', async (exchange) => {
    exchange.begin(200, SSE)
    for (; sent < MOST && !exchange.isClosed; sent++) {
      if (!exchange.chunk(chat('x'.repeat(65_536)))) await exchange.drained()
    }
  })
  const response = await stream(at)
  // It goes on until all that lies between them is full.
  let before = -1
  while (sent !== before) {
    before = sent
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(sent).toBeLessThan(MOST / 2)
  await response.body?.cancel()
  await at.rest()
  expect(at.verdicts).toEqual(['client_aborted'])
})

test('whoever cancels a stream closes the connection, and blames nobody', async () => {
  const at = scene()
  at.script('a', stallAfter(2))
  const reader = (await stream(at)).body?.getReader()
  const exchange = await soon(providers.arrival(at.secret('a')))
  await reader?.read()
  expect(at.status('a').inFlight).toBe(1)
  await reader?.cancel('enough')
  await soon(exchange.closed)
  await at.assertNobodyBlamed()
  expect(at.verdicts).toEqual(['client_aborted'])
})

test('whoever stops after the end has had all', async () => {
  const at = scene()
  at.script('a', (exchange, dialect) => {
    const { opening, content, closing } = dialect.stream(exchange)
    exchange.begin(200, SSE)
    for (const event of [...opening, ...content, ...closing]) exchange.chunk(event)
    // The connection stays open.
  })
  const reader = (await stream(at)).body?.getReader()
  let text = ''
  while (!text.includes('[DONE]')) text += new TextDecoder().decode((await reader?.read())?.value)
  // Who reads no further does not hold the lease.
  await at.rest()
  await reader?.cancel()
  expect(at.verdicts).toEqual(['ok'])
})

describe('the end of a stream', () => {
  test.each([
    ['is seen wherever its bytes are cut', [...`${chat('é')}data: [DONE]\n\n`], 'ok'],
    ['may come without a blank line', [chat('a'), 'data: [DONE]'], 'ok'],
    ['of a kind that is not known is the end', ['data: {"x":1}\n\n', 'data: {"x":2}\n\n'], 'ok'],
    ['that is no JSON is the end', ['data: hello\n\n'], 'ok'],
  ])('%s', async (_, chunks, verdict) => {
    const at = scene()
    at.script('a', says(...chunks))
    expect(await (await stream(at)).text()).toBe(chunks.join(''))
    await at.rest()
    expect(at.verdicts).toEqual([verdict])
  })

  test('that comes too early is told as what it is', async () => {
    const at = scene()
    at.script('a', says(chat('a')))
    const error = await failure((await stream(at)).text())
    expect(error.message).toBe('the stream ended before the answer was complete')
  })
})

test('an error that begins in one chunk and ends in the next fails over', async () => {
  const at = scene()
  const event = 'data: {"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}\n\n'
  at.script('a', says(event.slice(0, 30), event.slice(30)))
  const text = await (await stream(at)).text()
  expect(text).toContain(PIECES[0])
  expect(text).not.toContain('rate_limit_exceeded')
  expect(at.traffic).toBe('a1 b1')
})

test('when nobody is left the error of the stream is handed over whole', async () => {
  const at = scene()
  const event = 'data: {"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}\n\n'
  for (const id of ['a', 'b']) at.script(id, says(event, 'data: [DONE]\n\n'))
  const response = await stream(at)
  expect(response.status).toBe(200)
  expect(await response.text()).toBe(`${event}data: [DONE]\n\n`)
  expect(at.traffic).toBe('a1 b1')
  await at.rest()
})

test('what says nothing for long is handed over all the same', async () => {
  const comment = `: ${'x'.repeat(1_000)}\n\n`
  const at = over(
    new ReadableStream(
      { pull: (controller) => controller.enqueue(bytes(comment)) },
      { highWaterMark: 0 },
    ),
  )
  const reader = (await soon(stream(at))).body?.getReader()
  expect((await reader?.read())?.value?.byteLength).toBe(comment.length)
  await reader?.cancel()
  await at.rest()
})

test('an error within a 200 of JSON fails over', async () => {
  const at = scene()
  at.script('a', (exchange) => {
    const error = { message: 'You exceeded your current quota', code: 'insufficient_quota' }
    exchange.respond(200, { 'content-type': 'application/json' }, JSON.stringify({ error }))
  })
  await stream(at, { body: '{"model":"gpt-5-mini"}' })
  expect(at.verdicts).toEqual(['quota_exhausted', 'ok'])
})

test('what is no JSON is handed over as it comes', async () => {
  const at = scene()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  at.script('a', async (exchange) => {
    exchange.begin(200, { 'content-type': 'audio/mpeg' })
    exchange.chunk('first')
    await gate
    exchange.end()
  })
  const reader = (await stream(at)).body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
  expect(at.status('a').inFlight).toBe(0)
  open()
  expect((await reader?.read())?.done).toBe(true)
})

test('a refusal of a stream is no stream', async () => {
  const at = scene({ ids: ['a'] })
  at.script('a', limited(30))
  for (let time = 0; time < 2; time++) {
    const response = await stream(at)
    expect(response.status).toBe(429)
    expect(response.headers.get('content-type')).toContain('json')
    await response.text()
  }
})

test('whoever gives up within a stream, for a reason of his own, has given up', async () => {
  const at = scene()
  at.script('a', stallAfter(2))
  const controller = new AbortController()
  const reader = (await stream(at, { signal: controller.signal })).body?.getReader()
  await reader?.read()
  const rest = failure(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  )
  controller.abort(new Error('the user closed the tab'))
  expect((await rest).message).toBe('the user closed the tab')
  expect(at.verdicts).toEqual(['client_aborted'])
})

test('whoever cancels when all was said has had all', async () => {
  const at = scene()
  at.script('a', (exchange) => {
    exchange.begin(200, SSE)
    exchange.chunk('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n')
  })
  const reader = (await stream(at)).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(at.verdicts).toEqual(['ok'])
})
