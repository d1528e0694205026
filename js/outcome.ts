/**
 * What came back from an attempt, read from whatever the caller has at hand.
 * @module
 */

import { invalidOption } from './errors.js'

/** Facts of an outcome as the core reads them. */
export interface OutcomeFacts {
  status?: number
  retryAfterMs?: string
  retryAfter?: string
  date?: string
  networkCode?: string
  phase?: 'sent_no_response'
}

/** Anything with headers: a `Response`, an SDK's error, a plain object. */
interface Source {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly headers?: unknown
  readonly responseHeaders?: unknown
  readonly response?: Source
  readonly code?: unknown
  readonly name?: unknown
  readonly cause?: unknown
  readonly constructor?: { readonly name?: unknown }
}

/** The HTTP status of a response or of an SDK's error, if there is one. */
export function statusOf(outcome: unknown): number | undefined {
  const source = outcome as Source | null | undefined
  const status = source?.status ?? source?.statusCode ?? source?.response?.status
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599
    ? (status as number)
    : undefined
}

/** Reads a response, an error, or `{ status, headers }`. */
export function readOutcome(outcome: unknown): OutcomeFacts {
  if (typeof outcome !== 'object' || outcome === null) {
    throw invalidOption('outcome', outcome, 'must be a response, an error or { status, headers }')
  }
  const source = outcome as Source
  const status = statusOf(source)
  if (status === undefined) {
    const networkCode = networkCodeOf(source)
    return { phase: 'sent_no_response', ...(networkCode && { networkCode }) }
  }
  const headers = source.headers ?? source.responseHeaders ?? source.response?.headers
  const facts: OutcomeFacts = { status }
  const retryAfterMs = header(headers, 'retry-after-ms')
  const retryAfter = header(headers, 'retry-after')
  const date = header(headers, 'date')
  if (retryAfterMs !== undefined) facts.retryAfterMs = retryAfterMs
  if (retryAfter !== undefined) facts.retryAfter = retryAfter
  if (date !== undefined) facts.date = date
  return facts
}

function header(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined
  const { get } = headers as { get?: unknown }
  if (typeof get === 'function') return text(get.call(headers, name))
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return text(entry?.[1])
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : undefined
}

/** The code of the network layer, which SDKs and `fetch` hide under `cause`. */
function networkCodeOf(error: Source): string | undefined {
  let at: Source | undefined = error
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    // The OpenAI SDK tells its own errors by their class alone.
    const kind = at.name === 'Error' ? at.constructor?.name : at.name
    if (kind === 'AbortError' || kind === 'APIUserAbortError') return 'AbortError'
    if (kind === 'TimeoutError') return kind
    if (typeof at.code === 'string') return at.code
    at = at.cause as Source | undefined
  }
  return undefined
}
