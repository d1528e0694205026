/**
 * A refusal of the pool as the response that an SDK knows how to read.
 * @module
 */

import type { ErrorData } from 'keyrota'
import { apiOf } from './apis.js'

/** The answer when no credential can serve: a rate limit with its time, or that the service is away. */
export function refusalResponse(error: ErrorData, dialect: string): Response {
  const { retryAfterMs } = error
  const hasTime = typeof retryAfterMs === 'number'
  const status = hasTime ? 429 : 503
  const headers = new Headers({ 'content-type': 'application/json' })
  if (hasTime) {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
    headers.set('retry-after-ms', String(Math.ceil(retryAfterMs)))
  } else {
    // Time alone does not help, so neither does a retry of the SDK's.
    headers.set('x-should-retry', 'false')
  }
  return new Response(JSON.stringify(bodyOf(dialect, error, status)), { status, headers })
}

function bodyOf(dialect: string, { message, retryAfterMs }: ErrorData, status: number): unknown {
  const limited = status === 429
  const api = apiOf(dialect)
  if (api === 'anthropic') {
    const type = limited ? 'rate_limit_error' : 'api_error'
    return { type: 'error', error: { type, message } }
  }
  if (api === 'gemini' || api === 'vertex') {
    const word = limited ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE'
    // Its SDK keeps no headers, so the time stands in the body, where Google has it too.
    const seconds = `${Math.ceil((retryAfterMs ?? 0) / 1_000)}s`
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: seconds }]
    return { error: { code: status, message, status: word, ...(limited && { details }) } }
  }
  const type = limited ? 'rate_limit_error' : 'service_unavailable_error'
  return { error: { message, type, param: null, code: 'no_credential_available' } }
}
