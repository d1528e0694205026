/**
 * One call of the pooled fetch: the request as it was given, and its attempts.
 * @module
 */

import { type Lease, type RunOptions, Underway } from 'keyrota'
import type { Fetch, PooledFetchOptions } from '../fetch.js'
import { type Limits, openBody } from './answer.js'
import { bodyOf, type RequestBody, readBody } from './body.js'
import { idsOf } from './events.js'
import { continuedBy, mayStream, modelOf, type RequestFacts, sessionOf } from './facts.js'
import { type Outgoing, place, type Slot, takeOut } from './inject.js'
import { showUrl, withoutSecret } from './redact.js'
import { anyOf } from './signals.js'
import { isEventStream, openStream, rebuilt } from './stream.js'
import { remember, tell } from './tell.js'

/** A success that is longer than this is not looked at: some providers answer 200 and a short error. */
const SUCCESS: Limits = { bytes: 1_048_576 }

/** What an error is judged by must come soon; its status says enough by itself. */
const ERROR: Limits = { bytes: 65_536, ms: 5_000 }

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** What an error within a success begins with, in the dialects that have them. */
const ERROR_MARK = /"(?:error|base_resp|code|status_code|success|errno)/

/** How much of a success is searched for them. */
const MOST_SEARCHED = 4_096

/** One for all, since a text that is whole leaves nothing behind in it. */
const decoder = /* @__PURE__ */ new TextDecoder()

/** Where answers have an id by which later requests continue them. */
const MAKES_RESPONSES = /\/(responses|conversations)(\/|$)/

/** What a `Request` says beside its URL, headers and body. */
const CARRIED = [
  ...(['cache', 'credentials', 'integrity', 'keepalive', 'mode'] as const),
  ...(['redirect', 'referrer', 'referrerPolicy'] as const),
]

/** One call. */
export class Call {
  readonly #options: PooledFetchOptions
  readonly #dialect: string
  readonly #facts: RequestFacts
  readonly #init: RequestInit
  readonly #body: RequestBody
  readonly #model: string | undefined
  /** Ends a request that takes too long, and a stream that nobody reads any more. */
  readonly #own: AbortController | undefined
  /** The caller's, and the own one. */
  readonly #signal: AbortSignal | undefined
  readonly #timer: ReturnType<typeof setTimeout> | undefined
  /** Where the key of the SDK stood. */
  #slot: Slot | undefined

