// What an operator is told of credentials.

import type { CredentialEvent } from 'keyrota/gateway'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limited, Providers, refuse, type Step } from '../support/providers/index.ts'
import { Scene, type SceneOptions, until } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

const START = Date.parse('2027-01-01T12:00:00Z')

function scene({ config, ...more }: SceneOptions = {}) {
  const time = { now: START }
  const options = { now: () => time.now, ...more.options }
  const made = new Scene(providers, {
    ...more,
    config: { exhausted: { maxWaitMs: 0 }, ...config },
    options,
  })
  return { scene: made, time, stateOf: (id: string) => rowOf(made, id)?.state }
}

function rowOf({ gateway }: Scene, id: string) {
  return gateway.health()[0]?.credentials.find((row) => row.id === id)
}

function changes({ events }: Scene): CredentialEvent[] {
  return events.filter((event) => event.type === 'credential')
}

/** A refusal that says no more than that a quota is used up. */
const vague: Step = (exchange) => {
  exchange.respond(402, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')
}

const NOTHING = { class: null, scope: null, model: null, until: null, message: null }

test('a rest is told with the class, what it is about, and the time', async () => {
  const { scene: at } = scene()
  at.script('a', limited(30))
  await (await at.ask('openai-chat')).text()
  const rest = { class: 'rate_limited', scope: 'model', model: 'm', until: START + 30_000 }
  expect(changes(at)).toEqual([
    {
      type: 'credential',
      change: 'cooldown',
      group: 'main',
      credential: 'a',
      ...rest,
      message: null,
    },
  ])
})

test('the end of the rest of a whole credential is told', async () => {
  const { scene: at, time } = scene()
  at.script('a', vague)
  await (await at.ask('openai-chat')).text()
  expect(changes(at)).toMatchObject([{ change: 'cooldown', class: 'quota_exhausted', model: null }])
  time.now = Number(changes(at)[0]?.until) + 1
  await (await at.ask('openai-chat')).text()
  const about = { type: 'credential', group: 'main', credential: 'a' }
  expect(changes(at).slice(1)).toEqual([{ ...about, ...NOTHING, change: 'recovered' }])
})

test('a pause is told with the group, and with the credential whose attempt told', async () => {
  const { scene: at } = scene()
  at.script('a', refuse('overloaded'))
  await (await at.ask('openai-chat')).text()
  expect(changes(at)).toMatchObject([{ change: 'paused', group: 'main', credential: 'a' }])
})

test('a key that is proven dead, and one that is brought back, are told', async () => {
  const { scene: at } = scene()
  at.script('a', refuse('unauthorized'))
  await (await at.ask('openai-chat')).text()
  at.gateway.recover('a')
  expect(changes(at)).toMatchObject([
    { change: 'disabled', credential: 'a', class: 'auth_failed', until: null },
    { change: 'enabled', credential: 'a', class: null },
  ])
})

test.each([
  ['a blank within', 'sk inner blank'],
  ['no text', 42],
])(
  'a secret that resolves to %s is told, and health and an inspection name it',
  async (_, secret) => {
    const resolveSecret = () => secret as string
    const { scene: at, stateOf } = scene({ options: { resolveSecret } })
    await at.gateway.ready()
    await until(() => changes(at).length === 2)
    expect(changes(at)[0]).toMatchObject({ change: 'invalid_credential', group: 'main' })
    expect(changes(at).map(({ credential }) => credential)).toEqual(['a', 'b'])
    expect(changes(at)[0]?.message).toMatch(/^secret must be/)
    expect([stateOf('a'), stateOf('b')]).toEqual(['invalid_credential', 'invalid_credential'])
    const query = { accessKey: 'team', protocol: 'openai-chat' } as const
    const [group] = at.gateway.inspect(query).groups
    expect(group?.credentials.map(({ reason }) => reason)).toEqual(Array(2).fill(stateOf('a')))
    expect(JSON.stringify([at.events, at.gateway.health(), group])).not.toContain('inner')
  },
)

test('a secret that is not there is told with the name of its variable', async () => {
  const credentials = [{ id: 'a', secret: '$NOT_THERE' }]
  const { scene: at } = scene({ group: { credentials }, options: { env: {} } })
  await until(() => changes(at).length > 0)
  expect(changes(at)).toEqual([
    {
      ...{ ...NOTHING, type: 'credential', group: 'main', credential: 'a' },
      ...{ change: 'secret_unresolved', message: expect.stringContaining('NOT_THERE') },
    },
  ])
})

test('no event of a credential has a secret in it, and a log that throws breaks nothing', async () => {
  const seen: unknown[] = []
  const onEvent = (event: unknown) => {
    seen.push(event)
    throw new Error('the log is full')
  }
  const { scene: at } = scene({ options: { onEvent } })
  at.script('a', limited(30))
  expect((await at.ask('openai-chat')).status).toBe(200)
  expect(JSON.stringify(seen)).toContain('cooldown')
  for (const id of ['a', 'b']) expect(JSON.stringify(seen)).not.toContain(at.secret(id))
})
