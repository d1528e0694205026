/**
 * A rest in words, for a log line or a settings page.
 * @module
 */
import type { Rest } from './events.cjs';
import type { ExplainedCandidate } from './types.cjs';
/**
 * Says in one line why a credential is passed over, or what it rests for.
 *
 * @param what - a candidate of an explanation, or a `cooldown` or `paused` event
 * @returns a line such as `cooling for gpt-5 until 2026-10-20 12:03:20Z, stated by Retry-After`; times are UTC
 *
 * @example
 * ```ts
 * for (const candidate of pool.explain({ provider: 'openai', model: 'gpt-5' }).candidates) {
 *   console.log(candidate.id, describe(candidate))
 * }
 * ```
 */
export declare function describe(what: ExplainedCandidate | Rest): string;
