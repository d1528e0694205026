/**
 * One call of the pooled fetch: the request as it was given, and its attempts.
 * @module
 */

import type { Lease, RunOptions } from 'keyrota'
import type { Fetch, PooledFetchOptions } from '../fetch.js'
import { type Attempted, makeAttempt } from './attempt.js'
import { bodyOf, type RequestBody, readBody } from './body.js'
import { Deadline } from './deadline.js'
import { continuedBy, mayStream, modelOf, type RequestFacts, sessionOf } from './facts.js'
import { type Outgoing, place, type Slot, takeOut } from './inject.js'
import { anyOf } from './signals.js'

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
  readonly #deadline: Deadline | undefined
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
    if (timeoutMs !== undefined) this.#deadline = new Deadline(timeoutMs, 'timeoutMs', this.#own)
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

  /** One attempt with one credential. It differs from the last one in the secret alone. */
  attempt(lease: Lease): Promise<Attempted> {
    const { method, url } = this.#facts
    return makeAttempt({
      lease,
      dialect: this.#dialect,
      model: this.#model,
      method,
      url,
      signal: this.#init.signal ?? undefined,
      stop: () => this.#own?.abort(),
      holdsEmpty: this.#options.retryEmptyResponses === true,
      send: () => this.#send(lease.secret),
    })
  }

  async #send(secret: string): Promise<Response> {
    const { url, headers } = this.#outgoing(secret)
    const send: Fetch = this.#options.fetch ?? globalThis.fetch
    return send(url.href, {
      ...this.#init,
      headers,
      body: this.#body.next(),
      signal: this.#signal ?? null,
      ...(this.#body.isStream && { duplex: 'half' }),
    })
  }

  /** The answer has begun, or there is none: its time is no longer counted. */
  end(): void {
    this.#deadline?.end()
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
