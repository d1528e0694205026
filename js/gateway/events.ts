/**
 * What a gateway tells its log.
 * @module
 */

import type { Protocol, VerdictClass, VerdictScope } from 'keyrota'
import type { GatewayErrorCode } from './failures.js'

/** What the events of requests carry. No event carries a secret, a body or a header of the client. */
interface OfRequest {
  /** The id of the request, as the client has it in `x-request-id`. */
  readonly requestId: string
  /** The id of the access key; `null` when none was valid. */
  readonly accessKey: string | null
  readonly protocol: Protocol
  /** As the client named it, in 256 characters at the most and without those that control a terminal. */
  readonly model: string | null
  /** The HTTP status; `null` when none came. */
  readonly status: number | null
  /** How long it took, in milliseconds; of a stream, until it ended. */
  readonly ms: number
}

/** One attempt with one credential has ended. */
export interface AttemptEvent extends OfRequest {
  readonly type: 'attempt'
  /** 1 for the first of its request. */
  readonly attempt: number
  readonly group: string
  /** The credential's id. */
  readonly credential: string
  /** What the outcome means. */
  readonly verdict: VerdictClass
  readonly errorCode: GatewayErrorCode | null
}

/** A request has ended. */
export interface RequestEvent extends OfRequest {
  readonly type: 'request'
  readonly method: string
  /** How many attempts were made. */
  readonly attempts: number
  /** The group whose answer the client got. */
  readonly group: string | null
  /** What the client got as `x-keyrota-code`. */
  readonly errorCode: GatewayErrorCode | null
  /** How the answer ended: all of it was handed over, the client left, or the provider broke off. */
  readonly ended: 'complete' | 'cancelled' | 'cut'
  /** What failed within the gateway, for `internal_error`. */
  readonly message?: string
}

/** What became of a credential, in words of the events of a `Router`. */
export type CredentialChange =
  | 'cooldown'
  | 'paused'
  | 'recovered'
  | 'disabled'
  | 'blacklisted'
  | 'enabled'
  | 'lease_expired'
  | 'invalid_credential'
  | 'secret_unresolved'

/** What became of a credential, in a request or outside of any. */
export interface CredentialEvent {
  readonly type: 'credential'
  /**
   * `paused` is about the whole group: the credential is the one whose attempt told. `recovered` is about a whole
   * credential, and noticed at the next request; a rest for one model is over at its `until`.
   */
  readonly change: CredentialChange
  readonly group: string
  /** The credential's id. */
  readonly credential: string
  /** Why it rests, or is out. */
  readonly class: VerdictClass | null
  /** What a rest is about. */
  readonly scope: VerdictScope | null
  /** What the group's provider calls the model, when a rest is about one. */
  readonly model: string | null
  /** When a rest is over, in milliseconds since the epoch. */
  readonly until: number | null
  /** What is wrong with a row or its secret. */
  readonly message: string | null
}

/** An event of a gateway. */
export type GatewayEvent = AttemptEvent | RequestEvent | CredentialEvent
