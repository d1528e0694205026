/**
 * The retry budget: how many retries the traffic as a whole may cost.
 * @module
 */

import type { Verdict, VerdictClass } from 'keyrota'

/**
 * What says no to one key. The provider is well, and such a key rests or is gone: going to another one
 * multiplies nothing.
 */
const OF_ONE_KEY: ReadonlySet<VerdictClass> = /* @__PURE__ */ new Set<VerdictClass>([
  'rate_limited',
  'quota_exhausted',
  'auth_failed',
  'model_denied',
  'over_key_limit',
])

/**
 * Lets a share of the requests be repeated, and no more.
 *
 * @remarks
 * When a provider fails for everyone, retries would multiply the load just then. So each request pays a
 * share in, and each retry after such a failure takes one out; a reserve lets an app with little traffic retry at all. The idea
 * is that of Finagle and of tower's `retry::budget`.
 */
export class RetryBudget {
  readonly #share: number
  readonly #reserve: number
  #balance: number

  constructor(share: number, reserve: number) {
    this.#share = share
    this.#reserve = reserve
    this.#balance = reserve
  }

  /** A request begins. */
  deposit(): void {
    this.#balance = Math.min(this.#balance + this.#share, this.#reserve + 1_000 * this.#share)
  }

  /** A retry is asked for after that verdict; answers whether it may be made. */
  allows({ class: kind }: Pick<Verdict, 'class'>): boolean {
    if (OF_ONE_KEY.has(kind)) return true
    if (this.#balance < 1) return false
    this.#balance -= 1
    return true
  }
}
