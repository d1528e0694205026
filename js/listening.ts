/**
 * Who listens, and what they are told of leases.
 * @module
 */

import type { Engine } from './engine.js'
import type { KeyPoolEvent, KeyPoolEvents } from './events.js'
import type { Lease } from './lease.js'
import { checkListener } from './options.js'

/** Calls `listener` whenever the event happens; answers what removes it. */
export function listen<Name extends KeyPoolEvent>(
  engine: Engine,
  event: Name,
  listener: (event: KeyPoolEvents[Name]) => void,
): () => void {
  const { core, listeners } = engine
  engine.assertAlive()
  checkListener(event, listener)
  const remove = listeners.add(event, listener)
  core.listen(true)
  return () => {
    remove()
    if (!engine.disposed) core.listen(listeners.has())
  }
}

/** Tells of a lease that was granted. */
export function tellAcquired({ listeners }: Engine, lease: Lease): void {
  if (!listeners.has('acquired')) return
  const { provider, reason, credential } = lease
  listeners.emit('acquired', { provider, credential: credential.id, reason })
}
