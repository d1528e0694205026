/**
 * The providers of the load test, a process of their own: each try gets what the plan has for it.
 * @module
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deed } from './plan.ts'
import { serveQuestions } from './process.ts'
import { marksIn, type Speech, speechTo } from './speech.ts'

/** What the providers tell of themselves. */
export interface ProvidersReport {
  /** Requests that are not answered to their end. */
  readonly open: number
  readonly connections: number
  /** How many tries got what. */
  readonly deeds: Readonly<Partial<Record<Deed, number>>>
}

const seed = Number(process.argv[2])
const tries = new Map<number, number>()
const deeds: Partial<Record<Deed, number>> = {}
let open = 0

const server = createServer({ keepAliveTimeout: 2_000 }, (request, response) => {
  open++
  response.on('close', () => open--)
  response.on('error', () => {})
  serve(request, response).catch(() => response.destroy())
})

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end('{"object":"list","data":[],"models":[]}')
    return
  }
  const [mark] = marksIn(await text(request))
  if (mark === undefined) throw new Error('a request without a mark')
  const at = (tries.get(mark.request) ?? 0) + 1
  tries.set(mark.request, at)
  const speech = speechTo(seed, { request: mark.request, at })
  deeds[speech.deed] = (deeds[speech.deed] ?? 0) + 1
  await say(speech, response)
}

async function say(speech: Speech, response: ServerResponse): Promise<void> {
  const { status, headers, bytes, chunks, ending } = speech
  if (status !== undefined) {
    response.writeHead(status, headers)
    response.flushHeaders()
  }
  let from = 0
  for (const { end, pauseMs } of chunks) {
    if (response.destroyed) return
    const isTaken = response.write(bytes.subarray(from, end))
    from = end
    if (!isTaken) await drained(response)
    if (pauseMs > 0) await pause(pauseMs)
  }
  if (ending === 'ended') response.end()
  // What was written goes out before the connection is closed.
  if (ending === 'cut') response.socket?.destroySoon()
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

const answers = {
  listen: async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  /** Closes the connections that carry nothing. */
  closeIdle: () => server.closeIdleConnections(),
  report: async (): Promise<ProvidersReport> => {
    return { open, connections: await connectionsOf(server), deeds }
  },
}

function connectionsOf(of: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    of.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

export type Providers = typeof answers
serveQuestions(answers)
