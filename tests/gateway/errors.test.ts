import type { Protocol } from 'keyrota/gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  drop,
  type Exchange,
  echo,
  limited,
  Providers,
  refuse,
} from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene } from './scene.ts'

const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** Checks that the error has the shape that clients of the protocol read. */
async function expectShape(response: Response, protocol: Protocol, code: string): Promise<void> {
  expect(response.headers.get('x-keyrota-code')).toBe(code)
  expect(response.headers.get('content-type')).toBe('application/json')
  const id = response.headers.get('x-request-id')
  expect(id).toBeTruthy()
  const body = await response.json()
  const message = expect.stringMatching(/^[A-Z].*\.$/)
  if (protocol === 'gemini') {
    const details = expect.arrayContaining([
      expect.objectContaining({ reason: code.toUpperCase(), domain: 'keyrota' }),
    ])
    const status = expect.stringMatching(/^[A-Z_]+$/)
    expect(body).toEqual({ error: { code: response.status, message, status, details } })
  } else if (protocol === 'anthropic-messages') {
    const error = { type: expect.stringMatching(/^[a-z_]+$/), message }
    expect(body).toEqual({ type: 'error', error, request_id: id })
  } else {
    const type = expect.stringMatching(/^[a-z_]+_error$/)
    expect(body).toEqual({ error: { message, type, param: body.error.param, code } })
  }
}

