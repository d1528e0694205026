import type { Protocol } from 'keyrota/gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limited, PIECES, Providers, TEXT } from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene } from './scene.ts'

const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** What the model says, wherever the protocol has it. */
function saidIn(text: string): string {
  const pieces = text.matchAll(/"(?:text|content|delta)":"((?:[^"\\]|\\.)*)"/g)
  return [...pieces].map(([, piece]) => JSON.parse(`"${piece}"`)).join('')
}

describe.each(PROTOCOLS)('%s', (protocol: Protocol) => {
  test('is answered in one piece', async () => {
    const scene = new Scene(providers)
    const response = await scene.ask(protocol)
    expect(response.status).toBe(200)
    expect(saidIn(JSON.stringify(await response.json()))).toBe(TEXT)
    expect(scene.traffic).toBe('a1 b0')
    expect(response.headers.get('x-keyrota-attempts')).toBe('1')
    expect(response.headers.get('x-request-id')).toBeTruthy()
    await scene.rest()
  })

  test('is answered as a stream, with all that the provider says', async () => {
    const scene = new Scene(providers)
    const response = await scene.stream(protocol)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const said = saidIn(await response.text())
    expect(said.startsWith(PIECES.slice(0, -1).join(''))).toBe(true)
    expect(await scene.ended()).toMatchObject({ ended: 'complete', status: 200, attempts: 1 })
    expect(scene.inFlight).toBe(0)
  })

  test.each([false, true])('goes to the next key after a limit; stream: %s', async (isStream) => {
    const scene = new Scene(providers)
    scene.script('a', limited(30))
    const response = await (isStream ? scene.stream(protocol) : scene.ask(protocol))
    expect(response.status).toBe(200)
    await response.text()
    expect(scene.traffic).toBe('a1 b1')
    expect(response.headers.get('x-keyrota-attempts')).toBe('2')
    await scene.ended()
    expect(scene.attempts.map(({ verdict, status }) => [verdict, status])).toEqual([
      ['rate_limited', 429],
      ['ok', 200],
    ])
  })

  test('asks the provider by the upstream name of the model, and changes nothing else', async () => {
    const models = [{ name: 'm', upstream: 'real/1' }]
    const scene = new Scene(providers, { group: { models } })
    await scene.ask(protocol, { seed: 1 })
    const [exchange] = providers.received(scene.secret('a'))
    const sent = JSON.parse(exchange?.body.toString() ?? '')
    const named = protocol === 'gemini' ? {} : { model: 'real/1' }
    expect(sent).toEqual({ ...bodyOf(protocol, { seed: 1 }), ...named })
    if (protocol === 'gemini')
      expect(exchange?.path).toBe('/v1beta/models/real%2F1:generateContent')
  })
})

test('a large number of the client arrives as it was written', async () => {
  const scene = new Scene(providers, { group: { models: [{ name: 'm', upstream: 'real' }] } })
  const body =
    '{ "seed": 12345678901234567890, "model":"m", "messages":[{"role":"user","content":"é"}] }'
  await scene.gateway.fetch(scene.request('/v1/chat/completions', body))
  const [exchange] = providers.received(scene.secret('a'))
  expect(exchange?.body.toString()).toBe(body.replace('"m"', '"real"'))
})

describe('other paths', () => {
  test.each<[string, string, object, RegExp]>([
    ['/v1/embeddings', '/v1/embeddings', { model: 'm', input: 'a' }, /"embedding"/],
    [
      '/v1/messages/count_tokens',
      '/v1/messages/count_tokens',
      bodyOf('anthropic-messages'),
      /input_tokens/,
    ],
    ['/v1/responses/compact', '/v1/responses/compact', bodyOf('openai-responses'), /resp_/],
    [
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      '/v1beta/models/m:streamGenerateContent?alt=sse',
      bodyOf('gemini'),
      /data: /,
    ],
  ])('%s', async (path, target, body, expected) => {
    const scene = new Scene(providers)
    const response = await scene.gateway.fetch(scene.request(path, body))
    expect(await response.text()).toMatch(expected)
    const [exchange] = providers.received(scene.secret('a'))
    expect(exchange?.target).toBe(target)
  })

  test.each([['countTokens'], ['embedContent'], ['batchEmbedContents']])(
    'gemini %s reaches the provider',
    async (call) => {
      const scene = new Scene(providers)
      await scene.gateway.fetch(scene.request(`/v1beta/models/m:${call}`, bodyOf('gemini')))
      // Its answer is another matter: the key stands where another dialect looks for it.
      const received = [scene.secret('a'), ''].flatMap((key) => providers.received(key))
      expect(received.some(({ path }) => path === `/v1beta/models/m:${call}`)).toBe(true)
    },
  )

  test('a base address with a version has no second one', async () => {
    const scene = new Scene(providers, { group: { baseUrl: `${providers.url}/v1` } })
    expect((await scene.ask('openai-chat')).status).toBe(200)
    expect(providers.received(scene.secret('a'))[0]?.path).toBe('/v1/chat/completions')
  })
})

