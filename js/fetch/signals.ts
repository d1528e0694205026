/**
 * Several signals as one.
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
