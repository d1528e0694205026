/**
 * One request on its way to a provider, and the answer on its way back.
 * @module
 */

import type { Protocol, RoutedLease, Router, VerdictClass } from 'keyrota'
import { Underway } from 'keyrota'
import { type Attempted, makeAttempt } from '../fetch/attempt.js'
import type { RetryBudget } from '../fetch/budget.js'
import { Deadline } from '../fetch/deadline.js'
import { continuedBy, sessionOf } from '../fetch/facts.js'
import { anyOf, unlessAborted } from '../fetch/signals.js'
import { tell } from '../fetch/tell.js'
import { renamed } from './alias.js'
import type { GroupConfig } from './config.js'
import { type GatewayErrorCode, Refused } from './failures.js'
import { forClient, forUpstream } from './headers.js'
import type { RequestLog } from './log.js'
import { Patience } from './patience.js'
import { placeFor, upstreamUrl } from './protocols.js'
import { SecretFilter } from './redact.js'
import { type Ending, relayed } from './relay.js'
import type { Arrived, Asked } from './routes.js'
import type { State } from './state.js'

/** What requests have in common. */
export interface Host {
  readonly router: Router
  /** What counts now. */
  readonly state: () => State
  readonly budget: () => RetryBudget
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/** The attempt whose answer may be the last. */
interface Made {
  readonly lease: RoutedLease
  readonly patience: Patience
  /** What its answer means, when it came in one piece. */
  readonly verdict: VerdictClass | undefined
  /** Writes into the log that the attempt has ended. */
  readonly close: () => Promise<unknown>
}

/** One request. */
export class Passage {
  readonly #host: Host
  readonly #state: State
  readonly #accessKey: string
  readonly #arrived: Arrived
  readonly #asked: Asked
  readonly #log: RequestLog
  readonly #headers: Headers
  #deadline: Deadline | undefined
  #last: Made | undefined
  #failed: unknown

  constructor(
    host: Host,
    state: State,
    accessKey: string,
    arrived: Arrived,
    asked: Asked,
    log: RequestLog,
  ) {
    this.#host = host
    this.#state = state
    this.#accessKey = accessKey
    this.#arrived = arrived
    this.#asked = asked
    this.#log = log
    this.#headers = forUpstream(arrived.request.headers)
  }

  get #protocol(): Protocol {
    return this.#arrived.route.protocol
  }

