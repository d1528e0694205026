/**
 * Errors as each API writes them, so that its SDKs throw errors of their own.
 * @module
 */

import type { Api } from './apis.js'

/** An error that is told to a client. */
export interface ToldError {
  readonly status: number
  readonly message: string
  /** What a program tells it by. */
  readonly code: string
  /** The parameter that is wrong. */
  readonly param?: string | undefined
  /** When to come again, in milliseconds; `null` when time does not help. */
  readonly retryAfterMs?: number | null | undefined
  /** The id of the request, for those who have room for one. */
  readonly requestId?: string | undefined
  /** Whose error it is, for those who have room for that. */
  readonly domain?: string | undefined
}

/** The words for a status: of OpenAI, of Anthropic, of Google. */
const WORDS: Readonly<Record<number, readonly [string, string, string]>> = {
  400: ['invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  401: ['authentication_error', 'authentication_error', 'UNAUTHENTICATED'],
  403: ['permission_error', 'permission_error', 'PERMISSION_DENIED'],
  404: ['invalid_request_error', 'not_found_error', 'NOT_FOUND'],
  405: ['invalid_request_error', 'invalid_request_error', 'UNIMPLEMENTED'],
  408: ['invalid_request_error', 'timeout_error', 'DEADLINE_EXCEEDED'],
  413: ['invalid_request_error', 'request_too_large', 'INVALID_ARGUMENT'],
  415: ['invalid_request_error', 'invalid_request_error', 'INVALID_ARGUMENT'],
  429: ['rate_limit_error', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  499: ['invalid_request_error', 'invalid_request_error', 'CANCELLED'],
  500: ['server_error', 'api_error', 'INTERNAL'],
  502: ['server_error', 'api_error', 'UNAVAILABLE'],
  503: ['service_unavailable_error', 'api_error', 'UNAVAILABLE'],
  504: ['server_error', 'timeout_error', 'DEADLINE_EXCEEDED'],
}
const OTHER = ['server_error', 'api_error', 'UNKNOWN'] as const

/** The body of the error. */
function errorBody(api: Api, error: ToldError): unknown {
  const { status, message, code, param = null, requestId } = error
  const [openai, anthropic, google] = WORDS[status] ?? OTHER
  if (api === 'anthropic') {
    const said = { type: 'error', error: { type: anthropic, message } }
    return requestId === undefined ? said : { ...said, request_id: requestId }
  }
  if (api === 'gemini' || api === 'vertex') {
    const details = googleDetails(error)
    return {
      error: { code: status, message, status: google, ...(details.length > 0 && { details }) },
    }
  }
  return { error: { message, type: openai, param, code } }
}

function googleDetails({ code, domain, retryAfterMs }: ToldError): object[] {
  const details: object[] = []
  const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` })
  if (domain !== undefined)
    details.push({ ...type('ErrorInfo'), reason: code.toUpperCase(), domain })
  if (typeof retryAfterMs === 'number') {
    // Its SDK keeps no headers, so the time stands in the body, where Google has it too.
    const retryDelay = `${Math.ceil(retryAfterMs / 1_000)}s`
    details.push({ ...type('RetryInfo'), retryDelay })
  }
  return details
}

/** The error as a response. Its headers say when to come again. */
export function errorResponse(api: Api, error: ToldError, more?: HeadersInit): Response {
  const { status, retryAfterMs } = error
  const headers = new Headers(more)
  headers.set('content-type', 'application/json')
  if (typeof retryAfterMs === 'number') {
    headers.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
    headers.set('retry-after-ms', String(Math.ceil(retryAfterMs)))
  } else if (retryAfterMs === null) {
    // Time alone does not help, so neither does a retry of the SDK's.
    headers.set('x-should-retry', 'false')
  }
  return new Response(JSON.stringify(errorBody(api, error)), { status, headers })
}
