/**
 * What came back from an attempt, read from whatever the caller has at hand.
 * @module
 */

import { invalidOption } from './errors.js'

/** Facts of an outcome as the core reads them. */
export interface OutcomeFacts {
  status?: number
  /** Names and values in turn. */
  headers?: string[]
  body?: string
  /** Whether the body goes on where it ends here. */
  isCut?: boolean
  networkCode?: string
  phase?: string
  model?: string
}

/** More of a body says nothing more about its error. */
export const MOST_BODY = 65_536

/** An error's body that has not come by then is judged without. */
const BODY_TIMEOUT_MS = 5_000

/** The start of a body, and whether it goes on. */
export interface Start {
  readonly text: string
  readonly isCut: boolean
}

const NO_BODY: Start = { text: '', isCut: false }
const PHASES = ['before_send', 'sent_no_response', 'before_content', 'after_content', 'response']

/** Anything with headers: a `Response`, an SDK's error, a plain object. */
interface Source {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly headers?: unknown
  readonly responseHeaders?: unknown
  readonly response?: Source
  readonly body?: unknown
  readonly responseBody?: unknown
  readonly data?: unknown
  readonly error?: unknown
  readonly message?: unknown
  readonly bodyUsed?: unknown
  readonly clone?: unknown
  readonly code?: unknown
  readonly networkCode?: unknown
  readonly phase?: unknown
  readonly lastError?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown }
  readonly name?: unknown
  readonly cause?: unknown
  readonly constructor?: { readonly name?: unknown }
}

/** The HTTP status of a response or of an SDK's error, if there is one. */
export function statusOf(outcome: unknown): number | undefined {
  const source = outcome as Source | null | undefined
  const { response, lastError, $metadata } = source ?? {}
  const status =
    source?.status ??
    source?.statusCode ??
    response?.status ??
    response?.statusCode ??
    $metadata?.httpStatusCode ??
    // What gave up after several tries, as the AI SDK does.
    (lastError as Source | undefined)?.statusCode
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999
    ? (status as number)
    : undefined
}

/** Reads a response, an error, or `{ status, headers, body }`, as far as it is at hand. */
export function readOutcome(outcome: unknown): OutcomeFacts {
  if (typeof outcome !== 'object' || outcome === null) {
    const rule = 'must be a response, an error or { status, headers, body }'
    throw invalidOption('outcome', outcome, rule)
  }
  const given = outcome as Source
  const source = (given.status === undefined ? (given.lastError as Source) : undefined) ?? given
  const status = statusOf(source)
  const { phase } = source
  const told = PHASES.includes(phase as string) ? { phase: phase as string } : {}
  if (status === undefined) {
    const networkCode = text(source.networkCode) ?? networkCodeOf(source)
    return { phase: 'sent_no_response', ...told, ...(networkCode && { networkCode }) }
  }
  const facts: OutcomeFacts = { ...told, status, headers: headerList(headersOf(source)) }
  return withBody(facts, startOf(bodyOf(source)))
}

/** The facts, with the start of a body that is there. */
export function withBody(facts: OutcomeFacts, { text: body, isCut }: Start): OutcomeFacts {
  if (body !== '') facts.body = body
  if (isCut) facts.isCut = true
  return facts
}

/** The body of a response that nobody has read yet: of an error, or of plain JSON, never of a stream. */
export function unreadBody(outcome: unknown): Promise<Start> | undefined {
  const { response } = outcome as Source
  const isCarried = typeof (outcome as Source).clone !== 'function' && response !== undefined
  // Some clients throw an error that has the response.
  const source = isCarried ? response : (outcome as Source)
  const { clone, bodyUsed, body: unread } = source
  if (typeof clone !== 'function' || bodyUsed !== false || !isUnread(unread)) return undefined
  const type = header(source.headers, 'content-type') ?? ''
  const isError = (statusOf(source) ?? 0) >= 400
  if (/event-?stream|ndjson/i.test(type) || !(isError || /json/i.test(type))) return undefined
  const { body } = clone.call(source) as { body: ReadableStream<Uint8Array> | null }
  return body === null ? undefined : readText(body)
}

/** Whether a clone can be read: not of what someone reads already, nor of Node's own streams. */
function isUnread(body: unknown): boolean {
  const { getReader, locked } = (body ?? {}) as Partial<ReadableStream>
  return typeof getReader === 'function' && locked === false
}

async function readText(body: ReadableStream<Uint8Array>): Promise<Start> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), BODY_TIMEOUT_MS)
  })
  let text = ''
  let isCut = true
  try {
    while (text.length <= MOST_BODY) {
      const next = await Promise.race([reader.read(), late])
      if (next === undefined) break
      if (next.done) {
        isCut = false
        break
      }
      text += decoder.decode(next.value.subarray(0, MOST_BODY + 1), { stream: true })
    }
  } catch {
    isCut = false // the connection broke: what came before it counts
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
  return { text: text.slice(0, MOST_BODY), isCut }
}

