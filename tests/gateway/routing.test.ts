import type { GroupConfig } from 'keyrota/gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { after, limited, Providers, refuse, stallAfter } from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene, until } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** Two groups of one credential each, `a` in the upper and `b` in the lower. */
function tiers(more: { upper?: Partial<GroupConfig>; lower?: Partial<GroupConfig> } = {}) {
  const secrets = { a: newKey('sk-'), b: newKey('sk-') }
  const group = (id: string, credential: 'a' | 'b', priority: number): GroupConfig => ({
    id,
    priority,
    baseUrl: providers.url,
    protocols: ['openai-chat', 'openai-responses'],
    credentials: [{ id: credential, secret: secrets[credential] }],
  })
  const groups = [
    { ...group('upper', 'a', 1), ...more.upper },
    { ...group('lower', 'b', 0), ...more.lower },
  ]
  const scene = new Scene(providers, { config: { groups, strategy: 'smooth' } })
  Object.assign(scene.secrets, secrets)
  return scene
}

describe('groups', () => {
  test('of the upper tier serve while one of them can', async () => {
    const scene = tiers()
    for (let turn = 0; turn < 5; turn++) await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a5 b0')
  })

  test('of the lower tier serve after a failure, and the client sees none', async () => {
    const scene = tiers()
    scene.script('a', limited(60))
    for (let turn = 0; turn < 3; turn++) {
      const response = await scene.ask('openai-chat')
      expect(response.status).toBe(200)
      await response.text()
    }
    expect(scene.traffic).toBe('a1 b3')
    const groups = scene.attempts.map(({ group, verdict }) => `${group} ${verdict}`)
    expect(groups).toEqual(['upper rate_limited', 'lower ok', 'lower ok', 'lower ok'])
    const { groups: inspected } = scene.gateway.inspect({
      accessKey: 'team',
      protocol: 'openai-chat',
      model: 'm',
    })
    expect(inspected.map(({ id, reason }) => [id, reason])).toEqual([
      ['upper', expect.any(String)],
      ['lower', 'chosen'],
    ])
  })

  test('call one model by names of their own, each in its attempt', async () => {
    const scene = tiers({
      upper: { models: [{ name: 'm', upstream: 'upper-m' }] },
      lower: { models: [{ name: 'm', upstream: 'lower-m' }] },
    })
    scene.script('a', limited(60))
    await scene.ask('openai-chat')
    const sent = ['a', 'b'].map((id) => providers.received(scene.secret(id))[0]?.json['model'])
    expect(sent).toEqual(['upper-m', 'lower-m'])
  })

  test('that an access key is not for are as if they were not there', async () => {
    const scene = tiers()
    const key = newKey('ak-')
    const accessKeys = [{ id: 'cheap', sha256: digestOf(key), groups: ['lower'] }]
    scene.gateway.reload({ ...scene.config, accessKeys })
    const headers = { authorization: `Bearer ${key}` }
    expect((await scene.ask('openai-chat', {}, { headers })).status).toBe(200)
    expect(scene.traffic).toBe('a0 b1')
  })

  test('at their cap let the next ones serve, until one is free', async () => {
    const scene = tiers({ upper: { maxConcurrent: 1 } })
    scene.script('a', stallAfter(3))
    const first = await scene.stream('openai-chat')
    expect((await scene.ask('openai-chat')).status).toBe(200)
    expect(scene.traffic).toBe('a1 b1')
    await first.body?.cancel()
    await scene.rest()
    await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a2 b1')
  })
})

test('when all are at their cap the client is told to ask again in a second', async () => {
  const scene = new Scene(providers, {
    group: { maxConcurrent: 1 },
    config: { exhausted: { maxWaitMs: 0 } },
  })
  scene.script('a', stallAfter(3))
  const first = await scene.stream('openai-chat')
  const response = await scene.ask('openai-chat')
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('1')
  expect(response.headers.get('x-keyrota-code')).toBe('no_credential_available')
  await first.body?.cancel()
  await scene.rest()
  expect((await scene.ask('openai-chat')).status).toBe(200)
})

describe('a conversation', () => {
  test('learns where it belongs from a success alone', async () => {
    const scene = new Scene(providers, { config: { strategy: 'smooth' } })
    scene.script('a', refuse('limited', { 'retry-after-ms': '1' }))
    await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a1 b1')
    for (let turn = 0; turn < 4; turn++) await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a1 b5')
  })

  test.each([
    ['prompt_cache_key', (key: string) => ({ prompt_cache_key: key })],
    ['the first words', (key: string) => ({ messages: [{ role: 'user', content: key }] })],
  ])('is known by %s', async (_, more) => {
    const scene = new Scene(providers, { config: { strategy: 'smooth' } })
    for (const key of ['x-1', 'y-1', 'x-1', 'y-1', 'x-1', 'y-1']) {
      await (await scene.ask('openai-chat', more(key))).text()
    }
    for (const id of ['a', 'b']) {
      const bodies = providers.received(scene.secret(id)).map(({ body }) => body.toString())
      expect(bodies).toHaveLength(3)
      expect(new Set(bodies).size).toBe(1)
    }
  })

  // Reproducer for router-for-me/CLIProxyAPI#4674: 50 to 100 agents share one session and crush one key.
  test('crushes no key: what is too much goes elsewhere, and the conversation stays', async () => {
    const scene = new Scene(providers)
    const groups = scene.config.groups.map((group) => ({
      ...group,
      credentials: group.credentials.map((credential) => {
        return credential.id === 'a' ? { ...credential, maxConcurrent: 5 } : credential
      }),
    }))
    scene.gateway.reload({ ...scene.config, groups })
    await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a1 b0')
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    scene.script('a', ...Array.from({ length: 5 }, () => after(gate)))
    const answers = Array.from({ length: 100 }, () => scene.ask('openai-chat'))
    await until(() => scene.traffic === 'a6 b95')
    open()
    for (const answer of answers) {
      const response = await answer
      expect(response.status).toBe(200)
      await response.text()
    }
    await scene.rest()
    await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a7 b95')
  })

  test('is on no credential when affinity is off', async () => {
    const config = { strategy: 'smooth', affinity: { enabled: false } } as const
    const scene = new Scene(providers, { config })
    for (let turn = 0; turn < 4; turn++) await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe('a2 b2')
  })
})