  private constructor(
    facts: RequestFacts,
    init: RequestInit,
    body: RequestBody,
    options: PooledFetchOptions,
    dialect: string,
  ) {
    this.#facts = facts
    this.#init = init
    this.#body = body
    this.#options = options
    this.#dialect = dialect
    this.#model = modelOf(facts)
    const { timeoutMs } = options
    // Two signals cost more than the caller's alone.
    if (timeoutMs !== undefined || mayStream(facts)) this.#own = new AbortController()
    const signals = [init.signal, this.#own?.signal].filter((one) => one != null)
    this.#signal = signals.length > 0 ? anyOf(signals) : undefined
    if (timeoutMs !== undefined) {
      const reason = new DOMException('the request took longer than timeoutMs', 'TimeoutError')
      const delay = Math.min(timeoutMs, LONGEST_TIMER_MS)
      this.#timer = setTimeout(() => this.#own?.abort(reason), delay)
    }
  }

  /** Reads what `fetch` was called with. */
  static async of(
    input: RequestInfo | URL,
    init: RequestInit | undefined,
    options: PooledFetchOptions,
    dialect: string,
  ): Promise<Call> {
    const asked = input instanceof Request ? input : undefined
    const headers = new Headers(init?.headers ?? asked?.headers)
    const type = headers.get('content-type') ?? ''
    const given = init?.body ?? (asked && (await bodyOf(asked, type)))
    const body = await readBody(given, type, options.maxBufferedBytes ?? 0)
    if (body.contentType !== undefined) headers.set('content-type', body.contentType)
    const shared = urlOf(asked?.url ?? String(input))
    // A callback may change the one that it is given.
    const url = options.session === undefined ? shared : new URL(shared)
    const method = (init?.method ?? asked?.method ?? 'GET').toUpperCase()
    const signal = init?.signal ?? asked?.signal ?? null
    const facts = { url, method, headers, json: body.json }
    const carried = asked && carriedBy(asked)
    return new Call(facts, { ...carried, ...init, method, signal }, body, options, dialect)
  }

  /** Whether it may be sent more than once. */
  get replayable(): boolean {
    return this.#body.replayable
  }

  /** What the pool needs to know of it. */
  request(): RunOptions {
    const { provider, session = sessionOf, maxAttempts, maxWaitMs, idempotent } = this.#options
    const { method, headers } = this.#facts
    const isSafe = method === 'GET' || method === 'HEAD' || headers.has('idempotency-key')
    return {
      provider,
      session: session(
        // A callback may keep the headers, and a secret is put into them later.
        session === sessionOf ? this.#facts : { ...this.#facts, headers: new Headers(headers) },
      ),
      model: this.#model,
      continues: continuedBy(this.#facts),
      idempotent: idempotent ?? isSafe,
      signal: this.#signal,
      ...(maxAttempts !== undefined && { maxAttempts }),
      ...(maxWaitMs !== undefined && { maxWaitMs }),
    }
  }

  /** One attempt with one credential. */
  async attempt(lease: Lease): Promise<Response | Underway<Response>> {
    try {
      return await this.#attempt(lease)
    } catch (error) {
      // Whatever reason the caller gave, it is the caller who gave up.
      if (this.#isAborted) await tell(lease, { name: 'AbortError' })
      throw withoutSecret(error, lease.secret)
    }
  }

  /** The request differs from that of the last attempt in the secret alone. */
  async #attempt(lease: Lease): Promise<Response | Underway<Response>> {
    const { url, headers } = this.#outgoing(lease.secret)
    const send: Fetch = this.#options.fetch ?? globalThis.fetch
    const response = await send(url.href, {
      ...this.#init,
      headers,
      body: this.#body.next(),
      signal: this.#signal ?? null,
      ...(this.#body.isStream && { duplex: 'half' }),
    })
    if (response.ok && response.body !== null && isEventStream(response)) {
      const { response: opened, verdict } = await openStream(response, {
        lease,
        dialect: this.#dialect,
        model: this.#model,
        signal: this.#init.signal ?? undefined,
        stop: () => this.#own?.abort(),
      })
      return verdict === undefined ? new Underway(opened) : opened
    }
    return this.#finish(response, lease)
  }

  get #isAborted(): boolean {
    return this.#init.signal?.aborted === true
  }

  /** The answer has begun, or there is none: its time is no longer counted. */
  end(): void {
    clearTimeout(this.#timer)
  }

  /** The request with this secret. What was sent is kept apart from what is sent next. */
  #outgoing(secret: string): Outgoing {
    const { url, headers } = this.#facts
    const { inject } = this.#options
    // Nobody else has the first headers, so they need no copy unless someone changes them at will.
    const mayUse = this.#slot === undefined && inject === undefined
    const outgoing = {
      url: url.search === '' && inject === undefined ? url : new URL(url),
      headers: mayUse ? headers : new Headers(headers),
    }
    const slot = takeOut(outgoing, this.#dialect)
    this.#slot ??= slot
    if (inject === undefined) place(outgoing, secret, this.#dialect, this.#slot)
    else inject(outgoing, secret)
    return outgoing
  }

  /** Reports an answer that comes in one piece, and hands it over as it came. */
  async #finish(response: Response, lease: Lease): Promise<Response> {
    const { status, headers } = response
    const { method, url } = this.#facts
    // A redirect that the caller wants to see says nothing about anyone; other numbers make no response.
    if (status < 200 || (status >= 300 && status < 400) || status > 599) {
      if (status < 400) lease.release()
      else await tell(lease, { status })
      return showUrl(response, response.url, lease.secret)
    }
    // What is asked for may be the record of something that failed; that is no failure of asking.
    const isRecord = method === 'GET' || method === 'HEAD'
    const isArray = url.pathname.includes(':streamGenerateContent')
    if (response.ok && (isRecord || isArray || !isJson(headers))) {
      await tell(lease, { status })
      return showUrl(response, response.url, lease.secret)
    }
    const { bytes, isWhole, body } = await openBody(response, response.ok ? SUCCESS : ERROR)
    const mayHide = !response.ok || (isWhole && hasMark(bytes))
    await tell(lease, mayHide ? { status, headers, body: bytes } : { status })
    if (response.ok && MAKES_RESPONSES.test(url.pathname)) remember(lease, idsIn(bytes, isWhole))
    return rebuilt(response, body, lease.secret)
  }
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

/** The last URL that was read: an app asks for few, again and again. */
let lastUrl: { readonly text: string; readonly url: URL } | undefined

/** Reads a URL. A page may ask its own server for a path alone. */
function urlOf(text: string): URL {
  if (lastUrl?.text === text) return lastUrl.url
  const isWhole = /^[a-z][a-z\d+.-]*:/i.test(text)
  const url = isWhole ? new URL(text) : new URL(text, globalThis.location?.href)
  if (isWhole) lastUrl = { text, url }
  return url
}

/** What a `Request` says otherwise than one that says nothing: runtimes know different parts of it. */
function carriedBy(asked: Request): RequestInit {
  const plain = new Request(asked.url)
  const said = CARRIED.filter((name) => asked[name] !== undefined && asked[name] !== plain[name])
  return Object.fromEntries(said.map((name) => [name, asked[name]]))
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