describe.each(PROTOCOLS)('an error in the shape of %s', (protocol: Protocol) => {
  test('for a request without an access key', async () => {
    const scene = new Scene(providers)
    const request = scene.request('/v1/x', bodyOf(protocol), { headers: { authorization: ' ' } })
    const path = {
      gemini: '/v1beta/models/m:generateContent',
      'anthropic-messages': '/v1/messages',
    }
    const at = (path as Record<string, string>)[protocol] ?? '/v1/responses'
    const moved = new Request(`http://gateway.test${at}`, request)
    const response = await scene.gateway.fetch(moved)
    expect(response.status).toBe(401)
    await expectShape(response, protocol, 'unauthorized')
    expect(scene.traffic).toBe('a0 b0')
    expect(await scene.ended()).toMatchObject({
      accessKey: null,
      status: 401,
      errorCode: 'unauthorized',
    })
  })

  test.each([
    ['disabled', { enabled: false }, 401, 'unauthorized'],
    ['expired', { expiresAt: '2020-01-01' }, 401, 'unauthorized'],
    ['not for this protocol', { protocols: [] }, 403, 'forbidden'],
    ['not for this model', { models: ['other'] }, 403, 'forbidden'],
    ['not for this group', { groups: [] }, 404, 'model_not_found'],
  ])('for an access key that is %s', async (_, more, status, code) => {
    const key = newKey('ak-')
    const accessKeys = [{ id: 'limited', sha256: digestOf(key), ...more }]
    const scene = new Scene(providers, { config: { accessKeys } })
    const response = await scene.ask(
      protocol,
      {},
      { headers: { 'x-api-key': key, authorization: '' } },
    )
    expect(response.status).toBe(status)
    await expectShape(response, protocol, code)
    expect(await scene.ended()).toMatchObject({
      accessKey: 'limited',
      errorCode: code,
      attempts: 0,
    })
    expect(scene.traffic).toBe('a0 b0')
  })

  test('for a model that no group has', async () => {
    const scene = new Scene(providers, { group: { models: ['other'] } })
    const response = await scene.ask(protocol)
    expect(response.status).toBe(404)
    await expectShape(response, protocol, 'model_not_found')
  })

  test('with its time when every key rests, after the own error of the provider', async () => {
    const scene = new Scene(providers, { config: { exhausted: { maxWaitMs: 0 } } })
    for (const id of ['a', 'b']) scene.script(id, limited(30))
    const first = await scene.ask(protocol)
    expect(first.status).toBe(429)
    expect(first.headers.get('x-keyrota-code')).toBe('upstream_error')
    expect(scene.traffic).toBe('a1 b1')
    const second = await scene.ask(protocol)
    expect(second.status).toBe(429)
    const seconds = Number(second.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(30)
    expect(Number(second.headers.get('retry-after-ms'))).toBeGreaterThan((seconds - 2) * 1_000)
    await expectShape(second, protocol, 'no_credential_available')
    expect(scene.traffic).toBe('a1 b1')
  })

  test('without a time when no key will come back by itself', async () => {
    const scene = new Scene(providers)
    for (const id of ['a', 'b']) scene.script(id, refuse('unauthorized'))
    await scene.ask(protocol)
    const response = await scene.ask(protocol)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBeNull()
    expect(response.headers.get('x-should-retry')).toBe('false')
    await expectShape(response, protocol, 'no_credential_available')
  })

  test('when the provider refuses every key, which are not those of the client', async () => {
    const scene = new Scene(providers)
    for (const id of ['a', 'b']) scene.script(id, refuse('unauthorized'))
    const response = await scene.ask(protocol)
    expect(response.status).toBe(502)
    expect(response.headers.get('x-should-retry')).toBe('false')
    await expectShape(response, protocol, 'upstream_unauthorized')
    expect(scene.traffic).toBe('a1 b1')
  })

  test('when the provider cannot be reached, and the request may have been done', async () => {
    const scene = new Scene(providers)
    scene.script('a', drop)
    const response = await scene.ask(protocol)
    expect(response.status).toBe(502)
    await expectShape(response, protocol, 'upstream_unreachable')
    expect(scene.traffic).toBe('a1 b0')
    await scene.rest()
    expect(scene.attempts).toMatchObject([
      { verdict: 'unknown_outcome', status: null, errorCode: 'upstream_unreachable' },
    ])
  })

  test('when the provider sends the request elsewhere, and the key does not follow', async () => {
    const scene = new Scene(providers)
    const elsewhere = { location: `${providers.url}/elsewhere` }
    scene.script('a', (exchange: Exchange) => exchange.respond(307, elsewhere, ''))
    const response = await scene.ask(protocol)
    expect(response.status).toBe(502)
    await expectShape(response, protocol, 'upstream_redirect')
    expect(scene.traffic).toBe('a1 b0')
    await scene.rest()
  })

  test('that is final is the one of the provider, as it came', async () => {
    const scene = new Scene(providers)
    scene.script('a', refuse('bad', { 'x-mine': 'yes', 'set-cookie': 'a=b' }))
    const response = await scene.ask(protocol)
    expect(response.status).toBe(400)
    expect(response.headers.get('x-mine')).toBe('yes')
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('x-keyrota-code')).toBe('upstream_error')
    const said = { gemini: /generation_config/, 'anthropic-messages': /max_tokens/ }
    expect(await response.text()).toMatch(
      (said as Record<string, RegExp>)[protocol] ?? /temperature/,
    )
    expect(scene.traffic).toBe('a1 b0')
  })
})

test('a request that names no model is told which field', async () => {
  const scene = new Scene(providers)
  for (const body of [{}, { model: '' }, { model: 7 }]) {
    const response = await scene.gateway.fetch(scene.request('/v1/chat/completions', body))
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: 'invalid_request', param: 'model' })
  }
})

describe('a path', () => {
  test.each([
    ['/', 'openai-chat'],
    ['/v1/files', 'openai-chat'],
    ['/v1/messages/batches', 'anthropic-messages'],
    ['/v1/responses/a/b', 'openai-responses'],
    ['/v1beta/files', 'gemini'],
    ['/v1beta/models/m:predict', 'gemini'],
    ['/v1beta/models/m', 'gemini'],
  ] as const)('%s that does not exist is told in the shape of %s', async (path, protocol) => {
    const scene = new Scene(providers)
    const response = await scene.gateway.fetch(scene.request(path, {}))
    expect(response.status).toBe(404)
    await expectShape(response, protocol, 'not_found')
  })

  test.each([
    ['/v1/chat/completions', 'GET', 'POST'],
    ['/v1/messages', 'DELETE', 'POST'],
    ['/v1/responses/resp_1', 'PUT', 'GET, DELETE'],
    ['/v1/models', 'POST', 'GET'],
    ['/healthz', 'POST', 'GET'],
  ])('%s does not know %s, and says what it knows', async (path, method, allow) => {
    const scene = new Scene(providers)
    const response = await scene.gateway.fetch(scene.request(path, undefined, { method }))
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect(response.headers.get('x-keyrota-code')).toBe('method_not_allowed')
  })
})

