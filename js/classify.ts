/**
 * What an outcome means, without a pool.
 * @module
 */

import { invalidOption } from './errors.js'
import { type Check, fields, oneOf, orNull, RULES, whole } from './options.js'
import { headerList, type OutcomeFacts, startOf, withBody } from './outcome.js'
import type { ClassifyInput, StreamEventInput, Verdict } from './types.js'
import { classifyFacts } from './wasm/core.js'

const PHASES = ['before_send', 'sent_no_response', 'before_content', 'after_content', 'response']

/** The last moment that a `Date` knows. */
const LAST_MOMENT = 8_640_000_000_000_000

const text: Check = (path, value) => {
  if (typeof value !== 'string') throw invalidOption(path, value, 'must be a text')
}

const headers: Check = (path, value) => {
  if (typeof value !== 'object') {
    throw invalidOption(path, value, 'must be a Headers, an object or a list of pairs')
  }
  const list = Array.isArray(value) ? value : []
  const wrong = list.findIndex((pair) => !Array.isArray(pair) || pair.length !== 2)
  if (wrong >= 0) {
    throw invalidOption(`${path}[${wrong}]`, list[wrong], 'must be a pair of a name and a value')
  }
}

/** What is still to come is no body, and would be read as an empty one. */
const body: Check = (path, value) => {
  const { then, getReader, pipe, arrayBuffer } = value as Record<string, unknown>
  if ([then, getReader, pipe, arrayBuffer].some((method) => typeof method === 'function')) {
    throw invalidOption(path, value, 'must have been read: text, bytes, or the JSON as an object')
  }
}

const moment: Check = (path, value) => {
  if (!(Math.abs(momentOf(value)) <= LAST_MOMENT)) {
    const rule = 'must be milliseconds since the epoch, a Date, or its ISO text'
    throw invalidOption(path, value, rule)
  }
}

const COMMON = {
  provider: text,
  model: orNull(text),
  headers: orNull(headers),
  phase: orNull(oneOf(PHASES)),
  now: moment,
  rules: RULES,
}
const INPUT = {
  ...COMMON,
  status: orNull(whole(100, 999)),
  body: orNull(body),
  networkCode: orNull(text),
}
const checkInput = fields(INPUT)
const checkEvent = fields({ ...COMMON, event: orNull(body) })

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
export function classify(input: ClassifyInput): Verdict {
  checkInput('', input ?? null)
  const { status, networkCode } = input
  const facts = common(input)
  if (typeof status === 'number') facts.status = status
  if (typeof networkCode === 'string') facts.networkCode = networkCode
  return judge(input, withBody(facts, startOf(input.body)), false)
}

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
export function classifyStreamEvent(input: StreamEventInput): Verdict {
  checkEvent('', input ?? null)
  if (input.event === undefined) throw invalidOption('event', undefined, 'must be given')
  const facts: OutcomeFacts = { phase: 'before_content', ...common(input), status: 200 }
  return judge(input, withBody(facts, startOf(input.event)), true)
}

function judge(
  { provider, now, rules = [] }: ClassifyInput | StreamEventInput,
  facts: OutcomeFacts,
  isEvent: boolean,
): Verdict {
  text('provider', provider)
  const at = now === undefined ? Date.now() : momentOf(now)
  return classifyFacts(provider, { rules }, facts, at, isEvent) as Verdict
}

function common({ headers, phase, model }: ClassifyInput | StreamEventInput): OutcomeFacts {
  const facts: OutcomeFacts = { headers: headerList(headers) }
  if (typeof phase === 'string') facts.phase = phase
  if (typeof model === 'string') facts.model = model
  return facts
}

function momentOf(value: unknown): number {
  if (typeof value === 'number') return value
  const isDate = typeof value === 'string' || value instanceof Date
  return isDate ? new Date(value).getTime() : Number.NaN
}
