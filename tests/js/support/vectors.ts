import { readFileSync } from 'node:fs'
import type { ClassifyInput, StreamEventInput, Verdict } from 'keyrota'

/** One outcome as a provider really sent it, and what it means. */
export interface Row {
  readonly id: string
  /** The dialect; `any` is whichever. */
  readonly provider: string
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** How the body came: as JSON unless it says otherwise. */
  readonly bodyFormat?: string
  readonly network?: { readonly code: string }
  readonly phase?: ClassifyInput['phase']
  readonly model: string | null
  readonly now: string
  readonly expect: Omit<Verdict, 'evidence' | 'scope'> & { readonly scope: string }
}

/** Bodies of these forms are single events of a stream that began with 200. */
const EVENTS: readonly (string | undefined)[] = ['sse-event', 'eventstream-event']

/** The rows that the core's own tests read, too. */
export const ROWS: readonly Row[] = readFileSync(
  new URL('../../vectors/outcomes.jsonl', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row)

export function isEvent({ bodyFormat }: Row): boolean {
  return EVENTS.includes(bodyFormat)
}

/** What `classify` takes. */
export function inputOf({ network, expect: _, ...row }: Row): ClassifyInput {
  const { provider, status, headers, body, phase, model, now } = row
  const networkCode = network?.code
  return { provider, status, headers, body, phase, networkCode, model, now: Date.parse(now) }
}

/** What `classifyStreamEvent` takes. */
export function eventOf({ provider, headers, body, phase, model, now }: Row): StreamEventInput {
  return { provider, headers, event: body, phase, model, now: Date.parse(now) }
}