  /**
   * Sends the request until it is answered, or until that cannot help.
   *
   * @throws {@link Refused} when no answer of a provider is to be handed over, or what the router refuses with
   */
  async send(): Promise<Response> {
    const { request, url, route } = this.#arrived
    const { maxAttempts, emptyResponses, unanswered } = this.#state.retry
    const { maxWaitMs } = this.#state
    const facts = {
      url,
      method: request.method,
      headers: request.headers,
      json: this.#asked.body?.json,
    }
    const budget = this.#host.budget()
    const isSafe =
      /^(?:GET|HEAD)$/.test(request.method) ||
      route.isPure === true ||
      request.headers.has('idempotency-key')
    budget.deposit()
    this.#deadline = new Deadline(this.#state.timeouts.totalMs, 'timeouts.totalMs')
    const options = {
      accessKey: this.#accessKey,
      protocol: this.#protocol,
      model: this.#asked.model,
      session: sessionOf(facts),
      continues: this.#asked.stored ?? continuedBy(facts),
      idempotent: unanswered ?? isSafe,
      retryEmptyResponses: emptyResponses,
      signal: anyOf([request.signal, this.#deadline.signal]),
      retry: budget.allows.bind(budget),
      ...(maxAttempts !== undefined && { maxAttempts }),
      ...(maxWaitMs !== undefined && { maxWaitMs }),
    }
    try {
      const response = await this.#host.router.run(options, (lease, count) =>
        this.#attempt(lease, count),
      )
      return this.#handOver(response)
    } catch (error) {
      if (request.signal.aborted) throw new Refused('client_closed', 'The client went away.')
      if (this.#deadline.reason !== undefined) {
        throw new Refused('deadline_exceeded', 'No answer began in time.')
      }
      if (error !== this.#failed || error instanceof Refused) throw error
      const code = codeOf(error)
      const isLate = code === 'upstream_timeout'
      const message = isLate ? 'did not answer in time.' : 'could not be reached.'
      throw new Refused(code, `The provider ${message}`)
    } finally {
      this.#deadline.end()
    }
  }

  async #attempt(lease: RoutedLease, count: number): Promise<Attempted> {
    const { log, patience } = { log: this.#log.attempt(lease, count), patience: new Patience() }
    const close = async (status: number | null, code: GatewayErrorCode | null, outcome: object) => {
      // It was reported by then; what it means is answered once more.
      const verdict = await tell(lease, outcome)
      log({ verdict: verdict?.class ?? 'ok', status, errorCode: code })
      return verdict?.class
    }
    try {
      patience.wait(this.#state.timeouts.firstByteMs, 'no content')
      const answer = await this.#send(lease, patience)
      const { status } = 'value' in answer ? answer.value : answer
      const code = status < 300 ? null : status < 400 ? 'upstream_redirect' : 'upstream_error'
      const ended = () => close(status, code, { status })
      const isUnderway = answer instanceof Underway
      const verdict = isUnderway ? undefined : await ended()
      this.#last = { lease, patience, verdict, close: isUnderway ? ended : async () => {} }
      return answer
    } catch (thrown) {
      // Not every runtime throws the reason itself.
      const error = patience.overdue ?? this.#deadline?.reason ?? thrown
      this.#failed = error
      const isLate = error === this.#deadline?.reason
      // Whatever reason the client gave, it is the client who gave up.
      const isLeft = this.#arrived.request.signal.aborted
      const thing = isLeft ? { name: 'AbortError' } : error
      const outcome = typeof thing === 'object' && thing !== null ? thing : {}
      const code = isLeft ? 'client_closed' : isLate ? 'deadline_exceeded' : codeOf(error)
      await close(null, code, outcome)
      throw error
    } finally {
      patience.got()
    }
  }

  #send(lease: RoutedLease, patience: Patience): Promise<Attempted> {
    const { request, url } = this.#arrived
    const { model, pathFor } = this.#asked
    const { baseUrl } = this.#groupOf(lease)
    const upstream = lease.upstreamModel ?? model
    const query = new URLSearchParams(url.search)
    query.delete('key')
    const target = upstreamUrl(baseUrl, pathFor(upstream), query)
    const dialect = this.#host.router.dialectOf(lease.group)
    const { signal } = this.#deadline as Deadline
    const until = anyOf([request.signal, patience.signal, signal])
    const attempt = makeAttempt({
      lease,
      dialect,
      model: upstream,
      method: request.method,
      url: target,
      signal: request.signal,
      stop: () => patience.stop(),
      holdsEmpty: this.#state.retry.emptyResponses,
      send: () => {
        const outgoing = { url: new URL(target), headers: new Headers(this.#headers) }
        placeFor(this.#protocol, dialect, outgoing, lease.secret)
        return this.#host.fetch(outgoing.url.href, {
          method: request.method,
          headers: outgoing.headers,
          body: this.#bodyFor(upstream),
          signal: until,
          // A key in a header of its own would go along to wherever a redirect leads.
          redirect: 'manual',
        })
      },
    })
    return unlessAborted(attempt, until, (late) => {
      const { body } = 'value' in late ? late.value : late
      body?.cancel().catch(() => {})
    })
  }

  /** A group may be gone from the configuration by now. */
  #groupOf({ group }: RoutedLease): GroupConfig {
    const found = this.#host.state().groups.get(group) ?? this.#state.groups.get(group)
    if (found === undefined) throw new Refused('internal_error', 'The gateway failed.')
    return found
  }

  #bodyFor(upstream: string | undefined): Uint8Array<ArrayBuffer> | null {
    const { body, naming } = this.#asked
    if (body === undefined) return null
    // Also when the name stays: of several the provider may read another than the one that was checked.
    return upstream === undefined ? body.bytes : renamed(body.bytes, naming(upstream))
  }

  /** The answer for the client. */
  #handOver(response: Response): Response {
    const { status, ok } = response
    const { lease, patience, verdict, close } = this.#last as Made
    if (verdict === 'auth_failed') {
      response.body?.cancel().catch(() => {})
      const facts = { headers: { 'x-should-retry': 'false' } }
      const message = 'The provider refused the key of the gateway.'
      throw new Refused('upstream_unauthorized', message, facts)
    }
    if (status < 200 || (status >= 300 && status < 400) || status > 599) {
      response.body?.cancel().catch(() => {})
      throw new Refused('upstream_redirect', 'The provider did not answer the request itself.')
    }
    const headers = forClient(response.headers, lease.secret)
    headers.set('x-request-id', this.#log.requestId)
    headers.set('x-keyrota-attempts', String(this.#log.attempts))
    if (!ok) headers.set('x-keyrota-code', 'upstream_error')
    const told = { status, group: lease.group, errorCode: ok ? null : ('upstream_error' as const) }
    const { signal } = this.#arrived.request
    const ended = (how: Ending) => {
      const isLeft = how === 'cut' && signal.aborted
      const end = () => this.#log.end({ ...told, ended: isLeft ? 'cancelled' : how })
      close().then(end, end)
    }
    if (response.body === null) {
      ended('complete')
      return new Response(null, { status, headers })
    }
    const { idleMs } = this.#state.timeouts
    const filter = new SecretFilter(lease.secret, !ok)
    const relay = { patience, idleMs, filter, ended }
    return new Response(relayed(response.body as ReadableStream<Uint8Array<ArrayBuffer>>, relay), {
      status,
      headers,
    })
  }
}

/** `fetch` has time-outs of its own, and tells them by its cause. */
function codeOf(error: unknown): GatewayErrorCode {
  const { name, code, cause } = (error ?? {}) as Partial<Coded> & { readonly cause?: Coded }
  const isLate = [name, code, cause?.name, cause?.code].some((word) => /timeout/i.test(`${word}`))
  return isLate ? 'upstream_timeout' : 'upstream_unreachable'
}

interface Coded {
  readonly name?: unknown
  readonly code?: unknown
}
