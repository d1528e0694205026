/**
 * The ways in which the server treats a request.
 * @module
 */

import type { Dialect, Trouble } from './dialect.ts'
import type { Exchange } from './http.ts'

/** What happens to one request. */
export type Step = (exchange: Exchange, dialect: Dialect) => void | Promise<void>

const SSE = { 'content-type': 'text/event-stream; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json' }

/** As it should be: in one piece or as a stream. */
export const answer: Step = async (exchange, dialect) => {
  const body = dialect.wantsStream(exchange) ? undefined : dialect.answer(exchange)
  if (body !== undefined) return exchange.respond(200, JSON_TYPE, JSON.stringify(body))
  if (!dialect.wantsStream(exchange)) return exchange.respond(404, JSON_TYPE, '{}')
  const { opening, content, closing } = dialect.stream(exchange)
  exchange.begin(200, SSE)
  for (const event of [...opening, ...content, ...closing]) exchange.chunk(event)
  exchange.end()
}

/** An answer that is complete and has no content, in one piece or as a stream. */
export const emptyAnswer: Step = (exchange, dialect) => {
  if (!dialect.wantsStream(exchange)) {
    return exchange.respond(200, JSON_TYPE, JSON.stringify(dialect.answer(exchange, '')))
  }
  const { opening, closing } = dialect.stream(exchange, [])
  exchange.begin(200, SSE)
  for (const event of [...opening, ...closing]) exchange.chunk(event)
  exchange.end()
}

/** An error in the provider's words. */
export function refuse(trouble: Trouble, headers: Record<string, string> = {}): Step {
  return (exchange, dialect) => {
    const { status, body } = dialect.error(trouble)
    exchange.respond(status, { ...JSON_TYPE, ...headers }, JSON.stringify(body))
  }
}

/** A 429 that states its wait. */
export function limited(seconds: number): Step {
  return refuse('limited', { 'retry-after': String(seconds) })
}

/** A page of a firewall in front of the provider. */
export const forbiddenPage: Step = (exchange) => {
  const page = '<!doctype html><html><body><h1>403 Forbidden</h1></body></html>'
  exchange.respond(403, { 'content-type': 'text/html' }, page)
}

/** A 400 that repeats the whole request, the key included. */
export const echo: Step = (exchange) => {
  const message = `cannot read: ${exchange.raw.toString('latin1')}`
  exchange.respond(
    400,
    JSON_TYPE,
    JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
  )
}

/** A stream whose error comes before it has said anything. */
export function errorFirst(trouble: Trouble): Step {
  return (exchange, dialect) => {
    exchange.begin(200, SSE)
    for (const event of dialect.stream(exchange).opening) exchange.chunk(event)
    exchange.chunk(dialect.errorEvent(exchange, trouble))
    exchange.end()
  }
}

/** A stream whose error comes after some of its text. */
export function errorLater(trouble: Trouble): Step {
  return (exchange, dialect) => {
    beginSpeaking(exchange, dialect, 3)
    exchange.chunk(dialect.errorEvent(exchange, trouble))
    exchange.end()
  }
}

/** A stream whose connection breaks after so many pieces of its text. */
export function cutAfter(pieces: number): Step {
  return (exchange, dialect) => {
    beginSpeaking(exchange, dialect, pieces)
    exchange.cut()
  }
}

/** A stream that ends as if all were well after so many pieces of its text. */
export function endAfter(pieces: number): Step {
  return (exchange, dialect) => {
    beginSpeaking(exchange, dialect, pieces)
    exchange.end()
  }
}

/** A stream that says so many pieces, and then no more. */
export function stallAfter(pieces: number): Step {
  return (exchange, dialect) => beginSpeaking(exchange, dialect, pieces)
}

/** No answer at all. */
export const stall: Step = () => {}

/** The connection is closed without an answer. */
export const drop: Step = (exchange) => exchange.cut()

/** Waits for the gate, and goes on as that step. */
export function after(gate: Promise<unknown>, step: Step = answer): Step {
  return async (exchange, dialect) => {
    await gate
    await step(exchange, dialect)
  }
}

function beginSpeaking(exchange: Exchange, dialect: Dialect, pieces: number): void {
  const { opening, content } = dialect.stream(exchange)
  exchange.begin(200, SSE)
  for (const event of [...opening, ...content.slice(0, pieces)]) exchange.chunk(event)
}
