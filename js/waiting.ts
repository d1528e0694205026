/**
 * Those who wait for a credential, and what ends their waits.
 * @module
 */

import { sleep } from './clock.js'
import { type Engine, MOST_ROUNDS } from './engine.js'
import type { KeyrotaError } from './errors.js'
import type { Lease } from './lease.js'
import type { Provider } from './provider.js'

/** A refusal, as far as it matters to whoever may wait. */
export interface Refused {
  readonly ok: false
  readonly code: string
  readonly retryAfterMs: number | null
  /** Whether the end of an attempt helps. */
  readonly atCapacity: boolean
  toError(): KeyrotaError
}

/** Whom someone waits for, and how long. */
export interface Patience {
  /** `undefined`: whoever it is. */
  readonly provider: Provider | undefined
  readonly maxWaitMs: number
  readonly signal: AbortSignal | undefined
}

interface Waiter {
  readonly provider: Provider | undefined
  /** Whether the end of an attempt helps. */
  readonly forRoom: boolean
  readonly wake: () => void
}

/** The waits of one pool. */
export class Waiting {
  readonly #engine: Engine
  readonly #waiters = new Set<Waiter>()

  constructor(engine: Engine) {
    this.#engine = engine
    engine.wake = (provider) => this.wake(provider)
    engine.freed = (provider) => {
      if (this.#waiters.size > 0) this.wake(provider, true)
    }
  }

  /**
   * Asks for a lease until there is one, as long as the next credential is back in time, or an attempt that
   * ends in time may make room.
   *
   * @throws the refusal as an error; the signal's reason
   */
  async until<L extends Lease>(
    ask: () => L | Refused | Promise<L | Refused>,
    patience: Patience,
  ): Promise<L> {
    let waited = 0
    for (let round = 1; ; round++) {
      patience.signal?.throwIfAborted()
      const asked = ask()
      const answer = asked instanceof Promise ? await asked : asked
      if (answer.ok) return answer
      const { code, retryAfterMs, atCapacity } = answer
      // Invalidated just now; or an answer from before, since which an attempt may have ended.
      const isOutdated = code === 'not_loaded' || (atCapacity && asked instanceof Promise)
      if (isOutdated && round < MOST_ROUNDS) continue
      if (code === 'not_loaded') throw answer.toError()
      const left = patience.maxWaitMs - waited
      if (atCapacity ? left <= 0 : retryAfterMs === null || retryAfterMs > left) {
        throw answer.toError()
      }
      const wait = retryAfterMs ?? Number.POSITIVE_INFINITY
      waited += await this.#sleep(wait, left, patience, atCapacity)
    }
  }

  /**
   * Ends the waits for one provider, or all, since something changed that may help.
   *
   * @param roomOnly - only those whom the end of an attempt helps
   */
  wake(provider?: Provider, roomOnly = false): void {
    for (const waiter of [...this.#waiters]) {
      const isMeant = provider === undefined || waiter.provider === undefined
      if (!(isMeant || waiter.provider === provider)) continue
      if (waiter.forRoom || !roomOnly) waiter.wake()
    }
  }

  /** Waits, and answers how long: by the timer where the pool's clock stands still. */
  async #sleep(
    until: number,
    left: number,
    { provider, signal }: Patience,
    forRoom: boolean,
  ): Promise<number> {
    const { clock, core } = this.#engine
    const began = clock.now()
    // An attempt that nobody reports ends by itself, which nobody tells.
    const expiry = forRoom ? core.nextExpiry() : -1
    const ms = forRoom ? Math.min(until, left, expiry < 0 ? until : expiry) : until
    // Not all in the same instant: whoever waits for one key would find it busy with the others.
    const spread = forRoom ? 0 : this.#engine.spread(ms)
    const counted = await sleep(ms + spread, signal, (wake) => {
      const waiter = { provider, wake, forRoom }
      this.#waiters.add(waiter)
      return () => this.#waiters.delete(waiter)
    })
    const passed = clock.now() - began
    return Math.min(passed > 0 ? passed : counted, ms)
  }
}
