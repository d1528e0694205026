/**
 * One request with fail-over: acquire, try, report, and try another credential while that is safe.
 * @module
 */

import { abortable } from './clock.js'
import { isEmptyAnswer, isEmptyText } from './empty.js'
import { invalidOption, isKeyrotaError } from './errors.js'
import type { Lease } from './lease.js'
import { startOf, statusOf, unreadBody } from './outcome.js'
import type { RunOptions, Verdict } from './types.js'

/**
 * How long each attempt of a request waits for a credential at least, unless the request says how long: a
 * computed pause of the provider is no longer.
 */
const MOST_PAUSE_MS = 2_500

/** What an answer without content means for its request. Nobody is to blame for it. */
const EMPTY: Verdict = /* @__PURE__ */ Object.freeze({
  class: 'server_error',
  scope: 'request',
  waitMs: null,
  waitFrom: null,
  evidence: 'status',
  disable: false,
  retryOther: true,
})

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

/**
 * What an attempt of {@link KeyPool.run} answers when the provider answered without any content, and the
 * attempt alone can know that: `run` tries another credential, and hands the value over if it was the last.
 * Nobody is blamed.
 */
export class EmptyAnswer<T> {
  /** By it the pool of one entry knows what another entry made, whose class is another. */
  readonly isEmptyAnswer: true = true as const
  /** What `run` hands over. */
  readonly value: T

  constructor(value: T) {
    this.value = value
  }
}

/** What an attempt may answer. */
type Answer<T> = T | Underway<T> | EmptyAnswer<T>

function isUnderway<T>(value: Answer<T>): value is Underway<T> {
  return (value as Partial<Underway<T>> | null | undefined)?.isUnderway === true
}

function isMarkedEmpty<T>(value: Answer<T>): value is EmptyAnswer<T> {
  return (value as Partial<EmptyAnswer<T>> | null | undefined)?.isEmptyAnswer === true
}

/** How one attempt ended for its caller. */
type Ending<T> = { readonly value: T; readonly isEmpty: boolean } | { readonly thrown: unknown }

/** What goes on after its attempt. */
type Ongoing<T> = { readonly underway: T }

/** Makes one attempt with the lease; `attempt` counts from 1. */
export type Attempt<T, L extends Lease = Lease> = (
  lease: L,
  attempt: number,
) => T | Underway<T> | EmptyAnswer<T> | PromiseLike<T | Underway<T> | EmptyAnswer<T>>

/** What the core keeps of a request: what it tried, and what may come next. */
export interface Plan {
  /** Takes in how an attempt ended, among so many credentials; answers whether there may be another. */
  attempted(
    candidates: number,
    kind: string,
    scope: string,
    retryOther: boolean,
    phase: string,
  ): boolean
  /** The numbers, from 0, of the failed attempts whose secret may be renewed by now. */
  refused(): Uint32Array
  /** Lets those who were not to blame be tried once more; answers false when there are none. */
  forgive(renewed: Uint32Array): boolean
}

/** What a request says of its attempts, whoever they are chosen by. */
export type RequestOptions = Pick<
  RunOptions,
  'idempotent' | 'maxAttempts' | 'maxWaitMs' | 'retry' | 'retryEmptyResponses' | 'signal'
>

/** What a request needs of the pool. */
export interface Host<L extends Lease> {
  readonly plan: Plan
  /** The next lease by the plan. It waits for at least so long, however little the options say. */
  acquire(leastWaitMs: number): Promise<L>
  /** How many credentials the provider has, as far as it is loaded. */
  size(): number
  /** Whether the credential of the lease has got another secret since. */
  hasOtherSecret(lease: L): Promise<boolean>
}

/** How many attempts a request may have, checked; `undefined` leaves it to the plan. */
export function attemptsOf({ maxAttempts }: RequestOptions): number | undefined {
  const isCount = Number.isInteger(maxAttempts) || maxAttempts === Infinity
  if (maxAttempts !== undefined && !(isCount && maxAttempts >= 1)) {
    throw invalidOption('maxAttempts', maxAttempts, 'must be a whole number of 1 or more')
  }
  return maxAttempts
}

