/**
 * What a gateway in a Worker must do: all that the SDKs see of it, and what only the lives of requests there make
 * hard. The row `gateway-worker` of the matrix plays it.
 * @module
 */

import assert from 'node:assert/strict'
import type { GatewayConfig, GatewayEvent, GroupConfig, GroupStatus } from 'keyrota/gateway'
import { sdksOf } from '../fetch/sdk.ts'
import { after, cutAfter, PIECES, Providers, type Step, TEXT } from '../support/providers/index.ts'
import { Front } from './front.ts'
import { bodyOf, digestOf, newKey } from './scene.ts'
import { ACCESS_KEY, play, type Stage, scenarios } from './sdk-scenarios.ts'

/** How long something on this machine may take. */
const MOST_MS = 5_000
/** How often the Worker is asked meanwhile. */
const PAUSE_MS = 20

/** Makes one check, and goes on after one that fails. */
type Check = (what: string, body: () => Promise<void>) => Promise<void>

/** Plays everything with the Worker at that port, and the SDKs that are loaded so. */
export async function playAll(
  port: number,
  load: (name: string) => Promise<unknown>,
  check: Check,
): Promise<void> {
  const providers = await Providers.start()
  const { url, stop } = await Front.start(port)
  const make = (config?: Partial<GatewayConfig>, group?: Partial<GroupConfig>) =>
    WorkerStage.make(url, providers, config, group)
  try {
    for (const sdk of await sdksOf(load)) {
      for (const scenario of scenarios) {
        const rule = `${sdk.name} ${scenario.rule}`
        await check(rule, async () => play(scenario, sdk, await make()))
      }
    }
    await check('that a stream was cut is in the log', async () => toldOfCut(await make()))
    await check('who waits for room goes on when another request ends', async () =>
      waitForRoom(
        await make({ exhausted: { policy: 'wait', maxWaitMs: MOST_MS } }, { maxConcurrent: 1 }),
      ),
    )
    await check('a blacklisted key is validated while requests come and go', async () =>
      comeBack(await make({ blacklist: { threshold: 1, validateEveryMs: 50 } })),
    )
  } finally {
    stop()
    providers.stop()
  }
}

/** A gateway of its own in the Worker, whose other requests use it. */
class WorkerStage implements Stage {
  readonly providers: Providers
  readonly url: string
  /** Before this machine's ports workerd ends every chunked answer as if it were complete. */
  readonly tellsCuts = false
  readonly #name = newKey('scene-')
  readonly #secrets: Readonly<Record<string, string>> = { a: newKey('sk-'), b: newKey('sk-') }

  private constructor(url: string, providers: Providers) {
    this.url = url
    this.providers = providers
  }

  static async make(
    url: string,
    providers: Providers,
    config: Partial<GatewayConfig> = {},
    group: Partial<GroupConfig> = {},
  ): Promise<WorkerStage> {
    const stage = new WorkerStage(url, providers)
    const credentials = Object.entries(stage.#secrets).map(([id, secret]) => ({ id, secret }))
    const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const
    const main = { id: 'main', baseUrl: providers.url, protocols, credentials, ...group }
    const accessKeys = [{ id: 'sdk', sha256: digestOf(ACCESS_KEY) }]
    const body = JSON.stringify({ strategy: 'fill-first', accessKeys, groups: [main], ...config })
    const { ok } = await stage.fetch(`${url}/make`, { method: 'POST', body })
    assert(ok, 'the gateway could not be made')
    return stage
  }

  readonly fetch: Stage['fetch'] = (input, init) => {
    const request = new Request(input, init)
    request.headers.set('x-scene', this.#name)
    return globalThis.fetch(request)
  }

  readonly secret = (id: string): string => {
    const secret = this.#secrets[id]
    assert(secret !== undefined)
    return secret
  }

  readonly script = (id: string, ...steps: Step[]): void =>
    this.providers.script(this.secret(id), ...steps)

  get traffic(): string {
    const count = (id: string) => this.providers.received(this.secret(id)).length
    return `a${count('a')} b${count('b')}`
  }

  async events(): Promise<GatewayEvent[]> {
    return (await this.fetch(`${this.url}/events`)).json()
  }

  async health(): Promise<GroupStatus['credentials']> {
    const groups: GroupStatus[] = await (await this.fetch(`${this.url}/health`)).json()
    return groups.flatMap(({ credentials }) => credentials)
  }

  /** Waits for what the gateway must soon say of a credential. */
  async until(holds: (rows: GroupStatus['credentials']) => boolean): Promise<void> {
    const end = Date.now() + MOST_MS
    for (;;) {
      const rows = await this.health()
      if (holds(rows)) return
      assert(Date.now() < end, `not in ${MOST_MS} ms: ${holds}, but ${JSON.stringify(rows)}`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  readonly rest = (): Promise<void> =>
    this.until((rows) => rows.every(({ inFlight }) => inFlight === 0))

  ask(more: object = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${ACCESS_KEY}`, 'content-type': 'application/json' }
    const body = JSON.stringify(bodyOf('openai-chat', more))
    return this.fetch(`${this.url}/v1/chat/completions`, { method: 'POST', headers, body })
  }
}

async function toldOfCut(stage: WorkerStage): Promise<void> {
  stage.script('a', cutAfter(3))
  const text = await (await stage.ask({ stream: true })).text()
  assert(text.includes(PIECES[2]) && !text.includes('[DONE]'), text)
  await stage.rest()
  const told = await stage.events()
  const [attempt] = told.filter(({ type }) => type === 'attempt')
  const [request] = told.filter(({ type }) => type === 'request')
  assert(attempt?.type === 'attempt' && attempt.verdict === 'unknown_outcome', attempt?.type)
  assert(request?.type === 'request' && request.ended === 'cut', JSON.stringify(told))
}

async function waitForRoom(stage: WorkerStage): Promise<void> {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  stage.script('a', after(gate))
  const first = stage.ask()
  await stage.providers.arrival(stage.secret('a'))
  const second = stage.ask({ user: 'second' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(stage.traffic, 'a1 b0')
  open()
  for (const answer of [await first, await second]) {
    assert.equal(answer.status, 200)
    assert((await answer.text()).includes(TEXT))
  }
  await stage.rest()
}

/** The validation takes longer than the request that began it. */
async function comeBack(stage: WorkerStage): Promise<void> {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const vague: Step = (exchange) =>
    exchange.respond(402, { 'content-type': 'application/json' }, '{"error":{"message":"no"}}')
  stage.script('a', vague, after(gate))
  await (await stage.ask()).text()
  await stage.until(([a]) => a?.state === 'blacklisted')
  for (const end = Date.now() + MOST_MS; stage.traffic[1] !== '2'; ) {
    assert(Date.now() < end, `it was not validated: ${stage.traffic}`)
    const answer = await stage.ask({ user: newKey('') })
    assert((await answer.text()).includes(TEXT))
  }
  open()
  await stage.until(([a]) => a?.state === 'available')
}