test('a response is continued for the access key that made it, and unknown to others', async () => {
  const key = newKey('ak-')
  const scene = new Scene(providers, { config: { strategy: 'smooth' } })
  const accessKeys = [...scene.config.accessKeys, { id: 'other', sha256: digestOf(key) }]
  scene.gateway.reload({ ...scene.config, accessKeys })
  const made = await (await scene.ask('openai-responses')).json()
  const [by, other] = scene.traffic === 'a1 b0' ? ['a', 'b'] : ['b', 'a']
  const choice = (accessKey: string) => {
    const query = {
      accessKey,
      protocol: 'openai-responses',
      model: 'm',
      continues: made.id,
    } as const
    return scene.gateway.inspect(query).choice?.credential
  }
  expect(choice('team')).toBe(by)
  expect(choice('other')).toBe(other)
})

test('a blacklisted key is validated by the list of models, and serves again', async () => {
  let now = Date.now()
  const scene = new Scene(providers, {
    config: { blacklist: { threshold: 1, validateEveryMs: 1_000 }, exhausted: { maxWaitMs: 0 } },
    options: { now: () => now },
  })
  const vague = (exchange: {
    respond: (status: number, headers: object, body: string) => void
  }) => {
    exchange.respond(402, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')
  }
  scene.script('a', vague as never)
  await (await scene.ask('openai-chat')).text()
  const stateOf = (id: string) =>
    scene.gateway.health()[0]?.credentials.find((row) => row.id === id)?.state
  expect(stateOf('a')).toBe('blacklisted')
  now += 1_001
  await (await scene.ask('openai-chat')).text()
  await until(() => stateOf('a') === 'available')
  const validated = providers.received(scene.secret('a'))[1]
  expect([validated?.method, validated?.path]).toEqual(['GET', '/v1/models'])
})

test('health is data without secrets', async () => {
  const scene = new Scene(providers)
  await (await scene.ask('openai-chat')).text()
  await scene.rest()
  const health = scene.gateway.health()
  expect(structuredClone(health)).toEqual(health)
  expect(health).toMatchObject([
    { id: 'main', credentials: [{ id: 'a', state: 'available', successes: 1 }, { id: 'b' }] },
  ])
  expect(JSON.stringify(health)).not.toContain('sk-')
})

test('an answer without content goes to the next key when that is asked for', async () => {
  const empty = JSON.stringify({
    choices: [{ message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
  })
  for (const emptyResponses of [false, true]) {
    const scene = new Scene(providers, { config: { retry: { emptyResponses } } })
    scene.script('a', (exchange) =>
      exchange.respond(200, { 'content-type': 'application/json' }, empty),
    )
    await (await scene.ask('openai-chat')).text()
    expect(scene.traffic).toBe(emptyResponses ? 'a1 b1' : 'a1 b0')
  }
})

test('the retry budget is spent by all requests together, and stays through a reload', async () => {
  const retry = { budget: { share: 0, reserve: 2 }, maxAttempts: 2 }
  const moment = { baseMs: 1, capMs: 1 }
  const config = { retry, cooldown: { pause: moment, overload: moment } }
  const scene = new Scene(providers, { config })
  const fail = after(Promise.resolve(), (exchange) => exchange.respond(500, {}, ''))
  for (const id of ['a', 'b']) scene.script(id, fail, fail, fail, fail, fail, fail)
  for (let turn = 0; turn < 4; turn++) {
    await (await scene.ask('openai-chat', bodyOf('openai-chat', { seed: turn }))).text()
    if (turn === 1) scene.gateway.reload({ ...scene.config, timeouts: { idleMs: 9 } })
  }
  expect(scene.requests.map(({ attempts }) => attempts)).toEqual([2, 2, 1, 1])
})

test('secrets are read from where the host has them', async () => {
  const secret = newKey('sk-')
  const credentials = [
    { id: 'a', secret: '$KEY_OF_A' },
    { id: 'b', secret: '$toString' },
  ]
  const options = { env: { KEY_OF_A: secret } }
  const scene = new Scene(providers, { group: { credentials }, options })
  expect((await scene.ask('openai-chat')).status).toBe(200)
  expect(providers.received(secret)).toHaveLength(1)
  const rows = scene.gateway.health()[0]?.credentials
  expect(rows?.map(({ state }) => state)).toEqual(['available', 'secret_unresolved'])
})
