// Faults that were found by trying to break the gateway, each as the rule that it broke.

import { Router } from 'keyrota'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limited, Providers, type Step } from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** An answer that begins, and whose connection then breaks. */
const torn: Step = (exchange) => {
  exchange.begin(200, { 'content-type': 'application/json' })
  exchange.chunk('{"choices": [{"message": {"content": "Hel')
  exchange.cut()
}

/** An answer that begins, and then says no more. */
const stalled: Step = (exchange) => {
  exchange.begin(200, { 'content-type': 'application/json' })
  exchange.chunk('{"choices": [{"message": {"content": "Hel')
}

test('an answer in one piece that breaks off is no success, and no conversation goes by it', async () => {
  const scene = new Scene(providers)
  scene.script('a', torn)
  const response = await scene.ask('openai-chat')
  expect(response.status).toBe(502)
  expect(response.headers.get('x-keyrota-code')).toBe('upstream_unreachable')
  expect(scene.attempts.map(({ verdict }) => verdict)).toEqual(['unknown_outcome'])
  expect(scene.gateway.health()[0]?.credentials.map(({ successes }) => successes)).toEqual([0, 0])
})

test('an answer in one piece that breaks off is asked for again where that is safe', async () => {
  const scene = new Scene(providers)
  scene.script('a', torn)
  const response = await scene.ask('openai-chat', {}, { headers: { 'idempotency-key': 'one' } })
  expect(response.status).toBe(200)
  await response.text()
  expect(scene.traffic).toBe('a1 b1')
})

test('an answer in one piece that does not come in time is told as late', async () => {
  const scene = new Scene(providers, { config: { timeouts: { firstByteMs: 20 } } })
  scene.script('a', stalled)
  const response = await scene.ask('openai-chat')
  expect(response.status).toBe(504)
  expect(response.headers.get('x-keyrota-code')).toBe('upstream_timeout')
  await scene.rest()
})

test.each([
  '{"model": "dear", "model": "m", "messages": []}',
  '{"\\u006dodel": "dear", "messages": [], "model": "m"}',
  '{"model": "m", "messages": [], "Model": "dear"}',
])('no reader of %s finds another model than the one that the access key may use', async (body) => {
  const scene = new Scene(providers)
  const [accessKey] = scene.config.accessKeys
  const accessKeys = [
    { ...accessKey, id: 'team', sha256: digestOf(scene.accessKey), models: ['m'] },
  ]
  scene.gateway.reload({ ...scene.config, accessKeys })
  expect((await scene.gateway.fetch(scene.request('/v1/chat/completions', body))).status).toBe(200)
  const sent = String(providers.received(scene.secret('a'))[0]?.body)
  expect(sent).toBe(body.replace('dear', 'm'))
})

test('a body that is nested more deeply than can be written is served all the same', async () => {
  const scene = new Scene(providers)
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const body = `{"model": "m", "messages": [{"role": "user", "content": ${deep}}]}`
  const response = await scene.gateway.fetch(scene.request('/v1/chat/completions', body))
  expect(response.status).toBe(200)
})

test('who asks whether a gateway lives is told when it was disposed', async () => {
  const scene = new Scene(providers)
  scene.gateway.dispose()
  const response = await scene.gateway.fetch(new Request('http://gateway.test/healthz'))
  expect([response.status, await response.json()]).toMatchObject([503, { status: 'shutting_down' }])
})

test('a clock that fails is told in the shape of the client', async () => {
  let isBroken = false
  const now = () => {
    if (isBroken) throw new Error('no time')
    return 1_800_000_000_000
  }
  const scene = new Scene(providers, { options: { now } })
  isBroken = true
  const response = await scene.ask('anthropic-messages')
  expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([500, 'internal_error'])
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } })
})

test('a request that waits for secrets waits for those of a reload too', async () => {
  const asked: (() => void)[] = []
  const resolveSecret = (secret: string) =>
    new Promise<string>((resolve) => asked.push(() => resolve(secret)))
  const scene = new Scene(providers, { options: { resolveSecret } })
  const pending = scene.ask('openai-chat')
  const first = asked.splice(0)
  scene.gateway.reload(scene.config)
  for (const resolve of first) resolve()
  const ready = scene.gateway.ready()
  // The digest of the access key takes its time, and so do the secrets that are no longer wanted.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  for (const resolve of asked) resolve()
  await ready
  expect((await pending).status).toBe(200)
})

test('a Gemini model may have slashes in its name', async () => {
  const scene = new Scene(providers)
  const path = '/v1beta/models/meta/llama-4:generateContent'
  const response = await scene.gateway.fetch(scene.request(path, bodyOf('gemini')))
  expect(response.status).toBe(200)
  expect(scene.attempts[0]?.model).toBe('meta/llama-4')
  const [sent] = providers.received(scene.secret('a'))
  expect(sent?.target).toBe('/v1beta/models/meta%2Fllama-4:generateContent')
})

