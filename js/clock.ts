/**
 * Time: the user's source, made safe to call from the core, and waiting.
 * @module
 */

import { KeyrotaError } from './errors.js'

/** Timers of more than 2^31 - 1 ms fire at once, so none is armed beyond it. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The last moment that a `Date` knows; what is beyond it is no time. */
const LAST_MOMENT = 8_640_000_000_000_000

/** A time source that never throws: a fault becomes NaN, and is kept to be told. */
export class Clock {
  readonly #now: () => number
  #fault: unknown

  constructor(now: () => number) {
    this.#now = now
  }

  /** Milliseconds since the epoch, or NaN. */
  readonly now = (): number => {
    try {
      const now = this.#now()
      return typeof now === 'number' && Math.abs(now) <= LAST_MOMENT ? now : Number.NaN
    } catch (error) {
      this.#fault = error
      return Number.NaN
    }
  }

  /** What to throw after the core met NaN. */
  error(): KeyrotaError {
    const fault = this.#fault
    this.#fault = undefined
    const message = 'now must return a finite number of milliseconds since the epoch'
    return new KeyrotaError('invalid_clock', message, {}, fault)
  }
}

/**
 * Waits; ends early when `wake` is called through `register`, or with the signal's reason.
 *
 * @returns the time that the timer counted; 0 when it was woken
 */
export function sleep(
  ms: number,
  signal: AbortSignal | undefined,
  register: (wake: () => void) => () => void,
): Promise<number> {
  const delay = Math.min(Math.max(ms, 1), LONGEST_TIMER_MS)
  return new Promise((resolve, reject) => {
    const finish = (end: () => void) => () => {
      clearTimeout(timer)
      unregister()
      signal?.removeEventListener('abort', abort)
      end()
    }
    const abort = finish(() => reject(signal?.reason))
    const timer = setTimeout(
      finish(() => resolve(delay)),
      delay,
    )
    const unregister = register(finish(() => resolve(0)))
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
  })
}

/** The promise, or the signal's reason if that comes first. The work goes on for other waiters. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Settles with the promise, or when the time is over. */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController()
  const time = sleep(ms, over.signal, () => () => {}).catch(() => {})
  try {
    await Promise.race([promise, time])
  } finally {
    over.abort()
  }
}
