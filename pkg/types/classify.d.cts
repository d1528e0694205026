/**
 * What an outcome means, without a pool.
 * @module
 */
import type { ClassifyInput, StreamEventInput, Verdict } from './types.cjs';
/**
 * Judges one outcome: whose fault it is, for how long, and whether another credential would fare better.
 *
 * @remarks
 * Pure and total: any bytes have a verdict. It is what {@link Lease.report} does before it acts. Only the
 * first 64 KB of a body are read; generated text never counts.
 *
 * @returns the verdict
 * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` when the input itself is malformed
 *
 * @example A dead key that hides behind a 400
 * ```ts
 * const verdict = classify({ provider: 'gemini', status: 400, body: await response.text() })
 * if (verdict.disable) await keys.disable(id)
 * ```
 */
export declare function classify(input: ClassifyInput): Verdict;
/**
 * Judges one event of a stream that began with 200: an error may stand in any of them.
 *
 * @param input - `event` is the event as it came: the text of its `data`, the lines of the whole event, or
 * its JSON as an object. `phase` says whether content has reached the caller. @defaultValue `before_content`
 * @returns the verdict; class `ok` for an event that is no error
 * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` when the input itself is malformed
 *
 * @example
 * ```ts
 * for await (const event of events) {
 *   const verdict = classifyStreamEvent({ provider: 'anthropic', event: event.data })
 *   if (verdict.class !== 'ok') throw new UpstreamError(verdict)
 * }
 * ```
 */
export declare function classifyStreamEvent(input: StreamEventInput): Verdict;
