/**
 * Signals: several as one, and one that is obeyed whatever becomes of the work.
 * @module
 */

/** A signal that aborts with the first of these, for its reason. */
export function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  const [only] = signals
  if (only !== undefined && signals.length === 1) return only
  // Node has it since 20.3.
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([...signals])
  const controller = new AbortController()
  const left = new AbortController()
  for (const signal of signals) {
    const abort = () => {
      left.abort() // the others are no longer listened to
      controller.abort(signal.reason)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true, signal: left.signal })
  }
  return controller.signal
}

/**
 * The answer, or the signal's reason if that comes first, also when the work does not obey the signal.
 *
 * @param late - takes what comes afterwards
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  late: (answer: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    const heard = () => signal.removeEventListener('abort', abort)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then((answer) => (signal.aborted ? late(answer) : resolve(answer)), reject).finally(heard)
  })
}
