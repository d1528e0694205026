/**
 * What a gateway says when it does not hand over an answer of a provider.
 * @module
 */

import { isKeyrotaError, type Protocol } from 'keyrota'
import { askAgainIn } from '../fetch/refusal.js'
import { errorResponse } from '../fetch/shapes.js'
import { apiOfProtocol } from './protocols.js'

/**
 * The code of an error of the gateway's own, in the header `x-keyrota-code` and, where the protocol has room
 * for it, in the body. It is stable, and no reason code of an inspection.
 */
export type GatewayErrorCode =
  /** 401: no access key, a wrong one, or one that is disabled or expired. */
  | 'unauthorized'
  /** 400: several access keys that differ. */
  | 'conflicting_access_keys'
  /** 403: the access key may not use this protocol or this model. */
  | 'forbidden'
  /** 404: no group that the access key may use has that model over this protocol. */
  | 'model_not_found'
  /** 404: with `continuations: 'own'`, the access key is not known to have made that response. */
  | 'response_not_found'
  /** 404: nothing is at that path. */
  | 'not_found'
  /** 405: the path knows other methods; `allow` names them. */
  | 'method_not_allowed'
  /** 400: the body is no JSON object in UTF-8. */
  | 'invalid_json'
  /** 400: something that the gateway needs is missing or wrong, such as the model. */
  | 'invalid_request'
  /** 413: the body is longer than `limits.bodyBytes`. */
  | 'body_too_large'
  /** 408: the body did not come within `timeouts.bodyMs`. */
  | 'body_timeout'
  /** 415: the body is compressed. */
  | 'unsupported_encoding'
  /** 499: the client went away before its request was here. Nobody reads it but the log. */
  | 'client_closed'
  /** 429 with the time when it may help to ask again, 503 when time does not help. */
  | 'no_credential_available'
  /** 504: the provider did not begin to answer within `timeouts.firstByteMs`. */
  | 'upstream_timeout'
  /** 504: no answer began within `timeouts.totalMs`, all attempts and waits together. */
  | 'deadline_exceeded'
  /** 502: the connection to the provider failed. */
  | 'upstream_unreachable'
  /** 502: the provider sent the request elsewhere. A key does not follow. */
  | 'upstream_redirect'
  /**
   * 502: the provider refused the key of the gateway, and no other was left. The client's own is well, so it
   * does not get the provider's 401.
   */
  | 'upstream_unauthorized'
  /** The provider's own error, handed over as it came: only the header tells. */
  | 'upstream_error'
  /** 503: the gateway was disposed. */
  | 'shutting_down'
  /** 500: a fault of the gateway. */
  | 'internal_error'

const STATUS: Readonly<Record<GatewayErrorCode, number>> = {
  unauthorized: 401,
  conflicting_access_keys: 400,
  forbidden: 403,
  model_not_found: 404,
  response_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  invalid_json: 400,
  invalid_request: 400,
  body_too_large: 413,
  body_timeout: 408,
  unsupported_encoding: 415,
  client_closed: 499,
  no_credential_available: 503,
  upstream_timeout: 504,
  deadline_exceeded: 504,
  upstream_unreachable: 502,
  upstream_redirect: 502,
  upstream_unauthorized: 502,
  upstream_error: 502,
  shutting_down: 503,
  internal_error: 500,
}

/** What an error tells beside its code and message. */
interface Facts {
  readonly param?: string
  readonly retryAfterMs?: number | null
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that the gateway does not serve. Its message is for the client. */
export class Refused extends Error {
  readonly code: GatewayErrorCode
  readonly facts: Facts

  constructor(code: GatewayErrorCode, message: string, facts: Facts = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}

/** Why an access key may not, in words for its owner. */
const DENIED: Readonly<Record<string, readonly [GatewayErrorCode, string]>> = {
  access_key_unknown: ['unauthorized', 'The access key is not valid.'],
  access_key_disabled: ['unauthorized', 'The access key is disabled.'],
  access_key_expired: ['unauthorized', 'The access key has expired.'],
  protocol_not_allowed: ['forbidden', 'The access key may not use this protocol.'],
  model_not_allowed: ['forbidden', 'The access key may not use this model.'],
  continuation_unknown: ['response_not_found', 'The access key has made no such response.'],
}

/** What the reason of a refusal of the router means for the client. */
export function denied(reason: string | undefined): Refused {
  const [code, message] = DENIED[reason ?? ''] ?? ['forbidden', 'The access key may not do this.']
  return new Refused(code, message)
}

/** A refusal of the router, or a fault, as what the client is told. Nothing of a credential is in it. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refused) return error
  if (!isKeyrotaError(error)) return new Refused('internal_error', 'The gateway failed.')
  const { code, reason } = error
  if (code === 'access_denied') return denied(reason)
  if (code === 'model_not_found') return notFound(reason)
  if (code === 'disposed') return new Refused('shutting_down', 'The gateway is shutting down.')
  if (code !== 'no_credential_available') {
    return new Refused('internal_error', 'The gateway failed.')
  }
  const retryAfterMs = askAgainIn(error)
  const when = retryAfterMs === null ? '.' : `; try again in ${Math.ceil(retryAfterMs / 1_000)} s.`
  const message = `No credential can serve this request now${when}`
  return new Refused('no_credential_available', message, { retryAfterMs })
}

function notFound(reason: string | undefined): Refused {
  const isElsewhere = reason === 'conversion_required'
  const message = isElsewhere
    ? 'The model is not served over this protocol.'
    : 'The model does not exist, or the access key may not use it.'
  return new Refused('model_not_found', message, { param: 'model' })
}

/** The status that a refusal has for its client. */
export function statusOf({ code, facts }: Refused): number {
  return typeof facts.retryAfterMs === 'number' ? 429 : STATUS[code]
}

/** The refusal in the shape that clients of the protocol read. */
export function failure(refused: Refused, protocol: Protocol, requestId: string): Response {
  const { code, message, facts } = refused
  const { headers, ...more } = facts
  const told = { status: statusOf(refused), code, message, requestId, domain: 'keyrota', ...more }
  const own = { ...headers, 'x-keyrota-code': code, 'x-request-id': requestId }
  return errorResponse(apiOfProtocol(protocol), told, own)
}
