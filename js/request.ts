/**
 * A request as the core reads it.
 * @module
 */

import { invalidOption } from './errors.js'
import type { Provider } from './provider.js'
import * as hash from './session.js'
import type { AcquireRequest } from './types.js'
import type { Plan } from './wasm/core.js'

/** What all attempts of one request share. */
export interface Planned {
  /** Tells the request apart. */
  readonly number: number
  readonly plan: Plan
}

/** What a request without earlier attempts asks: any priority, anyone. */
const FRESH = [0, 0, 0]

/** The model of a request. */
export function modelOf({ model }: Pick<AcquireRequest, 'model'>): string | undefined {
  if (model === undefined || typeof model === 'string') return model
  throw invalidOption('model', model, 'must be a text')
}

/** What the core reads of a request, in the order of `request` in `src/wasm/convert.rs`. */
export function numbers(
  provider: Provider,
  request: AcquireRequest,
  planned: Planned | undefined,
): Uint32Array {
  const { session, continues, tried = [] } = request
  if (!Array.isArray(tried)) throw invalidOption('tried', tried, 'must be a list of ids')
  const numbersTried = tried.map((id) => provider.numberOf(id)).filter((at) => at !== undefined)
  hash.hashSession(session)
  const { low, high } = hash
  hash.hashSession(continues, 'continues')
  const asked = planned?.plan.asked(provider.index) ?? FRESH
  const number = planned?.number ?? 0
  return Uint32Array.of(low, high, hash.low, hash.high, number, ...asked, ...numbersTried)
}
