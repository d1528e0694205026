/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */

import { invalidOption, isKeyrotaError } from './errors.js'
import type { Lease } from './lease.js'
import { statusOf } from './outcome.js'
import type { AcquireOptions, RunOptions, Verdict } from './types.js'

const DEFAULT_MAX_ATTEMPTS = 10

/** How one attempt ended for its caller. */
type Ending<T> = { readonly value: T } | { readonly thrown: unknown }

/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export async function run<T>(
  acquire: (options: AcquireOptions) => Promise<Lease>,
  options: RunOptions,
  attempt: (lease: Lease, attempt: number) => T | PromiseLike<T>,
): Promise<T> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, idempotent = false, ...request } = options
  if (!((Number.isInteger(maxAttempts) || maxAttempts === Infinity) && maxAttempts >= 1)) {
    throw invalidOption('maxAttempts', maxAttempts, 'must be a whole number of 1 or more')
  }
  const tried = [...(request.tried ?? [])]
  let ending: Ending<T> | undefined
  for (let count = 1; count <= maxAttempts; count++) {
    let lease: Lease
    try {
      lease = await acquire({ ...request, tried })
    } catch (error) {
      // The provider's own answer says more than that nobody could try again.
      if (ending !== undefined && isKeyrotaError(error)) break
      throw error
    }
    discard(ending)
    ending = await end(lease, count, attempt)
    // An answer that cannot be judged, as after a dispose, is still the caller's.
    const verdict = await verdictOn(lease, ending).catch(() => lease.release())
    if (verdict === undefined || !mayTryAnother(verdict, idempotent)) break
    tried.push(lease.credential.id)
  }
  if (ending !== undefined && 'value' in ending) return ending.value
  throw ending?.thrown
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
