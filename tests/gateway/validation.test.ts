// How a blacklisted key is found to work again.

import type { CredentialEvent, GatewayEvent, GroupConfig } from 'keyrota/gateway'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Providers, type Step } from '../support/providers/index.ts'
import { Scene, until } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

function changes(events: readonly GatewayEvent[]): CredentialEvent[] {
  return events.filter((event) => event.type === 'credential')
}

/** A refusal that says no more than that a quota is used up. */
const vague: Step = (exchange) => {
  exchange.respond(402, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')
}

const blacklist = { threshold: 1, validateEveryMs: 1_000 }

/** Has `a` blacklisted and validated once, by the next steps of its script. */
async function validated(group: Partial<GroupConfig>, ...steps: Step[]) {
  let now = Date.parse('2027-01-01T12:00:00Z')
  const at = new Scene(providers, {
    config: { blacklist, exhausted: { maxWaitMs: 0 } },
    group,
    options: { now: () => now },
  })
  const stateOf = (id: string) =>
    at.gateway.health()[0]?.credentials.find((row) => row.id === id)?.state
  at.script('a', vague, ...steps)
  await (await at.ask('openai-chat')).text()
  expect([stateOf('a'), changes(at.events).at(-1)]).toMatchObject([
    'blacklisted',
    { change: 'blacklisted' },
  ])
  now += 1_001
  await (await at.ask('openai-chat')).text()
  await at.rest()
  return { at, stateOf }
}

const status =
  (code: number): Step =>
  (exchange) =>
    exchange.respond(code, { 'content-type': 'application/json' }, '{"detail":"Not here"}')

test.each([404, 405])(
  'a blacklisted key stays as it is when a %i answers its validation',
  async (code) => {
    const { at, stateOf } = await validated({}, status(code))
    await until(() => at.traffic.startsWith('a2'))
    await at.rest()
    expect(stateOf('a')).toBe('blacklisted')
    expect(changes(at.events).map(({ change }) => change)).toEqual(['cooldown', 'blacklisted'])
    at.gateway.recover('a')
    expect(stateOf('a')).toBe('available')
  },
)

test('a blacklisted key is validated by the path that its group names', async () => {
  const { at, stateOf } = await validated({ validatePath: '/v1/key' }, status(200))
  await until(() => stateOf('a') === 'available')
  expect(providers.received(at.secret('a'))[1]?.path).toBe('/v1/key')
  expect(changes(at.events).at(-1)).toMatchObject({ change: 'enabled', credential: 'a' })
})

test('a blacklisted key is sent nowhere when its provider has no such path', async () => {
  const { at, stateOf } = await validated({ validatePath: null })
  expect([stateOf('a'), at.traffic]).toEqual(['blacklisted', 'a1 b2'])
})
