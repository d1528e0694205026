// Faults that were found by trying to break the fetch, each as the rule that it broke.

import { KeyPool } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { expect, test, vi } from 'vitest'

const JSON_TYPE = { 'content-type': 'application/json' }
const SSE = { 'content-type': 'text/event-stream' }
const URL_OF = 'http://127.0.0.1/v1/chat/completions'
const encoded = (text: string) => new TextEncoder().encode(text)

/** A pool of two keys over a function that answers the calls in turn, the last answer again and again. */
function over(...answers: ((init: RequestInit) => Response)[]) {
  const pool = new KeyPool({ credentials: { openai: ['sk-key-one', 'sk-key-two'] } })
  const keys: string[] = []
  const fetch = pooledFetch(pool, {
    provider: 'openai',
    fetch: async (_, init = {}) => {
      const key = new Headers(init.headers).get('authorization') ?? ''
      keys.push(key.endsWith('one') ? 'one' : 'two')
      const answer = answers[Math.min(keys.length, answers.length) - 1] as (typeof answers)[number]
      return answer(init)
    },
  })
  const inFlight = () => pool.status('openai').reduce((sum, row) => sum + row.inFlight, 0)
  return { pool, fetch, keys, inFlight }
}

const post = { method: 'POST', body: '{"model":"gpt-5"}', headers: JSON_TYPE }
const fine = () => new Response('{"choices":[]}', { headers: JSON_TYPE })

/** A body that says something and then hangs, or breaks. */
function unfinished(text: string, end: 'hangs' | 'breaks'): ReadableStream<Uint8Array> {
  let said = false
  return new ReadableStream({
    pull(controller) {
      if (!said) controller.enqueue(encoded(text))
      else if (end === 'breaks') controller.error(new TypeError('terminated'))
      else return new Promise(() => {})
      said = true
      return undefined
    },
  })
}

test.each(['hangs', 'breaks'] as const)(
  'an error whose body %s is judged by its status',
  async (end) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const limited = () =>
        new Response(unfinished('{"error":', end), { status: 429, headers: JSON_TYPE })
      const { pool, fetch, keys, inFlight } = over(limited, fine)
      const answer = fetch(URL_OF, post)
      await vi.advanceTimersByTimeAsync(6_000)
      expect([(await answer).status, keys, inFlight()]).toEqual([200, ['one', 'two'], 0])
      expect(pool.status('openai')[0]?.models).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  },
)

test('an answer in one piece that breaks off is no success, and is asked for again where that is safe', async () => {
  const torn = () => new Response(unfinished('{"choices":[', 'breaks'), { headers: JSON_TYPE })
  const { pool, fetch, keys, inFlight } = over(torn, torn, fine)
  await expect(fetch(URL_OF, post)).rejects.toThrow('terminated')
  const headers = { ...JSON_TYPE, 'idempotency-key': 'once' }
  expect((await fetch(URL_OF, { ...post, headers })).status).toBe(200)
  expect([keys.length, inFlight()]).toEqual([3, 0])
  const successes = pool.status('openai').reduce((sum, row) => sum + row.successes, 0)
  expect(successes).toBe(1)
})

test('of a long error a start is read, and the rest comes as it is asked for', async () => {
  let pulled = 0
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(65_536).fill(32))
        if (pulled === 100) controller.close()
      },
    })
  const { fetch } = over(() => new Response(body(), { status: 400, headers: JSON_TYPE }))
  const answer = await fetch(URL_OF, post)
  expect(pulled).toBeLessThan(6)
  expect((await answer.arrayBuffer()).byteLength).toBe(6_553_600)
})

test('the record of a job that failed is no failure of asking for it', async () => {
  const records = [
    { object: 'video', status: 'failed', error: { code: 'insufficient_quota', message: 'quota' } },
    { done: true, error: { code: 16, status: 'UNAUTHENTICATED', message: 'API key not valid' } },
    { object: 'response', id: 'resp_1', status: 'failed', error: { code: 'server_error' } },
  ]
  for (const record of records) {
    const { pool, fetch, keys } = over(() => Response.json(record))
    expect(await (await fetch('http://127.0.0.1/v1/videos/v')).json()).toEqual(record)
    expect(keys).toEqual(['one'])
    expect(pool.status('openai').map(({ state }) => state)).toEqual(['available', 'available'])
  }
})

test('a response is continued by its maker however long it is', async () => {
  const long = 'x'.repeat(2_000_000)
  const created = { id: 'resp_1', object: 'response', instructions: long }
  const event = JSON.stringify({ type: 'response.created', response: created })
  const done = '{"type":"response.completed","response":{"id":"resp_1"}}'
  const pieces = () => {
    const whole = encoded(`data: ${event}\n\ndata: ${done}\n\n`)
    let at = 0
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(whole.subarray(at, at + 65_536))
        at += 65_536
        if (at >= whole.byteLength) controller.close()
      },
    })
  }
  const makers = [
    () => new Response(JSON.stringify({ ...created, output: long }), { headers: JSON_TYPE }),
    () => new Response(pieces(), { headers: SSE }),
  ]
  for (const make of makers) {
    const { fetch, keys } = over(make, fine)
    await (await fetch('http://127.0.0.1/v1/responses', post)).text()
    for (let time = 0; time < 4; time++) {
      const body = '{"previous_response_id":"resp_1"}'
      await fetch('http://127.0.0.1/v1/responses', { ...post, body })
    }
    expect(new Set(keys).size).toBe(1)
  }
})

