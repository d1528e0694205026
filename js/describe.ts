/**
 * A rest in words, for a log line or a settings page.
 * @module
 */

import type { Rest } from './events.js'
import type { ExplainedCandidate } from './types.js'

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
export function describe(what: ExplainedCandidate | Rest): string {
  const { model, until, stated, waitFrom } = what
  const isCandidate = 'reason' in what
  const cause = isCandidate ? what.cause : what.class
  const rest = what.scope === 'provider' ? 'paused' : 'cooling'
  const by = isCandidate ? what.by : null
  const kind = by !== null ? `disabled by ${by}` : isCandidate ? what.reason : rest
  // The model is told beside it.
  const word = kind === 'model_cooling' ? 'cooling' : kind
  const parts = [word.replaceAll('_', ' ')]
  if (model !== null) parts.push(` for ${model}`)
  if (until !== null) parts.push(` until ${time(until)}`)
  if (stated) parts.push(`, stated by ${placeOf(waitFrom)}`)
  else if (cause !== null && cause !== word) parts.push(`, after ${cause}`)
  if (isCandidate && what.rule !== null) parts.push(`: ${what.field} ${what.rule}`)
  return parts.join('')
}

function time(ms: number): string {
  // What is beyond the last moment of a `Date` never ends.
  return Math.abs(ms) <= 8_640_000_000_000_000
    ? new Date(ms).toISOString().replace('T', ' ').replace(/\.\d+/, '')
    : 'further notice'
}

function placeOf(waitFrom: string | null): string {
  const [kind = '', place = ''] = (waitFrom ?? '').split(/:(.*)/s)
  if (kind === 'header') return place.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  if (kind === 'text') return `the words '${place}'`
  if (kind === 'body') return `the field ${place}`
  return kind === '' ? 'the provider' : `${kind} (${place})`
}
