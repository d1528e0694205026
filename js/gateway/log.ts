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
    this.#model = model ?? null
  }

  /** An attempt begins; answers what ends it. */
  attempt(
    { group, credential }: RoutedLease,
    count: number,
  ): (ending: Pick<AttemptEvent, 'verdict' | 'status' | 'errorCode'>) => void {
    this.#attempts = count
    const began = this.#now()
    return (ending) => {
      this.#tell({
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
    this.#tell({ type: 'request', ...known, method, attempts: this.#attempts, ...ending })
  }

  #known(began: number) {
    const { requestId, protocol } = this.#request
    const known = { requestId, protocol, accessKey: this.#accessKey, model: this.#model }
    return { ...known, ms: Math.max(0, this.#now() - began) }
  }

  /** What a log throws is no matter of the request, and must not end the process either. */
  #tell(event: GatewayEvent): void {
    try {
      const told: unknown = this.#emit?.(event)
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // It is the log's to catch.
    }
  }
}
