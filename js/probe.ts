/**
 * One attempt on a credential that is named, whatever is known of it.
 * @module
 */

import type { Engine } from './engine.js'
import { KeyrotaError } from './errors.js'
import { Lease } from './lease.js'
import { tellAcquired } from './listening.js'
import type { Provider } from './provider.js'
import { attemptOnce } from './run.js'
import type { Verdict } from './types.js'
import { NONE_AVAILABLE } from './wasm/core.js'

/** Leases that very credential, makes the attempt, and answers what it means. */
export async function probe(
  engine: Engine,
  id: string,
  send: (lease: Lease) => unknown,
): Promise<Verdict> {
  const { provider, number } = engine.find(id)
  const granted = engine.core.acquireProbe(provider.index, number)
  if (granted === NONE_AVAILABLE) {
    const why = provider.unresolved.get(number)?.message ?? 'it has no secret'
    const facts = { provider: provider.name, credential: id, retryAfterMs: null }
    throw new KeyrotaError('no_credential_available', `'${id}' cannot be probed: ${why}`, facts)
  }
  const fault = engine.faultOf(granted)
  if (fault !== undefined) throw fault
  return tryOut(engine, provider, number, granted, send)
}

/** Lets the app's `validate` try blacklisted keys, as {@link probe} would. */
export function validateWith(engine: Engine): void {
  engine.validate = (provider, number, send) => {
    const granted = engine.core.acquireProbe(provider.index, number)
    // Its row or its secret may be gone by now: it is asked for again at its time.
    if (granted < 0) return
    // What goes wrong is a verdict; a dispose meanwhile is nobody's fault.
    tryOut(engine, provider, number, granted, send).catch(() => {})
  }
}

async function tryOut(
  engine: Engine,
  provider: Provider,
  number: number,
  granted: number,
  send: (lease: Lease) => unknown,
): Promise<Verdict> {
  const lease = new Lease(engine, provider, granted, engine.core.granted(), undefined)
  tellAcquired(engine, lease)
  const verdict = await attemptOnce(lease, send)
  if (verdict.class === 'ok') provider.stored.delete(number)
  return verdict
}
