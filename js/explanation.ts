/**
 * What the core cannot say of an explanation, since it knows neither secrets nor functions.
 * @module
 */

import type { Provider } from './provider.js'
import type { ExplainedCandidate, Explanation } from './types.js'

/** Says of each secret that was not found what it names, which the core does not know. */
export function withVariables(explanation: Explanation, provider: Provider): Explanation {
  return { ...explanation, candidates: variablesOf(explanation.candidates, provider) }
}

/** The same for candidates alone. */
export function variablesOf(
  candidates: readonly ExplainedCandidate[],
  provider: Provider,
): readonly ExplainedCandidate[] {
  if (provider.unresolved.size === 0) return candidates
  return candidates.map((candidate) => {
    if (candidate.reason !== 'secret_unresolved') return candidate
    const why = provider.unresolved.get(provider.numberOf(candidate.id) ?? -1)
    return { ...candidate, field: 'secret', rule: why?.message ?? null }
  })
}

/** A custom strategy is not asked by an explanation, so nobody is chosen yet. */
export function withoutChoice(explanation: Explanation): Explanation {
  const candidates = explanation.candidates.map((candidate) =>
    candidate.reason === 'chosen' ? { ...candidate, reason: 'available' as const } : candidate,
  )
  return { ...explanation, choice: null, candidates }
}
