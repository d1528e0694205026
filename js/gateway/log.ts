/**
 * Writes down what becomes of a request: one event for each attempt, and one for the request.
 * @module
 */

import type { Protocol, RoutedLease } from 'keyrota'
import type { AttemptEvent, GatewayEvent, RequestEvent } from './events.js'

/** What a request is known by. */
interface OfRequest {
  readonly requestId: string
  readonly protocol: Protocol
  readonly method: string
}

/** How much is shown of the name of a model, which a client may choose as it likes. */
const LONGEST_MODEL = 256

/** The name of a model as it may stand in a log: a line of it cannot be made up, nor a terminal be steered. */
export function shownModel(model: string | null | undefined): string | null {
  if (model === null || model === undefined) return null
  return model.slice(0, LONGEST_MODEL).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/** Tells a log. What it throws is no matter of the request, and must not end the process either. */
export function guarded(log: (event: GatewayEvent) => unknown): (event: GatewayEvent) => void {
  return (event) => {
    try {
      const told = log(event)
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // It is the log's to catch.
    }
  }
}

/** The events of one request. */
export class RequestLog {
  readonly requestId: string
  readonly #request: OfRequest
  readonly #emit: ((event: GatewayEvent) => void) | undefined
  readonly #now: () => number
  readonly #began: number
  #accessKey: string | null = null
  #model: string | null = null
  #attempts = 0
  #isEnded = false

  constructor(
    request: OfRequest,
    emit: ((event: GatewayEvent) => void) | undefined,
    now: () => number,
  ) {
    this.requestId = request.requestId
    this.#request = request
    this.#emit = emit
    this.#now = now
    this.#began = now()
  }

  /** How many attempts were made. */
  get attempts(): number {
    return this.#attempts
  }

  /** Who asks, once that is known. */
  by(accessKey: string): void {
    this.#accessKey = accessKey
  }

  /** What for. */
  about(model: string | undefined): void {
    this.#model = shownModel(model)
  }

  /** An attempt begins; answers what ends it. */
  attempt(
    { group, credential }: RoutedLease,
    count: number,
  ): (ending: Pick<AttemptEvent, 'verdict' | 'status' | 'errorCode'>) => void {
    this.#attempts = count
    const began = this.#now()
    return (ending) => {
      this.#emit?.({
        type: 'attempt',
        ...this.#known(began),
        attempt: count,
        group,
        credential: credential.id,
        ...ending,
      })
    }
  }

  /** The request has ended. Only the first end counts. */
  end(ending: Pick<RequestEvent, 'status' | 'group' | 'errorCode' | 'ended' | 'message'>): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const { method } = this.#request
    const known = this.#known(this.#began)
    this.#emit?.({ type: 'request', ...known, method, attempts: this.#attempts, ...ending })
  }

  #known(began: number) {
    const { requestId, protocol } = this.#request
    const known = { requestId, protocol, accessKey: this.#accessKey, model: this.#model }
    return { ...known, ms: Math.max(0, this.#now() - began) }
  }
}