describe('a response is continued', () => {
  const strategy = 'smooth'

  test('by the credential that made it, and by no other', async () => {
    const scene = new Scene(providers, { config: { strategy } })
    const made = await (await scene.ask('openai-responses')).json()
    const before = scene.traffic
    const by = before === 'a1 b0' ? 'a' : 'b'
    for (let turn = 0; turn < 4; turn++) {
      const response = await scene.ask('openai-responses', {
        previous_response_id: made.id,
        input: `${turn}`,
      })
      expect(response.status).toBe(200)
    }
    expect(providers.received(scene.secret(by))).toHaveLength(5)
  })

  test.each([
    ['GET', ''],
    ['GET', '/input_items'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ])('%s …%s asks who made it', async (method, more) => {
    const scene = new Scene(providers, { config: { strategy } })
    const made = await (await scene.ask('openai-responses')).json()
    const by = scene.traffic === 'a1 b0' ? 'a' : 'b'
    for (let turn = 0; turn < 3; turn++) {
      const path = `/v1/responses/${made.id}${more}?include=a`
      const response = await scene.gateway.fetch(scene.request(path, undefined, { method }))
      await response.text()
    }
    const received = providers.received(scene.secret(by))
    expect(received).toHaveLength(4)
    expect(received[1]?.method).toBe(method)
    expect(received[1]?.target).toBe(`/v1/responses/${made.id}${more}?include=a`)
  })
})

test('a conversation stays on its credential, and another client has another', async () => {
  const scene = new Scene(providers, { config: { strategy: 'smooth' } })
  for (let turn = 0; turn < 6; turn++) await scene.ask('openai-chat')
  expect([scene.traffic === 'a6 b0', scene.traffic === 'a0 b6']).toContain(true)
})

describe('the list of models', () => {
  const group = {
    models: ['gpt-5', { name: 'fast', upstream: 'x' }],
    protocols: ['openai-chat'] as const,
  }
  const limitedKey = newKey('ak-')
  const scene = () =>
    new Scene(providers, {
      config: {
        accessKeys: [{ id: 'limited', sha256: digestOf(limitedKey), models: ['fast'] }],
        groups: [
          { id: 'one', baseUrl: providers.url, credentials: [], ...group },
          {
            id: 'two',
            baseUrl: providers.url,
            credentials: [{ id: 'c', secret: 'sk-1', models: ['g'] }],
            protocols: ['gemini'],
          },
          {
            id: 'off',
            enabled: false,
            baseUrl: providers.url,
            credentials: [],
            protocols: ['openai-chat'],
            models: ['off'],
          },
        ],
      },
    })
  const get = async (of: Scene, path: string, headers: HeadersInit) => {
    const response = await of.gateway.fetch(new Request(`http://gateway.test${path}`, { headers }))
    return { status: response.status, json: await response.json() }
  }

  test('is what the access key may use, in the shape of OpenAI', async () => {
    const { json } = await get(scene(), '/v1/models', { authorization: `Bearer ${limitedKey}` })
    expect(json).toEqual({
      object: 'list',
      data: [{ id: 'fast', object: 'model', created: 0, owned_by: 'keyrota' }],
    })
  })

  test('has all models of all groups for who may use all', async () => {
    const all = new Scene(providers, { group })
    const headers = { authorization: `Bearer ${all.accessKey}` }
    const { json } = await get(all, '/v1/models', headers)
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(['fast', 'gpt-5'])
    const one = await get(all, '/v1/models/gpt-5', headers)
    expect(one.json).toMatchObject({ id: 'gpt-5', object: 'model' })
    expect((await get(all, '/v1/models/none', headers)).status).toBe(404)
  })

  test('is told in the shapes of Anthropic and of Gemini', async () => {
    const all = new Scene(providers, { group: { models: ['m'] } })
    const anthropic = await get(all, '/v1/models', {
      'x-api-key': all.accessKey,
      'anthropic-version': '2023-06-01',
    })
    expect(anthropic.json).toMatchObject({ data: [{ type: 'model', id: 'm' }], has_more: false })
    const gemini = await get(all, `/v1beta/models?key=${all.accessKey}`, {})
    expect(gemini.json).toEqual({ models: [{ name: 'models/m', displayName: 'm' }] })
  })

  test('is for those with an access key', async () => {
    expect((await get(scene(), '/v1/models', {})).status).toBe(401)
  })
})

test('who asks whether it lives gets numbers and no names', async () => {
  const scene = new Scene(providers)
  const response = await scene.gateway.fetch(new Request('http://gateway.test/healthz'))
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ status: 'ok', groups: 1, credentials: 2 })
  expect(scene.events).toEqual([])
})
