/**
 * What is told to a lease. A pool that was disposed meanwhile takes nothing from a caller whose answer is there.
 * @module
 */

import { isKeyrotaError, type Lease, type Verdict } from 'keyrota'

/** Reports the lease; `undefined` when the pool was disposed. */
export async function tell(lease: Lease, outcome: unknown): Promise<Verdict | undefined> {
  try {
    return await lease.report(outcome)
  } catch (error) {
    if (isKeyrotaError(error, 'disposed')) return undefined
    throw error
  }
}

/** Remembers which credential made what later requests continue. */
export function remember(lease: Lease, ids: readonly string[]): void {
  try {
    for (const id of ids) lease.remember(id)
  } catch (error) {
    if (!isKeyrotaError(error, 'disposed')) throw error
  }
}