/** Runs `attempt` until it succeeds, until trying again cannot help, or until nobody is left. */
export async function run<T, L extends Lease>(
  host: Host<L>,
  options: RequestOptions,
  attempt: Attempt<T, L>,
): Promise<T> {
  const { retry, retryEmptyResponses = false } = options
  const failed: L[] = []
  let ending: Ending<T> | undefined
  for (let count = 1; ; count++) {
    const lease = await next(host, options, failed).catch((error: unknown) => {
      // The provider's own answer says more than that nobody could try again.
      if (ending !== undefined && isKeyrotaError(error)) return undefined
      discard(ending)
      throw error
    })
    if (lease === undefined) break
    discard(ending)
    const made = await end(lease, count, attempt)
    if ('underway' in made) return made.underway
    ending = made
    // An answer that cannot be judged, as after a dispose, is still the caller's.
    const reported = await verdictOn(lease, ending).catch(() => lease.release())
    const verdict = reported ?? ((await isEmpty(ending, retryEmptyResponses)) ? EMPTY : undefined)
    if (verdict === undefined) break
    failed.push(lease)
    const { class: kind, scope, retryOther } = verdict
    const phase = verdict === EMPTY ? 'before_content' : lease.phase
    if (!host.plan.attempted(host.size(), kind, scope, retryOther, phase)) break
    if (retry?.(verdict, count) === false) break
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
  try {
    // Reported by its caller, it answers the same again.
    return (await verdictOn(lease, ending)) ?? (await lease.report({ status: 200 }))
  } finally {
    lease.release()
  }
}

/** The next credential; when nobody else is left, one that was not to blame. */
async function next<L extends Lease>(
  host: Host<L>,
  { maxWaitMs, signal }: RequestOptions,
  failed: readonly L[],
): Promise<L> {
  const leastWaitMs = maxWaitMs === undefined ? MOST_PAUSE_MS : 0
  try {
    return await host.acquire(leastWaitMs)
  } catch (error) {
    if (!isKeyrotaError(error, 'no_credential_available')) throw error
    // Only now, since a new secret takes its time: others are tried in the meantime.
    const renewed: number[] = []
    for (const number of host.plan.refused()) {
      const hasOther = await abortable(host.hasOtherSecret(failed[number] as L), signal)
      if (hasOther) renewed.push(number)
    }
    if (!host.plan.forgive(Uint32Array.from(renewed))) throw error
    return host.acquire(leastWaitMs)
  }
}

/** Nobody will read the answer, and unread it would hold its connection. */
function discard(ending: Ending<unknown> | undefined): void {
  const value = ending !== undefined && 'value' in ending ? ending.value : undefined
  const body = (value as { body?: Partial<ReadableStream> | null } | null | undefined)?.body
  if (typeof body?.cancel === 'function' && body.locked === false) body.cancel().catch(() => {})
}

async function end<T, L extends Lease>(
  lease: L,
  count: number,
  attempt: Attempt<T, L>,
): Promise<Ending<T> | Ongoing<T>> {
  try {
    const answer = await attempt(lease, count)
    if (isUnderway(answer)) return { underway: answer.value }
    if (isMarkedEmpty(answer)) return { value: answer.value, isEmpty: true }
    return { value: answer as T, isEmpty: false }
  } catch (thrown) {
    return { thrown }
  }
}

/** Reports the attempt unless its caller did; `undefined` when it succeeded or was released. */
async function verdictOn<T>(
  lease: Lease,
  ending: Ending<T> | Ongoing<T>,
): Promise<Verdict | undefined> {
  if ('thrown' in ending) {
    const outcome = typeof ending.thrown === 'object' && ending.thrown !== null ? ending.thrown : {}
    return lease.report(outcome)
  }
  const value = 'value' in ending ? ending.value : undefined
  const verdict = await lease.report(statusOf(value) === undefined ? { status: 200 } : value)
  return verdict.class === 'ok' ? undefined : verdict
}

/** Whether the provider answered without any content; `looks` is whether the answer itself is looked at. */
async function isEmpty(ending: Ending<unknown>, looks: boolean): Promise<boolean> {
  if (!('value' in ending) || ending.isEmpty || !looks) return 'value' in ending && ending.isEmpty
  const { value } = ending
  if (typeof value !== 'object' || value === null) return false
  const { body } = value as { body?: unknown }
  const { text, isCut } = (await unreadBody(value)) ?? startOf(isPlain(body) ? body : undefined)
  return isEmptyAnswer(value) || (!isCut && isEmptyText(text))
}

/** Whether a body is at hand: a text, or what was read from one. */
function isPlain(body: unknown): boolean {
  return typeof (body as Partial<ReadableStream> | null | undefined)?.getReader !== 'function'
}
