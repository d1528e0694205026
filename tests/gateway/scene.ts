/**
 * A gateway between clients and the providers on this machine.
 * @module
 */

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type AttemptEvent,
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayEvent,
  type GatewayOptions,
  type GroupConfig,
  type Protocol,
  type RequestEvent,
} from 'keyrota/gateway'
import type { Providers, Step } from '../support/providers/index.ts'

/** How long something on this machine may take. */
const MOST_MS = 5_000

/** What differs from the usual scene. */
export interface SceneOptions {
  readonly config?: Partial<GatewayConfig>
  readonly group?: Partial<GroupConfig>
  readonly options?: GatewayOptions
}

export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** A key that is nowhere else: whatever has 8 of its characters has them from here. */
export function newKey(prefix: string): string {
  return `${prefix}${randomBytes(30).toString('base64url')}`
}

const PATHS: Readonly<Record<Protocol, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/m:generateContent',
}

/** A body that the protocol understands. */
export function bodyOf(protocol: Protocol, more: object = {}): object {
  const messages = [{ role: 'user', content: 'Hello' }]
  if (protocol === 'gemini')
    return { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...more }
  if (protocol === 'openai-responses') return { model: 'm', input: 'Hello', ...more }
  return { model: 'm', messages, max_tokens: 100, ...more }
}

/** A gateway with one group of two credentials, `a` and `b`, of which `a` serves as long as it can. */
export class Scene {
  readonly providers: Providers
  readonly accessKey = newKey('ak-')
  readonly gateway: Gateway
  readonly config: GatewayConfig
  readonly events: GatewayEvent[] = []
  readonly secrets: Record<string, string>

  constructor(providers: Providers, { config, group, options }: SceneOptions = {}) {
    this.providers = providers
    this.secrets = { a: newKey('sk-'), b: newKey('sk-') }
    const credentials = Object.entries(this.secrets).map(([id, secret]) => ({ id, secret }))
    this.config = {
      accessKeys: [{ id: 'team', sha256: digestOf(this.accessKey) }],
      groups: [
        {
          id: 'main',
          baseUrl: providers.url,
          protocols: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
          credentials,
          ...group,
        },
      ],
      strategy: 'fill-first',
      ...config,
    }
    this.gateway = createGateway(this.config, {
      onEvent: (event) => this.events.push(event),
      ...options,
    })
  }

  secret(id: string): string {
    const secret = this.secrets[id]
    assert(secret !== undefined)
    return secret
  }

  script(id: string, ...steps: Step[]): void {
    this.providers.script(this.secret(id), ...steps)
  }

  /** How many requests came with each credential: `a1 b0`. */
  get traffic(): string {
    const count = (id: string) => this.providers.received(this.secret(id)).length
    return Object.keys(this.secrets)
      .map((id) => `${id}${count(id)}`)
      .join(' ')
  }

  /** A request with the access key. */
  request(path: string, body?: object | string | null, init: RequestInit = {}): Request {
    const headers = new Headers(init.headers)
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${this.accessKey}`)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const text = typeof body === 'object' && body !== null ? JSON.stringify(body) : body
    return new Request(`http://gateway.test${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(text !== undefined && { body: text }),
      ...init,
      headers,
    })
  }

  /** Asks in the way of a protocol. */
  ask(protocol: Protocol, more: object = {}, init: RequestInit = {}): Promise<Response> {
    return this.gateway.fetch(this.request(PATHS[protocol], bodyOf(protocol, more), init))
  }

  /** Asks for a stream. */
  stream(protocol: Protocol, init: RequestInit = {}): Promise<Response> {
    if (protocol !== 'gemini') return this.ask(protocol, { stream: true }, init)
    const path = '/v1beta/models/m:streamGenerateContent?alt=sse'
    return this.gateway.fetch(this.request(path, bodyOf('gemini'), init))
  }

  get attempts(): AttemptEvent[] {
    return this.events.filter((event) => event.type === 'attempt')
  }

  get requests(): RequestEvent[] {
    return this.events.filter((event) => event.type === 'request')
  }

  /** Waits for the end of so many requests. */
  async ended(count = 1): Promise<RequestEvent> {
    await until(() => this.requests.length >= count)
    return this.requests[count - 1] as RequestEvent
  }

  /** Waits until no lease is in flight. */
  async rest(): Promise<void> {
    await until(() => this.inFlight === 0)
  }

  get inFlight(): number {
    const rows = this.gateway.health().flatMap(({ credentials }) => credentials)
    return rows.reduce((total, { inFlight }) => total + inFlight, 0)
  }
}

/** Waits for what must happen soon. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + MOST_MS
  while (!holds()) {
    assert(performance.now() < end, `not in ${MOST_MS} ms: ${holds}`)
    await turn()
  }
}
