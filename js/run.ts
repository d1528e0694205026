/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */

import { abortable } from './clock.js'
import { invalidOption, isKeyrotaError } from './errors.js'
import type { Lease } from './lease.js'
import { statusOf } from './outcome.js'
import type { AcquireOptions, RunOptions, Verdict } from './types.js'

/** By default every credential of a provider may be tried, but no more than so many. */
const [LEAST_ATTEMPTS, MOST_ATTEMPTS] = [10, 100]

/**
 * How long a request waits for a credential at least, unless it says how long for its first: a computed pause
 * of the provider is no longer.
 */
const MOST_PAUSE_MS = 2_500

/** How often a request comes back to a credential that was not to blame. */
const MOST_REPEATS = 1

/**
 * What an attempt of {@link KeyPool.run} answers when its answer is still coming, such as a stream: `run`
 * hands the value over, and whoever reads it reports the lease when it has ended.
 */
export class Underway<T> {
  /** By it the pool of one entry knows what another entry made, whose class is another. */
  readonly isUnderway: true = true as const
  /** What `run` hands over. */
  readonly value: T

  constructor(value: T) {
    this.value = value
  }
}

function isUnderway<T>(value: T | Underway<T>): value is Underway<T> {
  return (value as Partial<Underway<T>> | null | undefined)?.isUnderway === true
}

/** How one attempt ended for its caller. */
type Ending<T> = { readonly value: T } | { readonly thrown: unknown }

/** Makes one attempt with the lease; `attempt` counts from 1. */
export type Attempt<T> = (
  lease: Lease,
  attempt: number,
) => T | Underway<T> | PromiseLike<T | Underway<T>>

/** What a request needs of the pool. */
export interface Host {
  /** It waits for at least so long, however little the options say. */
  acquire(options: AcquireOptions, leastWaitMs: number): Promise<Lease>
  /** How many credentials the provider has, as far as it is loaded. */
  size(): number
  /** Whether the credential of the lease has got another secret since. */
  hasOtherSecret(lease: Lease): Promise<boolean>
}

/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export async function run<T>(host: Host, options: RunOptions, attempt: Attempt<T>): Promise<T> {
  const { maxAttempts, idempotent = false, retry, ...request } = options
  const isCount = Number.isInteger(maxAttempts) || maxAttempts === Infinity
  if (maxAttempts !== undefined && !(isCount && maxAttempts >= 1)) {
    throw invalidOption('maxAttempts', maxAttempts, 'must be a whole number of 1 or more')
  }
  // How many credentials there are is known once the first is leased.
  const most = () => maxAttempts ?? Math.min(Math.max(host.size(), LEAST_ATTEMPTS), MOST_ATTEMPTS)
  const tried = new Tried(request.tried ?? [])
  let ending: Ending<T | Underway<T>> | undefined
  for (let count = 1; count <= most(); count++) {
    const lease = await next(host, request, tried, count).catch((error: unknown) => {
      // The provider's own answer says more than that nobody could try again.
      if (ending !== undefined && isKeyrotaError(error)) return undefined
      throw error
    })
    if (lease === undefined) break
    discard(ending)
    ending = await end(lease, count, attempt)
    if ('value' in ending && isUnderway(ending.value)) return ending.value.value
    // An answer that cannot be judged, as after a dispose, is still the caller's.
    const verdict = await verdictOn(lease, ending).catch(() => lease.release())
    if (verdict === undefined || !mayTryAnother(verdict, idempotent)) break
    if (count < most() && retry?.(verdict, count) === false) break
    tried.add(lease, verdict)
  }
  if (ending !== undefined && 'value' in ending) return ending.value as T
  throw ending?.thrown
}

/** Makes one attempt and answers what it means. */
export async function attemptOnce(
  lease: Lease,
  attempt: (lease: Lease, attempt: number) => unknown,
): Promise<Verdict> {
  const ending = await end(lease, 1, attempt)
  try {
    // Reported by its caller, it answers the same again.
    return (await verdictOn(lease, ending)) ?? (await lease.report({ status: 200 }))
  } finally {
    lease.release()
  }
}

/** The credentials that a request has tried. */
class Tried {
  readonly #ids: Set<string>
  /** Those that were not to blame: the provider failed for everyone, or their secret is new. */
  readonly #blameless = new Set<string>()
  /** Those whose secret was refused and may be renewed by now. */
  #refused: Lease[] = []
  #repeats = 0

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids)
  }

  get ids(): string[] {
    return [...this.#ids]
  }

  add(lease: Lease, { scope, class: kind }: Verdict): void {
    const { id } = lease.credential
    this.#ids.add(id)
    if (scope === 'provider' || scope === 'egress') this.#blameless.add(id)
    if (kind === 'auth_failed') this.#refused.push(lease)
  }

  /** Lets those who were not to blame be tried once more; answers false when there are none. */
  async forgive(host: Host, signal: AbortSignal | undefined): Promise<boolean> {
    for (const lease of this.#refused.splice(0)) {
      // Only now, since a new secret takes its time: others are tried in the meantime.
      const hasOther = await abortable(host.hasOtherSecret(lease), signal)
      if (hasOther) this.#blameless.add(lease.credential.id)
    }
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
  const leastWaitMs = count === 1 && request.maxWaitMs !== undefined ? 0 : MOST_PAUSE_MS
  try {
    return await host.acquire({ ...request, tried: tried.ids }, leastWaitMs)
  } catch (error) {
    if (
      !isKeyrotaError(error, 'no_credential_available') ||
      !(await tried.forgive(host, request.signal))
    ) {
      throw error
    }
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
