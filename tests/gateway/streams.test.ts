import type { Protocol } from 'keyrota/gateway'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  after,
  cutAfter,
  type Exchange,
  errorFirst,
  PIECES,
  Providers,
  stall,
  stallAfter,
  TEXT,
} from '../support/providers/index.ts'
import { bodyOf, digestOf, Scene, until } from './scene.ts'
import { Served } from './served.ts'

const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const
const BEGUN = PIECES.slice(0, 3)

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** Reads a body piece by piece. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  text = ''

  constructor(response: Response) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader()
  }

  /** Reads until the text has that in it. */
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error(`ended without ${part}: ${this.text}`)
      this.text += this.#decoder.decode(value, { stream: true })
    }
  }

  async rest(): Promise<Error | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read()
        if (done) return undefined
        this.text += this.#decoder.decode(value, { stream: true })
      }
    } catch (error) {
      return error as Error
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const config = { timeouts: { firstByteMs: 1_000, idleMs: 2_000 } }

  test.each(PROTOCOLS)('without an answer is over at its limit: %s', async (protocol: Protocol) => {
    const scene = new Scene(providers, { config })
    scene.script('a', stall)
    const answer = scene.ask(protocol)
    const exchange = await providers.arrival(scene.secret('a'))
    await vi.advanceTimersByTimeAsync(999)
    expect(exchange.isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const response = await answer
    expect(response.status).toBe(504)
    expect(response.headers.get('x-keyrota-code')).toBe('upstream_timeout')
    await exchange.closed
    // It was sent, and may have been done.
    expect(scene.traffic).toBe('a1 b0')
    expect(scene.inFlight).toBe(0)
    expect(scene.attempts).toMatchObject([
      { verdict: 'unknown_outcome', errorCode: 'upstream_timeout' },
    ])
  })

  test('before content is over at the same limit, whatever came before it', async () => {
    const scene = new Scene(providers, { config })
    scene.script('a', stallAfter(0))
    const answer = scene.stream('anthropic-messages')
    const exchange = await providers.arrival(scene.secret('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await answer).status).toBe(504)
    await exchange.closed
    expect(scene.inFlight).toBe(0)
  })

  test.each([
    ['an Idempotency-Key', {}, { headers: { 'idempotency-key': 'k' } }],
    ['retry.unanswered', { retry: { unanswered: true } }, {}],
  ])('without an answer goes to the next key with %s', async (_, more, init) => {
    const scene = new Scene(providers, { config: { ...config, ...more } })
    scene.script('a', stall)
    const answer = scene.ask('openai-chat', {}, init)
    await providers.arrival(scene.secret('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    const response = await answer
    expect(response.status).toBe(200)
    expect(scene.traffic).toBe('a1 b1')
    await response.text()
  })

  test('without another chunk ends the stream with an error, and the lease', async () => {
    const scene = new Scene(providers, { config })
    scene.script('a', stallAfter(3))
    const reader = new Reader(await scene.stream('openai-chat'))
    await reader.until(BEGUN.at(-1) ?? '')
    const rest = reader.rest()
    await until(() => vi.getTimerCount() > 0)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(scene.inFlight).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await rest)?.name).toBe('Overdue')
    const [exchange] = providers.received(scene.secret('a'))
    await exchange?.closed
    expect(await scene.ended()).toMatchObject({ ended: 'cut', status: 200 })
    expect(scene.inFlight).toBe(0)
    expect(scene.attempts).toMatchObject([{ verdict: 'unknown_outcome' }])
  })

  test('of the client is not that of the provider: who reads slowly loses nothing', async () => {
    const scene = new Scene(providers, { config })
    const reader = new Reader(await scene.stream('openai-chat'))
    await reader.until(PIECES[0])
    await vi.advanceTimersByTimeAsync(1_000_000)
    expect(await reader.rest()).toBeUndefined()
    expect(reader.text).toContain('[DONE]')
  })
})

describe('a stream', () => {
  test.each(PROTOCOLS)('whose error comes before content fails over: %s', async (protocol) => {
    const scene = new Scene(providers)
    scene.script('a', errorFirst('limited'))
    const response = await scene.stream(protocol)
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('limit')
    expect(scene.traffic).toBe('a1 b1')
    await scene.rest()
  })

  test('that breaks off reads as an error, and nothing is sent again', async () => {
    const scene = new Scene(providers)
    scene.script('a', cutAfter(3))
    const reader = new Reader(await scene.stream('openai-chat'))
    expect(await reader.rest()).toBeInstanceOf(Error)
    expect(scene.traffic).toBe('a1 b0')
    expect(await scene.ended()).toMatchObject({ ended: 'cut' })
  })

  test('comes byte for byte as the provider sent it', async () => {
    const scene = new Scene(providers)
    const lines =
      ': comment\r\n\r\nevent: x\r\nid: 1\r\nretry: 5\r\ndata: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: [DONE]\n\n'
    scene.script('a', (exchange) => {
      exchange.begin(200, { 'content-type': 'text/event-stream' })
      for (const piece of lines.match(/[\s\S]{1,7}/g) ?? []) exchange.chunk(piece)
      exchange.end()
    })
    expect(await (await scene.stream('openai-chat')).text()).toBe(lines)
  })

  test('that the client does not read stops the provider', async () => {
    const scene = new Scene(providers)
    const line = `data: {"choices":[{"delta":{"content":"${'x'.repeat(65_536)}"}}]}\n\n`
    let sent = 0
    const most = 2_000
    scene.script('a', async (exchange: Exchange) => {
      exchange.begin(200, { 'content-type': 'text/event-stream' })
      while (sent < most && !exchange.isClosed) {
        sent++
        if (!exchange.chunk(line)) await exchange.drained()
      }
    })
    const reader = new Reader(await scene.stream('openai-chat'))
    await reader.until('x')
    let before = -1
    while (before !== sent) {
      before = sent
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(sent).toBeLessThan(most / 4)
    await reader.cancel()
    await scene.rest()
  })
})

describe('a client that leaves', () => {
  test('before the answer ends the request at the provider', async () => {
    const scene = new Scene(providers)
    scene.script('a', stall)
    const controller = new AbortController()
    const answer = scene.ask('openai-chat', {}, { signal: controller.signal })
    const exchange = await providers.arrival(scene.secret('a'))
    controller.abort()
    expect((await answer).status).toBe(499)
    await exchange.closed
    await scene.rest()
    expect(scene.attempts).toMatchObject([
      { verdict: 'client_aborted', errorCode: 'client_closed' },
    ])
    expect(await scene.ended()).toMatchObject({ ended: 'cancelled', errorCode: 'client_closed' })
    expect(scene.traffic).toBe('a1 b0')
  })

  test('within a stream ends it at the provider', async () => {
    const scene = new Scene(providers)
    scene.script('a', stallAfter(3))
    const reader = new Reader(await scene.stream('openai-chat'))
    await reader.until(BEGUN.at(-1) ?? '')
    const [exchange] = providers.received(scene.secret('a'))
    expect(scene.inFlight).toBe(1)
    await reader.cancel()
    await exchange?.closed
    expect(await scene.ended()).toMatchObject({ ended: 'cancelled', status: 200 })
    expect(scene.inFlight).toBe(0)
    expect(scene.attempts).toMatchObject([{ verdict: 'client_aborted' }])
  })

  test('an array of Gemini, which is no stream of events, ends it as well', async () => {
    const scene = new Scene(providers)
    scene.script('a', (exchange) => {
      exchange.begin(200, { 'content-type': 'application/json' })
      exchange.chunk('[{"candidates":[]}\n')
    })
    const path = '/v1beta/models/m:streamGenerateContent'
    const response = await scene.gateway.fetch(scene.request(path, bodyOf('gemini')))
    const reader = new Reader(response)
    await reader.until('candidates')
    await reader.cancel()
    await providers.received(scene.secret('a'))[0]?.closed
    expect(await scene.ended()).toMatchObject({ ended: 'cancelled' })
    expect(scene.inFlight).toBe(0)
  })

  test.each([
    ['before the answer', stall],
    ['within a stream', stallAfter(3)],
  ])('over HTTP, %s, closes the connection to the provider', async (_, step) => {
    const scene = new Scene(providers)
    scene.script('a', step)
    const server = await Served.start(scene.gateway)
    const controller = new AbortController()
    const answer = fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.accessKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf('openai-chat', { stream: true })),
      signal: controller.signal,
    })
    const ended = answer.then(async (response) => {
      const reader = new Reader(response)
      await reader.until(BEGUN.at(-1) ?? '')
      controller.abort()
      await reader.rest()
    })
    const exchange = await providers.arrival(scene.secret('a'))
    if (step === stall) controller.abort()
    await ended.catch(() => {})
    await exchange.closed
    await scene.rest()
    expect(scene.attempts).toMatchObject([{ verdict: 'client_aborted' }])
    expect(await scene.ended()).toMatchObject({ ended: 'cancelled' })
    server.stop()
  })
})

