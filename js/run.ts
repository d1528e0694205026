/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */

import { invalidOption, isKeyrotaError } from './errors.js'
import type { Lease } from './lease.js'
import { statusOf } from './outcome.js'
import type { AcquireOptions, RunOptions, Verdict } from './types.js'

const DEFAULT_MAX_ATTEMPTS = 10

/** How long a request that failed once waits for its next credential: a computed pause is no longer. */
const MOST_PAUSE_MS = 2_500

/** How often a request comes back to a credential that was not to blame. */
const MOST_REPEATS = 1

/** How one attempt ended for its caller. */
type Ending<T> = { readonly value: T } | { readonly thrown: unknown }

/** What a request needs of the pool. */
export interface Host {
  /** It waits for at least so long, however little the options say. */
  acquire(options: AcquireOptions, leastWaitMs: number): Promise<Lease>
  /** Whether the credential of the lease has got another secret since. */
  hasOtherSecret(lease: Lease): Promise<boolean>
}

/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export async function run<T>(
  host: Host,
  options: RunOptions,
  attempt: (lease: Lease, attempt: number) => T | PromiseLike<T>,
): Promise<T> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, idempotent = false, ...request } = options
  if (!((Number.isInteger(maxAttempts) || maxAttempts === Infinity) && maxAttempts >= 1)) {
    throw invalidOption('maxAttempts', maxAttempts, 'must be a whole number of 1 or more')
  }
  const tried = new Tried(request.tried ?? [])
  let ending: Ending<T> | undefined
  for (let count = 1; count <= maxAttempts; count++) {
    const lease = await next(host, request, tried, count).catch((error: unknown) => {
      // The provider's own answer says more than that nobody could try again.
      if (ending !== undefined && isKeyrotaError(error)) return undefined
      throw error
    })
    if (lease === undefined) break
    discard(ending)
    ending = await end(lease, count, attempt)
    // An answer that cannot be judged, as after a dispose, is still the caller's.
    const verdict = await verdictOn(lease, ending).catch(() => lease.release())
    if (verdict === undefined || !mayTryAnother(verdict, idempotent)) break
    await tried.add(lease, verdict, host)
  }
  if (ending !== undefined && 'value' in ending) return ending.value
  throw ending?.thrown
}

/** Makes one attempt and answers what it means. */
export async function attemptOnce(
  lease: Lease,
  attempt: (lease: Lease, attempt: number) => unknown,
): Promise<Verdict> {
  const ending = await end(lease, 1, attempt)
  // Reported by its caller, it answers the same again.
  return (await verdictOn(lease, ending)) ?? lease.report({ status: 200 })
}

/** The credentials that a request has tried. */
class Tried {
  readonly #ids: Set<string>
  /** Those that were not to blame: the provider failed for everyone, or their secret is new. */
  readonly #blameless = new Set<string>()
  #repeats = 0

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids)
  }

  get ids(): string[] {
    return [...this.#ids]
  }

  async add(lease: Lease, { scope, class: kind }: Verdict, host: Host): Promise<void> {
    const { id } = lease.credential
    this.#ids.add(id)
    const isShared = scope === 'provider' || scope === 'egress'
    if (isShared || (kind === 'auth_failed' && (await host.hasOtherSecret(lease)))) {
      this.#blameless.add(id)
    }
  }

  /** Lets those who were not to blame be tried once more; answers false when there are none. */
  forgive(): boolean {
    if (this.#blameless.size === 0 || this.#repeats >= MOST_REPEATS) return false
    this.#repeats++
    for (const id of this.#blameless) this.#ids.delete(id)
    this.#blameless.clear()
    return true
  }
}

/** The next credential; when nobody else is left, one that was not to blame. */
async function next(
  host: Host,
  request: AcquireOptions,
  tried: Tried,
  count: number,
): Promise<Lease> {
  const leastWaitMs = count === 1 ? 0 : MOST_PAUSE_MS
  try {
    return await host.acquire({ ...request, tried: tried.ids }, leastWaitMs)
  } catch (error) {
    if (!isKeyrotaError(error, 'no_credential_available') || !tried.forgive()) throw error
    return host.acquire({ ...request, tried: tried.ids }, leastWaitMs)
  }
}

/** Nobody will read the answer, and unread it would hold its connection. */
function discard(ending: Ending<unknown> | undefined): void {
  const value = ending !== undefined && 'value' in ending ? ending.value : undefined
  const body = (value as { body?: Partial<ReadableStream> | null } | null | undefined)?.body
  if (typeof body?.cancel === 'function' && body.locked === false) body.cancel().catch(() => {})
}

async function end<T>(
  lease: Lease,
  count: number,
  attempt: (lease: Lease, attempt: number) => T | PromiseLike<T>,
): Promise<Ending<T>> {
  try {
    return { value: await attempt(lease, count) }
  } catch (thrown) {
    return { thrown }
  }
}

/** Reports the attempt unless its caller did; `undefined` when it succeeded or was released. */
async function verdictOn<T>(lease: Lease, ending: Ending<T>): Promise<Verdict | undefined> {
  if ('thrown' in ending) {
    const outcome = typeof ending.thrown === 'object' && ending.thrown !== null ? ending.thrown : {}
    return lease.report(outcome)
  }
  const isResponse = statusOf(ending.value) !== undefined
  const verdict = await lease.report(isResponse ? ending.value : { status: 200 })
  return verdict.class === 'ok' ? undefined : verdict
}

/** What was sent and not answered may have been done: it is repeated only if that does no harm. */
function mayTryAnother(verdict: Verdict, idempotent: boolean): boolean {
  return verdict.retryOther && (verdict.class !== 'unknown_outcome' || idempotent)
}
