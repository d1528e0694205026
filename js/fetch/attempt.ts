/**
 * One attempt: a request sent with one credential, its answer judged, reported and handed over.
 * @module
 */

import { EmptyAnswer, isEmptyText, type Lease, Underway } from 'keyrota'
import { type Limits, openBody } from './answer.js'
import { idsOf } from './events.js'
import { showUrl, withoutSecret } from './redact.js'
import { isEventStream, openStream, rebuilt } from './stream.js'
import { remember, tell } from './tell.js'

/** A success that is longer than this is not looked at: some providers answer 200 and a short error. */
const SUCCESS: Limits = { bytes: 1_048_576 }

/** What an error is judged by must come soon; its status says enough by itself. */
const ERROR: Limits = { bytes: 65_536, ms: 5_000 }

/** What an error within a success begins with, in the dialects that have them. */
const ERROR_MARK = /"(?:error|base_resp|code|status_code|success|errno)/

/** How much of a success is searched for them. */
const MOST_SEARCHED = 4_096

/** One for all, since a text that is whole leaves nothing behind in it. */
const decoder = /* @__PURE__ */ new TextDecoder()

/** Where answers have an id by which later requests continue them. */
const MAKES_RESPONSES = /\/(responses|conversations)(\/|$)/

/** A request that is to be sent with one credential. */
export interface Attempt {
  readonly lease: Lease
  /** Whose rules read the answer. */
  readonly dialect: string
  readonly model: string | undefined
  readonly method: string
  /** Where it goes, without the secret. */
  readonly url: URL
  /** The caller's: when it is aborted, the caller gave up. */
  readonly signal: AbortSignal | undefined
  /** Ends the request at the provider. */
  readonly stop: () => void
  /** Whether an answer without content is told apart, and a stream held back until it is known to be none. */
  readonly holdsEmpty: boolean
  /** Sends it, with the secret of the lease in its place. */
  readonly send: () => Promise<Response>
}

/** What an attempt answers: a stream goes on, and an answer may be empty. */
export type Attempted = Response | Underway<Response> | EmptyAnswer<Response>

/**
 * Makes the attempt and reports its lease. A stream that has content is still coming: whoever reads it
 * brings the lease to its end.
 *
 * @throws what kept an answer from coming, without the secret
 */
export async function makeAttempt(attempt: Attempt): Promise<Attempted> {
  const { lease, signal } = attempt
  try {
    return await answerOf(attempt)
  } catch (error) {
    // Whatever reason the caller gave, it is the caller who gave up.
    if (signal?.aborted) await tell(lease, { name: 'AbortError' })
    throw withoutSecret(error, lease.secret)
  }
}

async function answerOf(attempt: Attempt): Promise<Attempted> {
  const response = await attempt.send()
  const isStream = response.body !== null && isEventStream(response)
  if (response.ok && isStream && !asksForRecord(attempt)) {
    const { response: opened, verdict, isEmpty } = await openStream(response, attempt)
    if (isEmpty) return new EmptyAnswer(opened)
    return verdict === undefined ? new Underway(opened) : opened
  }
  return finish(response, attempt)
}

/** Reports an answer that comes in one piece, and hands it over as it came. */
async function finish(response: Response, attempt: Attempt): Promise<Attempted> {
  const { lease, url, holdsEmpty } = attempt
  const { status, headers } = response
  // A redirect that the caller wants to see says nothing about anyone; other numbers make no response.
  if (status < 200 || (status >= 300 && status < 400) || status > 599) {
    if (status < 400) lease.release()
    else await tell(lease, { status })
    return showUrl(response, response.url, lease.secret)
  }
  const isArray = url.pathname.includes(':streamGenerateContent')
  if (response.ok && (asksForRecord(attempt) || isArray || !isJson(headers))) {
    await tell(lease, { status })
    return showUrl(response, response.url, lease.secret)
  }
  const { bytes, isWhole, body } = await openBody(response, response.ok ? SUCCESS : ERROR)
  const mayHide = !response.ok || (isWhole && hasMark(bytes))
  await tell(lease, mayHide ? { status, headers, body: bytes } : { status })
  if (response.ok && MAKES_RESPONSES.test(url.pathname)) remember(lease, idsIn(bytes, isWhole))
  const answer = rebuilt(response, body, lease.secret)
  const isEmpty = holdsEmpty && response.ok && isWhole && isEmptyText(decoder.decode(bytes))
  return isEmpty ? new EmptyAnswer(answer) : answer
}

/** What is asked for may be the record of something that failed; that is no failure of asking. */
function asksForRecord({ method }: Attempt): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether a body is one JSON document: streams of them have types of their own. */
function isJson(headers: Headers): boolean {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  return /^(?:application|text)\/(?:[\w.-]+\+)?json$/i.test(type.trim()) && !/stream\+/i.test(type)
}

/** The ids by which later requests continue an answer, of which perhaps only the start was read. */
function idsIn(bytes: Uint8Array, isWhole: boolean): string[] {
  if (isWhole) return idsOf(jsonOf(bytes))
  const start = new TextDecoder().decode(bytes)
  return [...start.matchAll(/"id"\s*:\s*"((?:resp|conv)_[^"]+)"/g)].map(([, id]) => id ?? '')
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    return undefined // the caller is told so by whoever reads it
  }
}

function hasMark(bytes: Uint8Array): boolean {
  return isCut(bytes) || ERROR_MARK.test(decoder.decode(bytes.subarray(0, MOST_SEARCHED)))
}

/** Whether JSON ends otherwise than with a bracket. */
function isCut(bytes: Uint8Array): boolean {
  let at = bytes.length - 1
  while (at >= 0 && (bytes[at] as number) <= 32) at--
  return bytes[at] !== 0x7d && bytes[at] !== 0x5d
}