test('the id of a request is the one of the client, and the provider does not get it', async () => {
  const scene = new Scene(providers)
  const response = await scene.ask('openai-chat', {}, { headers: { 'x-request-id': 'mine-1' } })
  expect(response.headers.get('x-request-id')).toBe('mine-1')
  await response.text()
  expect(providers.received(scene.secret('a'))[0]?.headers.has('x-request-id')).toBe(false)
  expect(await scene.ended()).toMatchObject({ requestId: 'mine-1' })
})

test('events tell who asked what of whom, and how long it took', async () => {
  const scene = new Scene(providers)
  scene.script('a', limited(30))
  await (await scene.ask('openai-chat')).text()
  await scene.ended()
  const known = { accessKey: 'team', protocol: 'openai-chat', model: 'm', group: 'main' }
  const events = scene.events.filter((event) => event.type !== 'credential')
  expect(events).toMatchObject([
    {
      ...known,
      type: 'attempt',
      attempt: 1,
      credential: 'a',
      verdict: 'rate_limited',
      status: 429,
    },
    { ...known, type: 'attempt', attempt: 2, credential: 'b', verdict: 'ok', status: 200 },
    { ...known, type: 'request', attempts: 2, status: 200, errorCode: null, ended: 'complete' },
  ])
  expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(1)
  for (const { ms } of events) expect(ms).toBeGreaterThanOrEqual(0)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('full')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('full')
    },
  ],
])('a log that %s breaks no request', async (_, onEvent) => {
  const scene = new Scene(providers, { options: { onEvent } })
  const response = await scene.ask('openai-chat')
  expect(response.status).toBe(200)
  await response.text()
  await scene.rest()
})

test('what is disposed refuses', async () => {
  const scene = new Scene(providers)
  scene.gateway.dispose()
  const response = await scene.ask('openai-chat')
  expect(response.status).toBe(503)
  await expectShape(response, 'openai-chat', 'shutting_down')
})

describe('no part of a secret or an access key', () => {
  test('is in anything that the gateway says', async () => {
    const scene = new Scene(providers, { config: { exhausted: { maxWaitMs: 0 } } })
    const said: string[] = []
    const keep = async (response: Response) => {
      said.push(JSON.stringify([...response.headers]), await response.text().catch(String))
    }
    for (const protocol of PROTOCOLS) {
      scene.script(
        'a',
        echo,
        (exchange) => {
          const secret = scene.secret('a')
          const message = `Incorrect key: ${secret.slice(0, 8)}***${secret.slice(-8)}`
          exchange.respond(400, { 'x-echo': secret }, JSON.stringify({ error: { message } }))
        },
        drop,
      )
      for (let turn = 0; turn < 4; turn++) await keep(await scene.ask(protocol))
      await keep(await scene.stream(protocol))
    }
    const wrong = newKey('ak-')
    await keep(
      await scene.ask('openai-chat', {}, { headers: { authorization: `Bearer ${wrong}` } }),
    )
    const query = `/v1beta/models/m:generateContent?key=${scene.accessKey}`
    const asked = scene.request(query, bodyOf('gemini'))
    asked.headers.delete('authorization')
    await keep(await scene.gateway.fetch(asked))
    const { gateway } = scene
    const inspected = gateway.inspect({ accessKey: 'team', protocol: 'openai-chat', model: 'm' })
    said.push(JSON.stringify([scene.events, gateway.health(), inspected, gateway]))
    const all = said.join('\n')
    for (const key of [...Object.values(scene.secrets), scene.accessKey, wrong]) {
      for (const part of [key, key.slice(0, 8), key.slice(-8)]) expect(all).not.toContain(part)
    }
    for (const secret of Object.values(scene.secrets)) {
      for (const exchange of providers.received(secret)) {
        expect(exchange.raw.toString('latin1')).not.toContain(scene.accessKey.slice(3))
      }
    }
  })
})
