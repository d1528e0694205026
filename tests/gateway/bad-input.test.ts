import { once } from 'node:events'
import { request as send } from 'node:http'
import type { Protocol } from 'keyrota/gateway'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Providers } from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene, until } from './scene.ts'
import { Served } from './served.ts'

const MEBIBYTE = 1_048_576

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())
afterEach(() => {
  vi.useRealTimers()
})

/** What a client of OpenAI reads. */
async function codeOf(response: Response): Promise<string> {
  return (await response.json()).error.code
}

/** Runs with a served gateway, which serves a good request afterwards. */
async function served(scene: Scene, run: (server: Served) => Promise<void>): Promise<void> {
  const server = await Served.start(scene.gateway)
  try {
    await run(server)
    const headers = {
      authorization: `Bearer ${scene.accessKey}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify(bodyOf('openai-chat'))
    const url = `${server.url}/v1/chat/completions`
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    await response.text()
    await scene.rest()
  } finally {
    server.stop()
  }
}

describe('a body', () => {
  const limits = { bodyBytes: MEBIBYTE }

  test('that says it has 100 MB is refused before any of it is read', async () => {
    const scene = new Scene(providers)
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new Uint8Array(65_536))
        },
      },
      { highWaterMark: 0 },
    )
    const init = { body, duplex: 'half', headers: { 'content-length': String(100 * MEBIBYTE) } }
    const response = await scene.gateway.fetch(
      scene.request('/v1/responses', undefined, { method: 'POST', ...init } as RequestInit),
    )
    expect(response.status).toBe(413)
    expect(await codeOf(response)).toBe('body_too_large')
    expect(pulled).toBe(0)
  })

  test('of 100 MB that does not say so is read up to the limit and no further', async () => {
    const scene = new Scene(providers, { config: { limits } })
    let pulled = 0
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 65_536
          controller.enqueue(new Uint8Array(65_536).fill(32))
          if (pulled >= 100 * MEBIBYTE) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const init = { body, duplex: 'half', method: 'POST' }
    const response = await scene.gateway.fetch(
      scene.request('/v1/messages', undefined, init as RequestInit),
    )
    expect(response.status).toBe(413)
    expect((await response.json()).error.type).toBe('request_too_large')
    expect(pulled).toBeLessThanOrEqual(MEBIBYTE + 2 * 65_536)
  })

  test('of 100 MB over HTTP is refused while it is sent, and the next request is served', async () => {
    const scene = new Scene(providers, { config: { limits } })
    await served(scene, async (server) => {
      const headers = { authorization: `Bearer ${scene.accessKey}`, 'transfer-encoding': 'chunked' }
      const asked = send(`${server.url}/v1/chat/completions`, { method: 'POST', headers })
      asked.on('error', () => {}) // the server may close what it need not read
      const chunk = Buffer.alloc(MEBIBYTE, 32)
      let answered = false
      const answer = once(asked, 'response').then(([response]) => {
        answered = true
        return response
      })
      for (let sent = 0; sent < 100 && !answered; sent++) {
        if (!asked.write(chunk)) await Promise.race([once(asked, 'drain'), answer])
      }
      expect((await answer).statusCode).toBe(413)
      asked.destroy()
    })
  })

  test('of exactly the limit is served', async () => {
    const scene = new Scene(providers, { config: { limits: { bodyBytes: 200 } } })
    const text = JSON.stringify(bodyOf('openai-chat')).padEnd(200)
    expect((await scene.gateway.fetch(scene.request('/v1/chat/completions', text))).status).toBe(
      200,
    )
    const longer = await scene.gateway.fetch(scene.request('/v1/chat/completions', `${text} `))
    expect(longer.status).toBe(413)
  })

  test('that does not come is given up', async () => {
    const scene = new Scene(providers)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"model":')),
    })
    const init = { body, duplex: 'half', method: 'POST' } as RequestInit
    const answer = scene.gateway.fetch(scene.request('/v1/chat/completions', undefined, init))
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(29_999)
    expect(scene.requests).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1)
    const response = await answer
    expect(response.status).toBe(408)
    expect(await codeOf(response)).toBe('body_timeout')
    expect(scene.traffic).toBe('a0 b0')
  })

  test('of a slow client over HTTP is given up, and the client is told', async () => {
    const scene = new Scene(providers, { config: { timeouts: { bodyMs: 5 } } })
    const server = await Served.start(scene.gateway)
    const answer = await server.exchange(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.accessKey}\r\ncontent-length: 100\r\n\r\n{"model"`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('body_timeout')
    server.stop()
  })

  test('of a client that leaves in the middle costs nothing', async () => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const socket = await server.connect()
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.accessKey}\r\ncontent-length: 100\r\n\r\n{"model"`,
      )
      await new Promise((resolve) => setImmediate(resolve))
      socket.destroy()
      await until(() => scene.requests.length === 1)
      expect(scene.requests[0]).toMatchObject({ status: 499, errorCode: 'client_closed' })
      expect(scene.traffic).toBe('a0 b0')
    })
  })

  test.each([
    ['nothing', ''],
    ['half of it', '{"model":"m"'],
    ['a list', '[]'],
    ['a text', '"model"'],
    ['a number', '1'],
    ['null', 'null'],
    ['two of them', '{"model":"m"}{}'],
    ['a comment', '{"model":"m"}// x'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nested very deep and open', `{"model":"m","a":${'['.repeat(200_000)}`],
  ])('of %s is no JSON object', async (_, body) => {
    const scene = new Scene(providers)
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/embeddings']) {
      const init = { method: 'POST', body }
      const response = await scene.gateway.fetch(scene.request(path, undefined, init))
      expect(response.status).toBe(400)
      expect(await codeOf(response)).toBe('invalid_json')
    }
    expect(scene.traffic).toBe('a0 b0')
  })

  test('that is nested very deep is passed on', async () => {
    const scene = new Scene(providers, { group: { models: [{ name: 'm', upstream: 'real' }] } })
    const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)},"model":"m"}`
    const response = await scene.gateway.fetch(scene.request('/v1/chat/completions', deep))
    expect(response.status).toBe(200)
    const [exchange] = providers.received(scene.secret('a'))
    expect(exchange?.body.toString()).toBe(deep.replace('"m"', '"real"'))
  })

  test('that is compressed is refused', async () => {
    const scene = new Scene(providers)
    const headers = { 'content-encoding': 'gzip' }
    const response = await scene.ask('openai-chat', {}, { headers })
    expect(response.status).toBe(415)
    expect(await codeOf(response)).toBe('unsupported_encoding')
  })
})

