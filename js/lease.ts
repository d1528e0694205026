/**
 * A lease: the right to use one credential for one attempt.
 * @module
 */

import type { Engine } from './engine.js'
import { invalidOption } from './errors.js'
import { hideSecret, mayHideError, readOutcome, statusOf, unreadBody, withBody } from './outcome.js'
import type { LeasedCredential, Provider } from './provider.js'
import * as hash from './session.js'
import type { ChoiceReason, Verdict } from './types.js'

/** In the order of the core's `ChoiceReason`. */
const REASONS: readonly ChoiceReason[] = [
  'strategy',
  'affinity',
  'rebound',
  'lodging',
  'continuation',
  'fail_open',
  'probe',
  'overflow',
]

const OK: Promise<Verdict> = /* @__PURE__ */ Promise.resolve(
  /* @__PURE__ */ Object.freeze({
    class: 'ok',
    scope: 'none',
    waitMs: null,
    waitFrom: null,
    evidence: 'status',
    disable: false,
    retryOther: false,
  }),
)

/**
 * The right to use one credential for one attempt.
 *
 * @remarks
 * It counts as in flight until {@link Lease.report} or {@link Lease.release}, or until `leaseTtlMs`
 * is over. `await using` covers the paths that forget. Printing or serializing a lease shows no secret.
 *
 * @example Report how the attempt ended, whatever happens in between
 * ```ts
 * await using lease = await pool.acquire({ provider: 'openai', session: chat.id })
 * const response = await fetch(url, { headers: { authorization: `Bearer ${lease.secret}` } })
 * await lease.report(response)
 * ```
 */
export class Lease {
  static {
    // What Node, Deno and Bun print: as JSON, and so no secret even where getters are to be shown.
    Object.defineProperty(Lease.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: Lease, _: number, options: object, inspect: (...of: object[]) => string) {
        return `Lease ${inspect(this.toJSON(), options)}`
      },
    })
  }

  readonly #engine: Engine
  readonly #provider: Provider
  readonly #id: number
  readonly #reason: number
  /** Kept from the grant, since a later load may give its number to another. */
  readonly #credential: LeasedCredential
  readonly #secret: string
  readonly #number: number
  readonly #model: string | undefined
  #verdict: Promise<Verdict> | undefined
  #phase = 'response'

  /** @internal */
  constructor(
    engine: Engine,
    provider: Provider,
    id: number,
    granted: number,
    model: string | undefined,
  ) {
    this.#engine = engine
    this.#provider = provider
    this.#id = id
    this.#reason = granted & 7
    this.#number = granted >>> 3
    this.#model = model
    this.#credential = provider.credentials[this.#number] as LeasedCredential
    this.#secret = provider.secrets[this.#number] as string
  }

  /** Tells a lease from a refusal. */
  get ok(): true {
    return true
  }

  /** The provider's name. */
  get provider(): string {
    return this.#provider.name
  }

  /** Who serves: id and label. */
  get credential(): LeasedCredential {
    return this.#credential
  }

  /** Why this one. */
  get reason(): ChoiceReason {
    return REASONS[this.#reason] as ChoiceReason
  }

  /** The key itself. Put it into a header, and nowhere else. */
  get secret(): string {
    return this.#secret
  }

  /** Whether it was reported or released. */
  get settled(): boolean {
    return this.#verdict !== undefined
  }

  /** How far the attempt had come when it ended. @internal */
  get phase(): string {
    return this.#phase
  }

  /**
   * Ends the lease with what came back; the credential rests, recovers or is disabled accordingly.
   *
   * @remarks
   * Only the first report counts; a later one answers the same verdict. A report about a credential
   * that was replaced or brought back since changes nothing. Of a `Response` a clone is read, at most
   * 64 KB and only if it is an error or plain JSON: report it before its body is used. A streamed
   * response settles on its status and headers.
   *
   * @param outcome - a `Response`, what `fetch` or an SDK threw, or `{ status, headers, body }`
   * @returns what it means
   * @throws {@link KeyrotaError} `invalid_option` when it is none of these; the lease goes on
   */
  report(outcome: unknown): Promise<Verdict> {
    if (this.#verdict !== undefined) return this.#verdict
    const verdict = this.#settle(outcome) ? OK : this.#judge(outcome)
    this.#verdict = verdict
    return verdict
  }

  /** The short way, for a success that changes nothing. */
  #settle(outcome: unknown): boolean {
    const { core, disposed } = this.#engine
    try {
      const status = statusOf(outcome)
      const isKnown = status !== undefined && !disposed && !mayHideError(outcome)
      if (!(isKnown && core.settle(this.#id, status))) return false
      this.#engine.freed(this.#provider)
      return true
    } catch {
      return false // the outcome cannot be read, which the long way tells
    }
  }

  /** What comes before the first `await` happens at once: the credential rests when this returns. */
  async #judge(outcome: unknown): Promise<Verdict> {
    try {
      const facts = readOutcome(outcome)
      const unread = unreadBody(outcome)
      if (unread !== undefined) withBody(facts, await unread)
      if (this.#model !== undefined) facts.model = this.#model
      hideSecret(facts, this.#secret)
      this.#phase = facts.phase ?? this.#phase
      const engine = this.#engine
      const verdict = engine.timed(() =>
        engine.core.report(this.#id, this.#provider.index, facts),
      ) as Verdict
      engine.wake(this.#provider)
      return verdict
    } catch (error) {
      // Nothing was judged, so the lease goes on and may be reported again.
      queueMicrotask(() => {
        this.#verdict = undefined
      })
      throw error
    }
  }

  /**
   * Remembers that this credential made a response, so that a request which `continues` it goes to the
   * same credential and to no other.
   *
   * @param responseId - the provider's id of the response, conversation or file
   */
  remember(responseId: string): void {
    const engine = this.#engine
    if (responseId === undefined) throw invalidOption('responseId', responseId, 'must be a text')
    hash.hashSession(responseId, 'responseId')
    const { low, high } = hash
    engine.timed(() => engine.core.remember(this.#provider.index, low, high, this.#number))
  }

  /** Ends the lease without a verdict: nothing is known, and nobody is to blame. */
  release(): void {
    if (this.#verdict !== undefined) return
    this.#verdict = OK
    if (this.#engine.disposed) return
    this.#engine.core.release(this.#id)
    this.#engine.freed(this.#provider)
  }

  /** {@link Lease.release}, for `using`. */
  [Symbol.dispose](): void {
    this.release()
  }

  /** {@link Lease.release}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.release()
  }

  /** Id, provider and reason; never the secret. */
  toJSON(): { provider: string; credential: LeasedCredential; reason: ChoiceReason } {
    return { provider: this.provider, credential: this.credential, reason: this.reason }
  }
}
