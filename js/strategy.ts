/**
 * A strategy of the caller's own, asked.
 * @module
 */

import { KeyrotaError } from './errors.js'
import type { StrategyFunction } from './option-types.js'
import type { Provider } from './provider.js'
import type { AcquireRequest, StatusRow } from './types.js'

/**
 * The number of the candidate that the function chooses.
 *
 * @throws {@link KeyrotaError} `strategy_failed` when it throws, or answers none of them
 */
export function ask(
  strategy: StrategyFunction,
  provider: Provider,
  candidates: readonly number[],
  request: AcquireRequest,
  rows: () => readonly StatusRow[],
): number {
  const ids = new Set(candidates.map((number) => provider.credentials[number]?.id))
  const known = rows().filter(({ id }) => ids.has(id))
  const shown = known.map(({ id, label, weight, inFlight, picks }) => {
    return { id, label, weight, inFlight, picks }
  })
  const facts = { provider: provider.name }
  let chosen: unknown
  try {
    chosen = strategy(shown, request)
  } catch (error) {
    throw new KeyrotaError('strategy_failed', 'the strategy function threw', facts, error)
  }
  const number = ids.has(chosen as string) ? provider.numberOf(chosen as string) : undefined
  if (number !== undefined) return number
  const message = 'the strategy function must answer the id of one of its candidates'
  throw new KeyrotaError('strategy_failed', message, facts)
}
