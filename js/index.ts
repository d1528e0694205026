/**
 * Keyrota: chooses API keys for LLM apps, keeps sessions on their key, rests and disables keys by what
 * the provider said, fails over, and says why.
 * @module
 */

export { classify, classifyStreamEvent } from './classify.js'
export { describe } from './describe.js'
/** @internal What `keyrota/fetch` is made of. */
export { isEmptyEvent, isEmptyText } from './empty.js'
/** @internal What `keyrota/service` is made of. */
export { Engine } from './engine.js'
export {
  type ConfigIssue,
  type ErrorCode,
  type ErrorData,
  type ErrorFacts,
  isKeyrotaError,
  KeyrotaError,
} from './errors.js'
export type { KeyPoolEvent, KeyPoolEvents, OfCredential, Rest } from './events.js'
export { Lease } from './lease.js'
export type * from './option-types.js'
/** @internal What `keyrota/fetch` is made of. */
export { Options } from './options.js'
export { KeyPool } from './pool.js'
export type { LeasedCredential } from './provider.js'
export { Refusal } from './refusal.js'
export type * from './route-types.js'
export { RoutedLease } from './routed-lease.js'
export { Router } from './router.js'
export { type Attempt, EmptyAnswer, Underway } from './run.js'
/** @internal What `keyrota/gateway` reads secrets with. */
export { Secrets } from './secrets.js'
export type * from './types.js'