test('a name is never read from another place of the path than where it stands', async () => {
  const scene = new Scene(providers)
  const path = '/v1beta/%6dodels/llama:generateContent'
  const response = await scene.gateway.fetch(scene.request(path, bodyOf('gemini')))
  expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([404, 'not_found'])
  expect(scene.traffic).toBe('a0 b0')
})

test('what was made before is asked of the credential that made it, however its id is written', async () => {
  const scene = new Scene(providers)
  const { id } = (await (await scene.ask('openai-responses')).json()) as { id: string }
  scene.script('a', limited(60))
  await scene.ask('openai-responses', { input: 'Something else' })
  const path = `/v1/responses/${id.replace('_', '%5F')}`
  const before = scene.traffic
  const response = await scene.gateway.fetch(scene.request(path))
  expect(response.status).toBe(200)
  expect([before, scene.traffic]).toEqual(['a2 b1', 'a3 b1'])
})

test('the record of a response that failed rests nobody, also when it comes as a stream', async () => {
  const failed: Step = (exchange) => {
    const error = { code: 'rate_limit_exceeded', message: 'Rate limit reached' }
    const response = { id: 'resp_1', status: 'failed', error }
    const event = JSON.stringify({ type: 'response.failed', response })
    exchange.begin(200, { 'content-type': 'text/event-stream' })
    exchange.chunk(`event: response.failed\ndata: ${event}\n\n`)
    exchange.end()
  }
  const scene = new Scene(providers)
  scene.script('a', failed)
  const path = '/v1/responses/resp_1?stream=true'
  const response = await scene.gateway.fetch(scene.request(path))
  expect(await response.text()).toContain('rate_limit_exceeded')
  expect(scene.attempts.map(({ credential, verdict }) => [credential, verdict])).toEqual([
    ['a', 'ok'],
  ])
  expect(scene.gateway.health()[0]?.credentials[0]?.state).toBe('available')
})

test('an id of a credential is taken once, whatever blanks are around it', () => {
  const scene = new Scene(providers)
  const [group] = scene.config.groups
  const credentials = [
    { id: 'one', secret: newKey('sk-') },
    { id: ' one ', secret: newKey('sk-') },
  ]
  const reload = () =>
    scene.gateway.reload({ ...scene.config, groups: [{ ...group, credentials }] as never })
  expect(reload).toThrow('groups[0].credentials[1].id is the id of another credential')
})

test('the refusal of a router can be written down after its end', async () => {
  const router = new Router({
    accessKeys: [{ id: 'app' }],
    groups: [{ id: 'main', protocols: ['gemini'], credentials: [] }],
  })
  const running = router.run({ accessKey: 'app', protocol: 'gemini' }, () => 'never')
  const error = await running.catch((thrown: unknown) => thrown)
  router.dispose()
  expect(() => JSON.stringify(error)).not.toThrow()
  expect(error).toMatchObject({ code: 'no_credential_available' })
})

test('the name of a model cannot make up lines of a log, nor fill it', async () => {
  const scene = new Scene(providers)
  const model = `m\n\u001b[2J\u202e\ud800${'x'.repeat(10_000)}`
  await (await scene.ask('openai-chat', { model })).text()
  const shown = `m\ufffd\ufffd[2J\ufffd\ufffd${'x'.repeat(248)}`
  expect([scene.attempts[0]?.model, scene.requests[0]?.model]).toEqual([shown, shown])
})

test.each([['session'], ['continues']])('a %s that is no text is no request', async (name) => {
  const router = new Router({
    accessKeys: [{ id: 'app' }],
    groups: [{ id: 'main', protocols: ['gemini'], credentials: [{ id: 'a', secret: 'sk-a' }] }],
  })
  const request = { accessKey: 'app', protocol: 'gemini', [name]: 5 } as const
  const wrong = { code: 'invalid_option', path: name }
  await expect(router.run(request as never, () => 'never')).rejects.toMatchObject(wrong)
  expect(() => router.inspect(request as never)).toThrow(expect.objectContaining(wrong))
})

test('an access key reaches no model by the fallbacks of a body that it may not ask for', async () => {
  const scene = new Scene(providers)
  const [accessKey] = scene.config.accessKeys
  const accessKeys = [
    { ...accessKey, id: 'team', sha256: digestOf(scene.accessKey), models: ['m', 'n'] },
  ]
  scene.gateway.reload({ ...scene.config, accessKeys })
  for (const models of [['n', 'dear'], ['dear'], [{ name: 'n' }]]) {
    const response = await scene.ask('openai-chat', { models })
    expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([403, 'forbidden'])
  }
  expect(scene.traffic).toBe('a0 b0')
  expect((await scene.ask('openai-chat', { models: ['m', 'n'] })).status).toBe(200)
})
