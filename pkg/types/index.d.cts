/**
 * Keyrota: chooses API keys for LLM apps, keeps sessions on their key, rests and disables keys by what
 * the provider said, fails over, and says why.
 * @module
 */
export { classify, classifyStreamEvent } from './classify.cjs';
export { describe } from './describe.cjs';
export { type ConfigIssue, type ErrorCode, type ErrorData, type ErrorFacts, isKeyrotaError, KeyrotaError, } from './errors.cjs';
export type { KeyPoolEvent, KeyPoolEvents, OfCredential, Rest } from './events.cjs';
export { Lease } from './lease.cjs';
export type * from './option-types.cjs';
export { KeyPool } from './pool.cjs';
export type { LeasedCredential } from './provider.cjs';
export { Refusal } from './refusal.cjs';
export type * from './route-types.cjs';
export { RoutedLease } from './routed-lease.cjs';
export { Router } from './router.cjs';
export { type Attempt, EmptyAnswer, Underway } from './run.cjs';
export type * from './types.cjs';
