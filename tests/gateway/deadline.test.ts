// How long a request may take as a whole.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { limited, Providers, refuse, stall } from '../support/providers/index.ts'
import { Scene, until } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** What the client and the log are told, and whom it is held against. */
async function expectLate(scene: Scene, response: Response): Promise<void> {
  expect(response.status).toBe(504)
  expect(response.headers.get('x-keyrota-code')).toBe('deadline_exceeded')
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'timeout_error' } })
  expect(scene.requests.at(-1)).toMatchObject({ errorCode: 'deadline_exceeded', group: null })
  await scene.rest()
}

test('a request ends when its time is over, in the shape of its client, and blames nobody', async () => {
  const scene = new Scene(providers, { config: { timeouts: { totalMs: 50 } } })
  scene.script('a', stall)
  const init = { headers: { 'idempotency-key': 'one' } }
  await expectLate(scene, await scene.ask('anthropic-messages', {}, init))
  expect(scene.traffic).toBe('a1 b0')
  expect(scene.attempts).toMatchObject([
    { verdict: 'unknown_outcome', errorCode: 'deadline_exceeded' },
  ])
  const states = scene.gateway.health()[0]?.credentials.map(({ state }) => state)
  expect(states).toEqual(['available', 'available'])
  const [sent] = providers.received(scene.secret('a'))
  await sent?.closed
})

test('its time counts over all attempts', async () => {
  const timeouts = { firstByteMs: 60, totalMs: 100 }
  const scene = new Scene(providers, { config: { timeouts, retry: { unanswered: true } } })
  for (const id of ['a', 'b']) scene.script(id, stall)
  await expectLate(scene, await scene.ask('anthropic-messages'))
  expect(scene.attempts.map(({ errorCode }) => errorCode)).toEqual([
    'upstream_timeout',
    'deadline_exceeded',
  ])
})

test('its time counts while it waits for a credential', async () => {
  const config = { timeouts: { totalMs: 50 }, exhausted: { maxWaitMs: 60_000 } }
  const scene = new Scene(providers, { config })
  for (const id of ['a', 'b']) scene.script(id, limited(30))
  expect((await scene.ask('anthropic-messages')).status).toBe(429)
  await expectLate(scene, await scene.ask('anthropic-messages'))
})

test('its time does not count once its answer has begun', async () => {
  const scene = new Scene(providers, { config: { timeouts: { totalMs: 50 } } })
  const response = await scene.stream('anthropic-messages')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(await response.text()).toContain('message_stop')
  expect(await scene.ended()).toMatchObject({ status: 200, ended: 'complete' })
})

test('an attempt that may take longer than usual is not cut short by the usual time', async () => {
  const scene = new Scene(providers, { config: { timeouts: { firstByteMs: 400_000 } } })
  const delays: unknown[] = []
  const before = globalThis.setTimeout
  globalThis.setTimeout = ((call: () => void, ms: number) => {
    delays.push(ms)
    return before(call, ms)
  }) as typeof setTimeout
  try {
    await (await scene.ask('openai-chat')).text()
  } finally {
    globalThis.setTimeout = before
  }
  expect(delays.filter((ms) => ms === 400_000)).toHaveLength(2)
  expect(delays).not.toContain(300_000)
})

test.each([
  ['firstByteMs', 'upstream_timeout'],
  ['totalMs', 'deadline_exceeded'],
])('what sends without heeding its signal holds no request up beyond %s', async (name, code) => {
  let answer = (_: Response) => {}
  const upstreamFetch = () =>
    new Promise<Response>((resolve) => {
      answer = resolve
    })
  const config = { timeouts: { [name]: 30 } }
  const scene = new Scene(providers, { config, options: { upstreamFetch } })
  const response = await scene.ask('openai-chat')
  expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([504, code])
  await scene.rest()
  let isLeft = false
  const cancel = () => {
    isLeft = true
  }
  answer(
    new Response(new ReadableStream({ cancel }), { headers: { 'content-type': 'audio/mpeg' } }),
  )
  await until(() => isLeft)
})

test('a later attempt waits no longer than the operator says', async () => {
  const scene = new Scene(providers, { config: { exhausted: { maxWaitMs: 0 } } })
  for (const id of ['a', 'b']) scene.script(id, refuse('overloaded'))
  const began = performance.now()
  const response = await scene.ask('openai-chat')
  expect(response.headers.get('x-keyrota-code')).toBe('upstream_error')
  expect(performance.now() - began).toBeLessThan(400)
  expect(scene.traffic).toBe('a1 b0')
})
