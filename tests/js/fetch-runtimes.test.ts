// What `pooledFetch` takes care of because runtimes differ, and what it leaves alone. The runtimes
// themselves: tests/runtimes.

import { KeyPool } from 'keyrota'
import { type Fetch, pooledFetch } from 'keyrota/fetch'
import { afterEach, expect, test } from 'vitest'

const url = 'https://api.example/v1/chat/completions'
const type = { 'content-type': 'application/json' }
const asStream: RequestInit = { method: 'POST', headers: type, body: '{"stream":true}' }

const anySignal = AbortSignal.any
afterEach(() => {
  AbortSignal.any = anySignal
})

/** A pooled fetch whose requests are kept, and answered one after the other. */
function pooled(answers: (Response | (() => never))[], options: { timeoutMs?: number } = {}) {
  const sent: RequestInit[] = []
  const fetch: Fetch = async (_, init) => {
    sent.push(init ?? {})
    const answer = answers.shift() ?? Response.json({})
    return typeof answer === 'function' ? answer() : answer
  }
  const pool = new KeyPool({ credentials: { openai: ['sk-a', 'sk-b'] } })
  return { pool, sent, fetch: pooledFetch(pool, { provider: 'openai', fetch, ...options }) }
}

/** A stream that tells how often it was asked, and whether it was canceled. */
function source(texts: string[]) {
  const chunks = texts.map((text) => new TextEncoder().encode(text))
  const told = { chunks, pulls: 0, canceled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[told.pulls++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
      cancel() {
        told.canceled = true
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { 'content-type': 'text/event-stream' }
  return { told, response: new Response(body, { headers }) }
}

const piece = (content: string, reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: reason }] })}\n\n`

const story = [piece(''), piece('a'), piece('error'), piece('', 'stop'), 'data: [DONE]\n\n']

test('the chunks of a stream are the very objects that came', async () => {
  const { told, response } = source(story)
  const answer = await pooled([response]).fetch(url, asStream)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  for (const chunk of told.chunks) expect((await reader.read()).value).toBe(chunk)
  expect((await reader.read()).done).toBe(true)
})

test('nothing is asked of the provider that the caller does not ask for', async () => {
  const { told, response } = source(story)
  const answer = await pooled([response]).fetch(url, asStream)
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  expect(told.pulls).toBe(2) // the first content is the second chunk
  await reader.read()
  await reader.read()
  expect(told.pulls).toBe(2)
  await reader.read()
  expect(told.pulls).toBe(3)
  await reader.cancel()
  expect(told.canceled).toBe(true)
})

test('without AbortSignal.any, which Node 20.0 lacks, an abort still reaches a request with a time-out', async () => {
  AbortSignal.any = undefined as never
  const controller = new AbortController()
  const { sent, fetch } = pooled([Response.json({})], { timeoutMs: 60_000 })
  await fetch(url, { ...asStream, signal: controller.signal })
  expect(sent[0]?.signal?.aborted).toBe(false)
  controller.abort('enough')
  expect(sent[0]?.signal?.reason).toBe('enough')
})

test("a call without a time-out and a stream is sent with the caller's own signal", async () => {
  const { signal } = new AbortController()
  const { sent, fetch } = pooled([])
  await fetch(url, { method: 'POST', headers: type, body: '{}', signal })
  expect(sent[0]?.signal).toBe(signal)
})

test('an abort whose reason is no error blames nobody', async () => {
  const controller = new AbortController()
  const abort = () => {
    controller.abort('enough')
    throw controller.signal.reason
  }
  const { pool, fetch } = pooled([abort])
  const late = fetch(url, { ...asStream, signal: controller.signal })
  await expect(late).rejects.toBe('enough')
  expect(pool.status('openai').map(({ failures }) => failures)).toEqual([0, 0])
})

test('a Request keeps what it says of itself, and its text can be sent again', async () => {
  const { sent, fetch } = pooled([Response.json({ error: {} }, { status: 429 })])
  const headers = { ...type, authorization: 'Bearer x' }
  const asked = { method: 'POST', headers, body: '{"model":"m"}', redirect: 'manual' as const }
  await fetch(new Request(url, asked))
  expect(sent).toHaveLength(2)
  for (const { redirect, method, body } of sent) {
    const text = await new Response(body as ArrayBuffer).text()
    expect({ redirect, method, text }).toEqual({
      redirect: 'manual',
      method: 'POST',
      text: asked.body,
    })
  }
})

test('a body that is iterated, as of Node’s own streams, is sent once', async () => {
  async function* parts() {
    yield new TextEncoder().encode('a')
  }
  const body = parts() as unknown as BodyInit
  const { sent, fetch } = pooled([Response.json({ error: {} }, { status: 429 })])
  const answer = await fetch(url, { method: 'POST', body })
  expect([answer.status, sent.length]).toEqual([429, 1])
  expect(sent[0]).toMatchObject({ body, duplex: 'half' })
})