describe('another configuration', () => {
  test('leaves a running stream alone, and counts from the next request on', async () => {
    const scene = new Scene(providers)
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    scene.script('a', async (exchange, dialect) => {
      const { opening, content, closing } = dialect.stream(exchange)
      exchange.begin(200, { 'content-type': 'text/event-stream' })
      for (const event of [...opening, ...content.slice(0, 1)]) exchange.chunk(event)
      await gate
      for (const event of [...content.slice(1), ...closing]) exchange.chunk(event)
      exchange.end()
    })
    const reader = new Reader(await scene.stream('openai-chat'))
    await reader.until(PIECES[0])
    const [group] = scene.config.groups
    if (group === undefined) throw new Error('there is a group')
    const key = 'ak-another-key-of-the-next-configuration'
    const b = group.credentials.filter(({ id }) => id === 'b')
    scene.gateway.reload({
      ...scene.config,
      accessKeys: [{ id: 'next', sha256: digestOf(key) }],
      groups: [{ ...group, id: 'other', credentials: b }],
    })
    open()
    expect(await reader.rest()).toBeUndefined()
    expect(reader.text).toContain('[DONE]')
    expect(await scene.ended()).toMatchObject({ ended: 'complete', accessKey: 'team' })
    expect((await scene.ask('openai-chat')).status).toBe(401)
    const headers = { authorization: `Bearer ${key}` }
    expect((await scene.ask('openai-chat', {}, { headers })).status).toBe(200)
    expect(scene.traffic).toBe('a1 b1')
  })

  test('that is wrong changes nothing', async () => {
    const scene = new Scene(providers)
    const wrong = { ...scene.config, groups: [{ ...scene.config.groups[0], weight: 0 }] }
    expect(() => scene.gateway.reload(wrong as never)).toThrow(
      expect.objectContaining({ code: 'invalid_config', path: 'groups[0].weight' }),
    )
    const alsoWrong = { ...scene.config, cooldown: { baseMs: -1 } }
    expect(() => scene.gateway.reload(alsoWrong)).toThrow(
      expect.objectContaining({ code: 'invalid_config', path: 'cooldown.baseMs' }),
    )
    expect((await scene.ask('openai-chat')).status).toBe(200)
  })

  test('keeps what is known of credentials', async () => {
    const scene = new Scene(providers, { config: { exhausted: { maxWaitMs: 0 } } })
    for (const id of ['a', 'b']) scene.script(id, after(Promise.resolve(), limitedForLong))
    await (await scene.ask('openai-chat')).text()
    scene.gateway.reload({ ...scene.config, timeouts: { idleMs: 5 } })
    const response = await scene.ask('openai-chat')
    expect(response.headers.get('x-keyrota-code')).toBe('no_credential_available')
    scene.gateway.recover('a')
    expect((await scene.ask('openai-chat')).status).toBe(200)
  })
})

function limitedForLong(exchange: Exchange): void {
  const headers = { 'content-type': 'application/json', 'retry-after': '600' }
  const error = { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' }
  exchange.respond(429, headers, JSON.stringify({ error }))
}

test('200 streams at once each get their own, and nothing is left behind', async () => {
  const scene = new Scene(providers, { config: { strategy: 'smooth' } })
  const answers = Array.from({ length: 200 }, (_, at) =>
    scene.stream(PROTOCOLS[at % PROTOCOLS.length] ?? 'gemini'),
  )
  for (const answer of answers) {
    const text = await (await answer).text()
    expect(text).toContain(PIECES[1].trim())
  }
  await scene.ended(200)
  expect(scene.inFlight).toBe(0)
  expect(TEXT).toContain(PIECES[1])
})
