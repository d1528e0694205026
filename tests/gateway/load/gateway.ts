/**
 * The gateway of the load test behind a port, a process of its own.
 * @module
 */

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { serve } from '@hono/node-server'
import {
  createGateway,
  type Gateway,
  type GatewayConfig,
  type GatewayEvent,
  type GroupConfig,
  type Protocol,
} from 'keyrota/gateway'
import { serveQuestions } from './process.ts'
import { SECRET_START } from './speech.ts'

/** How often the configuration changes under the load, and how often a person enables what was disabled. */
const RELOAD_MS = 5_000
const RECOVER_MS = 500

/** What a process holds after a garbage collection, in bytes. */
export interface Memory {
  readonly heap: number
  /** Buffers and the WebAssembly. */
  readonly external: number
}

/** What the gateway tells of itself. */
export interface GatewayReport {
  /** Leases in flight. */
  readonly leases: number
  /** Of clients and to providers. */
  readonly sockets: number
  /** The most requests that were answered at once. */
  readonly peak: number
  /** Requests that came, and those of which the log was told. */
  readonly requests: number
  readonly requestEvents: number
  /** Attempts that were sent, and those of which the log was told. */
  readonly attempts: number
  readonly attemptEvents: number
  /** Unhandled rejections, exceptions and warnings. */
  readonly faults: readonly string[]
}

/** What the load test starts a gateway with. */
export interface Start {
  readonly providers: string
  readonly sha256: string
}

const faults: string[] = []
for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
  process.on(event, (error) => faults.push(`${event}: ${error?.stack ?? error}`))
}

let gateway: Gateway
let peak = 0
const count = { requests: 0, requestEvents: 0, attempts: 0, attemptEvents: 0 }

function configOf({ providers, sha256 }: Start, weight: number): GatewayConfig {
  const pair = (id: string, protocols: readonly Protocol[], dialect: string): GroupConfig[] => {
    const group = (tier: number): GroupConfig => ({
      id: `${id}-${tier}`,
      baseUrl: providers,
      protocols,
      dialect,
      priority: tier,
      credentials: Array.from({ length: 12 }, (_, at) => ({
        id: `${id}-${tier}-${at}`,
        secret: `${SECRET_START}${id}-${tier}-${at}-0123456789`,
        weight: at === 0 ? weight : 50,
        ...(at === 1 && { maxConcurrent: 4 }),
      })),
    })
    return [{ ...group(1), maxConcurrent: 200 }, group(0)]
  }
  return {
    accessKeys: [{ id: 'load', sha256 }],
    groups: [
      ...pair('openai', ['openai-chat', 'openai-responses'], 'openai'),
      ...pair('anthropic', ['anthropic-messages'], 'anthropic'),
      ...pair('gemini', ['gemini'], 'gemini'),
    ],
    // Few sessions, so that their memory is full before it is measured.
    affinity: { capacity: 500 },
    cooldown: { baseMs: 200, capMs: 1_000, overload: { baseMs: 200, capMs: 1_000 } },
    blacklist: { threshold: 2, validateEveryMs: 1_000 },
    retry: { emptyResponses: true },
    exhausted: { maxWaitMs: 500 },
    timeouts: { firstByteMs: 2_000, idleMs: 2_000 },
  }
}

async function start(given: Start): Promise<number> {
  gateway = createGateway(configOf(given, 50), {
    upstreamFetch: (url, init) => {
      if (init.method === 'POST') count.attempts++
      return fetch(url, init)
    },
    onEvent: ({ type }: GatewayEvent) => {
      if (type === 'request') count.requestEvents++
      if (type === 'attempt') count.attemptEvents++
    },
  })
  const counted = (request: Request) => {
    count.requests++
    peak = Math.max(peak, count.requests - count.requestEvents)
    return gateway.fetch(request)
  }
  const server = serve({ fetch: counted, port: 0, hostname: '127.0.0.1' }) as Server
  await once(server, 'listening')
  let weight = 50
  setInterval(() => {
    weight = 100 - weight + 1
    gateway.reload(configOf(given, weight))
  }, RELOAD_MS).unref()
  setInterval(recover, RECOVER_MS).unref()
  return (server.address() as AddressInfo).port
}

function rows() {
  return gateway.health().flatMap(({ credentials }) => credentials)
}

/** The person who enables what a verdict disabled. */
function recover(): void {
  for (const { id, state } of rows()) if (state === 'credential_disabled') gateway.recover(id)
}

/** What is held when all that can be freed is freed: some of it is so only in a later turn. */
async function memory(): Promise<Memory> {
  for (let time = 0; time < 10; time++) {
    globalThis.gc?.()
    await turn()
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external }
}

function report(): GatewayReport {
  const resources = process.getActiveResourcesInfo()
  return {
    leases: rows().reduce((total, { inFlight }) => total + inFlight, 0),
    sockets: resources.filter((name) => name === 'TCPSocketWrap').length,
    ...{ ...count, peak, faults },
  }
}

const answers = { start, memory, report }

export type GatewayProcess = typeof answers
serveQuestions(answers)