/**
 * Whether a success may turn out to be an error: some providers answer 200 and an error in the body.
 */
export function mayHideError(outcome: unknown): boolean {
  const source = outcome as Source
  if (typeof source.clone === 'function') {
    return /json/i.test(header(source.headers, 'content-type') ?? '')
  }
  return bodyOf(source) !== undefined
}

/** What is shorter is a placeholder, such as `none` for a server of one's own, and a word of any answer. */
const LEAST_SECRET = 8

/** Takes the secret out of what is read, should the provider repeat it: the core never sees one. */
export function hideSecret(facts: OutcomeFacts, secret: string): void {
  if (secret.length < LEAST_SECRET) return
  if (facts.body !== undefined) facts.body = facts.body.replaceAll(secret, '…')
  if (facts.headers !== undefined) {
    facts.headers = facts.headers.map((entry) => entry.replaceAll(secret, '…'))
  }
}

/** Headers of any form as names and values in turn. */
export function headerList(headers: unknown): string[] {
  const list: string[] = []
  const add = (value: unknown, name: unknown) => {
    const told = Array.isArray(value) ? value.join(', ') : text(value)
    if (typeof name === 'string' && told !== undefined) list.push(name, told)
  }
  if (typeof headers !== 'object' || headers === null) return list
  const { forEach } = headers as { forEach?: unknown }
  if (Array.isArray(headers)) {
    for (const pair of headers) if (Array.isArray(pair)) add(pair[1], pair[0])
  } else if (typeof forEach === 'function') forEach.call(headers, add)
  else for (const [name, value] of Object.entries(headers)) add(value, name)
  return list
}

/** A body of any form as text, cut where nothing more is read. */
export function startOf(body: unknown): Start {
  if (body === undefined || body === null) return NO_BODY
  if (typeof body === 'string') {
    return { text: body.slice(0, MOST_BODY), isCut: body.length > MOST_BODY }
  }
  // Not `instanceof`, which is false for a buffer of another realm.
  const kind = Object.prototype.toString.call(body)
  if (kind === '[object ArrayBuffer]' || kind === '[object SharedArrayBuffer]') {
    return startOf(new Uint8Array(body as ArrayBuffer))
  }
  try {
    if (ArrayBuffer.isView(body)) {
      const { buffer, byteOffset, byteLength } = body
      const start = new Uint8Array(buffer, byteOffset, Math.min(byteLength, MOST_BODY))
      // A copy, since what is shared with another thread cannot be decoded.
      return { text: new TextDecoder().decode(start.slice()), isCut: byteLength > MOST_BODY }
    }
    return startOf(JSON.stringify(body))
  } catch {
    return NO_BODY // it refers to itself, or its buffer was given away
  }
}

function headersOf(source: Source): unknown {
  return source.headers ?? source.responseHeaders ?? source.response?.headers
}

/** The body where the SDKs put it. A stream is none. */
function bodyOf(source: Source): unknown {
  const { body, responseBody, data, error, message, response, $metadata, name } = source
  // The AWS SDK's error is its body, and its name the code.
  if ($metadata !== undefined) return { __type: name, message }
  const found =
    (isStream(body) ? undefined : body) ?? responseBody ?? response?.data ?? response?.body ?? data
  if (found !== undefined && found !== null) return found
  if (typeof error === 'object' && error !== null) {
    // The OpenAI SDK keeps what stands under `error`, the Anthropic SDK the whole body.
    return 'error' in error ? error : { error }
  }
  // The Google SDK's message is the body.
  return typeof message === 'string' && message.startsWith('{') ? message : undefined
}

/** A stream of the web or of Node. */
function isStream(body: unknown): boolean {
  const { getReader, pipe } = (body ?? {}) as { getReader?: unknown; pipe?: unknown }
  return typeof getReader === 'function' || typeof pipe === 'function'
}

function header(headers: unknown, name: string): string | undefined {
  const list = headerList(headers)
  const at = list.findIndex((entry, place) => place % 2 === 0 && entry.toLowerCase() === name)
  return at < 0 ? undefined : list[at + 1]
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : undefined
}

/** The code of the network layer, which SDKs and `fetch` hide under `cause`. */
function networkCodeOf(error: Source): string | undefined {
  let at: Source | undefined = error
  for (let depth = 0; depth < 5 && typeof at === 'object' && at !== null; depth++) {
    // The OpenAI SDK tells its own errors by their class alone.
    const kind = at.name === 'Error' ? at.constructor?.name : at.name
    if (kind === 'AbortError' || kind === 'APIUserAbortError') return 'AbortError'
    if (kind === 'TimeoutError') return kind
    if (typeof at.code === 'string') return at.code
    at = at.cause as Source | undefined
  }
  return undefined
}