describe('headers', () => {
  test.each([
    ['a line feed', 'x-request-id: a\nset-cookie: b=c'],
    ['a carriage return', 'x-request-id: a\rset-cookie: b=c'],
    ['a NUL', 'x-request-id: a\0b'],
    ['no name', ': a'],
    ['a blank in the name', 'x request id: a'],
  ])('with %s get nothing into the answer', async (_, line) => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const answer = await server.exchange(
        `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.accessKey}\r\n${line}\r\n\r\n`,
      )
      expect(answer.toLowerCase()).not.toContain('set-cookie')
      expect(answer).toMatch(/^HTTP\/1\.1 (?:400|200) /)
    })
  })

  test('that come twice and differ are refused, and tell no key', async () => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const other = newKey('ak-')
      const answer = await server.exchange(
        `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.accessKey}\r\nx-api-key: ${other}\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('conflicting_access_keys')
      expect(answer).not.toContain(other)
    })
  })

  test('that come twice and are the same are one', async () => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const key = `authorization: Bearer ${scene.accessKey}\r\n`
      const answer = await server.exchange(`GET /v1/models HTTP/1.1\r\nhost: x\r\n${key}${key}\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    })
  })

  test('of 20 KB are refused by the server, which lives on', async () => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const answer = await server.exchange(
        `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    })
  })
})

describe('a path that leads elsewhere', () => {
  test.each([
    ['/v1/../admin'],
    ['/v1/responses/..'],
    ['/v1/responses/%2e%2e'],
    ['/v1/responses/..%2f..%2fadmin'],
    ['/v1/responses/%2Fadmin'],
    ['/v1/responses/resp_1%3Fkey=x'],
    ['/v1/responses/resp_1%23'],
    ['/v1/responses/resp_1%00'],
    ['/v1/responses/%E0%A4%A'],
    ['/v1/responses/.'],
    ['//v1/responses/resp_1'],
  ])('%s is not passed on', async (path) => {
    const scene = new Scene(providers)
    await served(scene, async (server) => {
      const answer = await server.exchange(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.accessKey}\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 (?:400|404|405) /)
      expect(scene.traffic).toBe('a0 b0')
    })
  })

  test.each([
    ['..%2f..%2fadmin', '..%2F..%2Fadmin'],
    ['m%3Fkey=x', 'm%3Fkey%3Dx'],
    ['m%23', 'm%23'],
    ['a%2Fb', 'a%2Fb'],
  ])('as a model of Gemini, %s stays one name', async (name, sent) => {
    const scene = new Scene(providers)
    await scene.gateway.fetch(
      scene.request(`/v1beta/models/${name}:generateContent`, bodyOf('gemini')),
    )
    const [exchange] = providers.received(scene.secret('a'))
    expect(exchange?.target).toBe(`/v1beta/models/${sent}:generateContent`)
  })
})

describe('access keys', () => {
  test('of which 10,000 are wrong cost little, and the right one is served', async () => {
    const keys = Array.from({ length: 100 }, (_, at) => ({
      id: `k${at}`,
      sha256: digestOf(newKey('ak-')),
    }))
    const scene = new Scene(providers)
    scene.gateway.reload({ ...scene.config, accessKeys: [...scene.config.accessKeys, ...keys] })
    const began = performance.now()
    const statuses = new Set<number>()
    for (let round = 0; round < 100; round++) {
      const answers = Array.from({ length: 100 }, (_, at) =>
        scene.ask('openai-chat', {}, { headers: { authorization: `Bearer wrong-${round}-${at}` } }),
      )
      for (const { status } of await Promise.all(answers)) statuses.add(status)
    }
    expect([...statuses]).toEqual([401])
    expect(performance.now() - began).toBeLessThan(8_000)
    expect(scene.traffic).toBe('a0 b0')
    expect((await scene.ask('openai-chat')).status).toBe(200)
  })

  test('that are wrong are refused before the body is read', async () => {
    const scene = new Scene(providers)
    let pulled = 0
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const init = { method: 'POST', body, duplex: 'half', headers: { authorization: 'Bearer x' } }
    const request = scene.request('/v1/messages', undefined, init as RequestInit)
    expect((await scene.gateway.fetch(request)).status).toBe(401)
    expect(pulled).toBe(0)
  })
})

test.each(['openai-chat', 'gemini'] as const)(
  'a model with odd letters is unknown to %s',
  async (protocol: Protocol) => {
    const scene = new Scene(providers, { group: { models: ['m'] } })
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'é🌍',
      ' m',
      'm ',
      'M'.repeat(10_000),
    ]) {
      const path = `/v1beta/models/${encodeURIComponent(name)}:generateContent`
      const response = await (protocol === 'gemini'
        ? scene.gateway.fetch(scene.request(path, bodyOf('gemini')))
        : scene.ask(protocol, { model: name }))
      expect(response.status).toBe(404)
      expect(response.headers.get('x-keyrota-code')).toBe('model_not_found')
    }
    expect(scene.traffic).toBe('a0 b0')
  },
)