test('a stream without a body ends its lease', async () => {
  const { fetch, inFlight } = over(() => new Response(null, { status: 204, headers: SSE }))
  await fetch(URL_OF, post)
  expect(inFlight()).toBe(0)
})

test('who gives up between two reads ends the lease', async () => {
  const chunk = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
  const { pool, fetch, inFlight } = over(
    () => new Response(unfinished(chunk, 'hangs'), { headers: SSE }),
  )
  const controller = new AbortController()
  const { signal } = controller
  const answer = await fetch(URL_OF, { ...post, signal })
  await answer.body?.getReader().read()
  expect(inFlight()).toBe(1)
  controller.abort()
  await new Promise((resolve) => setImmediate(resolve))
  expect(inFlight()).toBe(0)
  expect(pool.status('openai').map(({ failures }) => failures)).toEqual([0, 0])
})

test('a pool that is disposed takes no answer away', async () => {
  const chunk = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'
  const { pool, fetch } = over(() => new Response(chunk, { headers: SSE }))
  const answer = await fetch(URL_OF, post)
  pool.dispose()
  expect(await answer.text()).toBe(chunk)
  const other = over(() => {
    other.pool.dispose()
    return new Response('{"error":{}}', { status: 400, headers: JSON_TYPE })
  })
  expect((await other.fetch(URL_OF, post)).status).toBe(400)
})

test('a time-out beyond what timers know is a long one', async () => {
  const pool = new KeyPool({ credentials: { openai: ['sk-key-one'] } })
  const fetch = pooledFetch(pool, {
    provider: 'openai',
    timeoutMs: 2 ** 31,
    fetch: async () => fine(),
  })
  expect((await fetch(URL_OF, post)).status).toBe(200)
})

test('a redirect that the caller wants to see is about nobody', async () => {
  const { pool, fetch, keys } = over(() => new Response(null, { status: 302 }))
  expect((await fetch(URL_OF, { ...post, redirect: 'manual' })).status).toBe(302)
  expect([keys, pool.status('openai')[0]?.state]).toEqual([['one'], 'available'])
})

test('no response tells the secret in its URL, whatever its status is', async () => {
  const pool = new KeyPool({ credentials: { gemini: ['sk-secret-key-1'] } })
  for (const status of [200, 204, 302, 400, 500, 700]) {
    const fetch = pooledFetch(pool, {
      provider: 'gemini',
      maxAttempts: 1,
      fetch: async (input) => {
        const answer = new Response(null, { status: status === 700 ? 200 : status })
        if (status === 700) Object.defineProperty(answer, 'status', { value: status })
        return Object.defineProperty(answer, 'url', { value: String(input), configurable: true })
      },
    })
    const { url } = await fetch('https://x.example/v1?alt=sse&key=pooled', {
      ...post,
      redirect: 'manual',
    })
    expect(url, `${status}`).toBe('https://x.example/v1?alt=sse&key=…')
  }
})

test('JSON that is a stream of documents is handed over as it comes', async () => {
  for (const type of ['application/stream+json', 'application/json-seq', 'application/x-ndjson']) {
    const headers = { 'content-type': type }
    const { fetch } = over(() => new Response(unfinished('{"a":1}\n', 'hangs'), { headers }))
    const first = await (await fetch(URL_OF, post)).body?.getReader().read()
    expect(new TextDecoder().decode(first?.value), type).toBe('{"a":1}\n')
  }
})

test('a form goes to a key that serves its model', async () => {
  const keys: string[] = []
  const pool = new KeyPool({
    credentials: {
      openai: [
        { secret: 'sk-chat-only', models: ['gpt-5'] },
        { secret: 'sk-audio-only', models: ['whisper-1'] },
      ],
    },
  })
  const fetch = pooledFetch(pool, {
    provider: 'openai',
    fetch: async (_, init) => {
      keys.push(new Headers(init?.headers).get('authorization') ?? '')
      return fine()
    },
  })
  const body = new FormData()
  body.set('model', 'whisper-1')
  for (let time = 0; time < 3; time++) await fetch(URL_OF, { method: 'POST', body })
  expect(new Set(keys)).toEqual(new Set(['Bearer sk-audio-only']))
})

test('a path that cannot be decoded is sent as it is', async () => {
  const { fetch } = over(fine)
  const answer = await fetch('http://127.0.0.1/v1/models/a%zz:generateContent', post)
  expect(answer.status).toBe(200)
})

test('headers that a callback keeps never get a secret', async () => {
  let kept = new Headers()
  const pool = new KeyPool({ credentials: { openai: ['sk-key-one'] } })
  const fetch = pooledFetch(pool, {
    provider: 'openai',
    session: ({ headers }) => {
      kept = headers
      return undefined
    },
    fetch: async () => fine(),
  })
  await fetch(URL_OF, post)
  expect(JSON.stringify([...kept])).not.toContain('sk-key-one')
})
