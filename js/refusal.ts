/**
 * A refusal: no credential can serve, and why.
 * @module
 */

import { KeyrotaError } from './errors.js'
import type { Explanation } from './types.js'

/** How many secrets that are not there a message names. */
const SHOWN = 3

/** Why `tryAcquire` granted nothing. It is an answer, not an error. */
export class Refusal {
  /** `not_loaded`: use `acquire`, which loads. */
  readonly code: 'no_credential_available' | 'not_loaded'
  readonly provider: string
  /** How long until a credential is back, in milliseconds; `null` when time alone does not help. */
  readonly retryAfterMs: number | null
  /** Whether one could serve now, were it not for a cap: the end of an attempt helps. */
  readonly atCapacity: boolean
  readonly #explain: () => Explanation

  /** @internal */
  constructor(
    code: Refusal['code'],
    provider: string,
    retryAfterMs: number | null,
    atCapacity: boolean,
    explain: () => Explanation,
  ) {
    this.code = code
    this.provider = provider
    this.retryAfterMs = retryAfterMs
    this.atCapacity = atCapacity
    this.#explain = explain
  }

  /** Tells a refusal from a lease. */
  get ok(): false {
    return false
  }

  /** Why each credential is passed over at this moment. */
  get explanation(): Explanation {
    return this.#explain()
  }

  /** The refusal as an error to throw. */
  toError(): KeyrotaError {
    const { code, provider, retryAfterMs } = this
    const facts = { provider, retryAfterMs, explanation: this.explanation }
    return new KeyrotaError(code, this.#message(facts.explanation), facts)
  }

  #message({ candidates }: Explanation): string {
    if (this.code === 'not_loaded') return `provider '${this.provider}' is not loaded`
    if (candidates.length === 0) return `provider '${this.provider}' has no credentials`
    const counts = new Map<string, number>()
    for (const { reason } of candidates) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ')
    const next =
      this.retryAfterMs === null ? '' : `; the next one is back in ${this.retryAfterMs} ms`
    const unresolved = candidates.filter(({ reason }) => reason === 'secret_unresolved')
    const missing = unresolved.slice(0, SHOWN).map(({ id, rule }) => `; ${id}: ${rule}`)
    return `no credential of '${this.provider}' is available (${reasons})${next}${missing.join('')}`
  }
}
