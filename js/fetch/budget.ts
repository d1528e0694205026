/**
 * The retry budget: how many retries the traffic as a whole may cost.
 * @module
 */

/**
 * Lets a share of the requests be repeated, and no more.
 *
 * @remarks
 * When a provider fails for everyone, retries would multiply the load just then. So each request pays a
 * share in, and each retry takes one out; a reserve lets an app with little traffic retry at all. The idea
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

  /** A retry is asked for; answers whether it may be made. */
  withdraw(): boolean {
    if (this.#balance < 1) return false
    this.#balance -= 1
    return true
  }
}
