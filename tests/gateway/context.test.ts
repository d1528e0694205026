import { afterAll, beforeAll, expect, test } from 'vitest'
import { after, limited, Providers, type Step } from '../support/providers/index.ts'
import { bodyOf, Scene, until } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** A context as a Worker has it, and what it was told to wait for. */
function context() {
  const waits: Promise<unknown>[] = []
  return { waits, waitUntil: (work: Promise<unknown>) => void waits.push(work) }
}

function ask(scene: Scene, of: ReturnType<typeof context>): Promise<Response> {
  const request = scene.request('/v1/chat/completions', bodyOf('openai-chat'))
  return scene.gateway.fetch(request, {}, of)
}

test('a request is waited for until it is answered, also when it fails', async () => {
  const scene = new Scene(providers)
  for (const id of ['a', 'b']) scene.script(id, limited(30))
  const of = context()
  expect((await ask(scene, of)).status).toBe(429)
  expect(await Promise.all(of.waits)).toEqual([undefined])
})

test('a validation is waited for by the request that began it', async () => {
  let now = Date.now()
  const scene = new Scene(providers, {
    config: { blacklist: { threshold: 1, validateEveryMs: 1_000 } },
    options: { now: () => now },
  })
  const vague: Step = (exchange) =>
    exchange.respond(402, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  scene.script('a', vague, after(gate))
  await (await ask(scene, context())).text()
  now += 1_001
  const of = context()
  await (await ask(scene, of)).text()
  let isOver = false
  const waited = Promise.all(of.waits).then(() => {
    isOver = true
  })
  await until(() => scene.traffic.startsWith('a2'))
  expect(isOver).toBe(false)
  open()
  await waited
  await until(() => scene.gateway.health()[0]?.credentials[0]?.state === 'available')
})
