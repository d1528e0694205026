/**
 * Streams: held back until they have content, and watched until they end.
 * @module
 */

import { classifyStreamEvent, isEmptyEvent, type Lease, type Verdict } from 'keyrota'
import { passed } from './answer.js'
import { announcesEnd, EventReader, idsMadeBy, kindOf, mayEnd, type StreamEvent } from './events.js'
import { showUrl, withoutSecret } from './redact.js'
import { remember, tell } from './tell.js'

/** What has no content by then is handed over all the same. */
const MOST_HELD_BYTES = 262_144

/** What a stream is watched with. */
export interface Watch {
  readonly lease: Lease
  readonly dialect: string
  readonly model: string | undefined
  /** The caller's. */
  readonly signal: AbortSignal | undefined
  /** Ends the request at the provider. */
  readonly stop: () => void
  /** Whether a stream that ends without content is held back to its end. */
  readonly holdsEmpty: boolean
}

/** The head of a stream: what came until there was content, an error or an end. */
interface Head {
  readonly chunks: readonly Uint8Array[]
  readonly error: StreamEvent | undefined
  readonly done: boolean
  readonly hasContent: boolean
  /** Whether what was held back says that the answer is complete. */
  readonly ended: boolean
  /** Whether it is complete, and had no content. */
  readonly isEmpty: boolean
  /** Whether it must say that it ends. */
  readonly announced: boolean
  /** The ids of what it says was made. */
  readonly made: readonly string[]
  /** Events of the same chunks that are still to be looked at. */
  readonly later: readonly StreamEvent[]
}

/** Whether a response is a stream of server-sent events. */
export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
}

/**
 * Holds a stream back until it has content. An error before that is reported, and the response that is
 * answered has it, so that another credential may be tried without the caller seeing two beginnings. The
 * same goes, if it is wanted, for an end before any content.
 *
 * @throws what cut the stream before it had any content
 */
export async function openStream(
  response: Response,
  watch: Watch,
): Promise<{ response: Response; verdict?: Verdict | undefined; isEmpty?: boolean }> {
  if (response.body === null) return { response }
  const reader = response.body.getReader()
  const events = new EventReader()
  const decoder = new TextDecoder()
  const head = await readHead(reader, events, decoder, watch.holdsEmpty)
  remember(watch.lease, head.made)
  if (head.error !== undefined) {
    const verdict = await reportEvent(head.error, 'before_content', watch)
    if (verdict !== undefined && verdict.class !== 'ok') {
      return {
        response: rebuilt(response, passed(head.chunks, reader), watch.lease.secret),
        verdict,
      }
    }
  }
  if (head.isEmpty) {
    const body = passed(head.chunks, reader)
    return { response: rebuilt(response, body, watch.lease.secret), isEmpty: true }
  }
  const isNothing = head.announced || head.chunks.length === 0
  if (head.done && isNothing && !head.hasContent) throw cut('before_content')
  const tail = new Tail(events, decoder, head, watch)
  await tail.judge(head.later)
  const body = watched(head, reader, tail)
  return { response: rebuilt(response, body, watch.lease.secret) }
}

async function readHead(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  events: EventReader,
  decoder: TextDecoder,
  holdsEmpty: boolean,
): Promise<Head> {
  const chunks: Uint8Array[] = []
  const made: string[] = []
  let size = 0
  let announced = false
  let ended = false
  const nothing = { error: undefined, done: false, hasContent: false, isEmpty: false, later: [] }
  const facts = () => ({ chunks, made, announced, ended })
  const head = (more: Partial<Head>): Head => ({ ...nothing, ...facts(), ...more })
  while (size < MOST_HELD_BYTES) {
    const { done, value } = await reader.read()
    if (value !== undefined) {
      chunks.push(value)
      size += value.byteLength
    }
    const text = decoder.decode(value, { stream: !done })
    const seen = done ? [...events.push(text), ...events.rest()] : events.push(text)
    for (const [at, event] of seen.entries()) {
      announced ||= announcesEnd(event)
      made.push(...idsMadeBy(event))
      const kind = kindOf(event)
      // What decided is looked at once more, as all that follows.
      const later = seen.slice(kind === 'error' ? at + 1 : at)
      if (kind === 'error') return head({ error: event, done, later })
      if (holdsEmpty && isEmptyEvent(event.name, event.data)) {
        ended ||= kind === 'end' || kind === 'finish'
        if (kind === 'end') return head({ done, isEmpty: true })
        continue
      }
      if (kind !== 'other') return head({ done, hasContent: true, later })
    }
    if (done) return head({ done, isEmpty: ended })
  }
  return head({})
}

/** What is known of a stream that the caller reads. */
class Tail {
  readonly #events: EventReader
  readonly #decoder: TextDecoder
  readonly #watch: Watch
  /** Whether the answer is complete. */
  #ended: boolean
  #hasContent: boolean
  #announced: boolean

  constructor(events: EventReader, decoder: TextDecoder, head: Head, watch: Watch) {
    this.#events = events
    this.#decoder = decoder
    this.#watch = watch
    this.#ended = head.ended
    this.#hasContent = head.hasContent
    this.#announced = head.announced
    // Who gives up may not read on, and so would never meet the end.
    watch.signal?.addEventListener('abort', this.#gaveUp)
  }

  readonly #gaveUp = (): void => {
    this.#report({ name: 'AbortError' }).catch(() => {})
  }

  get secret(): string {
    return this.#watch.lease.secret
  }

  /** Looks at a chunk on its way to the caller. */
  async see(chunk: Uint8Array | undefined): Promise<void> {
    const text = this.#decoder.decode(chunk, { stream: chunk !== undefined })
    await this.judge(this.#events.push(text))
    if (chunk === undefined) await this.judge(this.#events.rest())
  }

  /** Looks at events in their order: what an end or an error means for the credential. */
  async judge(events: readonly StreamEvent[]): Promise<void> {
    for (const event of events) {
      remember(this.#watch.lease, idsMadeBy(event))
      // Most events of a long answer are content, and need not be parsed for that.
      if (this.#hasContent && this.#announced && !mayEnd(event)) continue
      this.#announced ||= announcesEnd(event)
      const kind = kindOf(event)
      if (kind === 'content') this.#hasContent = true
      if (kind === 'end' || kind === 'finish') this.#ended = true
      // Not every reader asks for what comes after the end.
      if (kind === 'end') await this.#report({ status: 200 })
      if (kind === 'error' && !this.#watch.lease.settled) {
        this.#ended = true
        await reportEvent(event, this.#phase(), this.#watch)
      }
    }
  }

  /** The provider closed the stream; answers the error that the caller must see, if it was too early. */
  async close(): Promise<Error | undefined> {
    await this.see(undefined)
    const early = this.#ended || !this.#announced ? undefined : cut(this.#phase())
    await this.#report(early ?? { status: 200 })
    return early
  }

  /** Reading on failed. */
  async fail(error: unknown): Promise<void> {
    const failure = { cause: error, phase: this.#phase() }
    await this.#report(this.#watch.signal?.aborted ? { name: 'AbortError' } : failure)
  }

  /** The caller wants no more of it. */
  async cancel(): Promise<void> {
    await this.#report({ name: 'AbortError' })
  }

  /** Firefox goes on after a cancel until the provider sends more. */
  stop(): void {
    this.#watch.stop()
  }

  /** What happens after the end of the answer no longer matters. */
  async #report(outcome: object): Promise<void> {
    this.#watch.signal?.removeEventListener('abort', this.#gaveUp)
    await tell(this.#watch.lease, this.#ended ? { status: 200 } : outcome)
  }

  #phase(): 'before_content' | 'after_content' {
    return this.#hasContent ? 'after_content' : 'before_content'
  }
}

/** What a reader gets of a stream that was cut. */
function cut(phase: 'before_content' | 'after_content'): Error {
  const error = new TypeError('the stream ended before the answer was complete')
  return Object.assign(error, { networkCode: 'EOF', phase })
}

/** The stream as it came: the chunks that were held back, then the others, each the very one that came. */
function watched(
  head: Head,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  tail: Tail,
): ReadableStream<Uint8Array> {
  const held = [...head.chunks]
  let { done } = head
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const first = held.shift()
        if (first !== undefined) return controller.enqueue(first)
        try {
          const next = done ? { done, value: undefined } : await reader.read()
          done = next.done
          if (next.value !== undefined) {
            await tail.see(next.value)
            return controller.enqueue(next.value)
          }
        } catch (error) {
          await tail.fail(error)
          return controller.error(withoutSecret(error, tail.secret))
        }
        const early = await tail.close()
        if (early === undefined) controller.close()
        else controller.error(early)
      },
      async cancel(reason) {
        await Promise.all([reader.cancel(reason), tail.cancel()])
        // Not sooner, for then it would be an error of the reader.
        tail.stop()
      },
    },
    // What the caller does not ask for is not fetched.
    { highWaterMark: 0 },
  )
}

async function reportEvent(
  { name, data }: StreamEvent,
  phase: 'before_content' | 'after_content',
  { lease, dialect, model }: Watch,
): Promise<Verdict | undefined> {
  const event = name === '' ? `data: ${data}\n\n` : `event: ${name}\ndata: ${data}\n\n`
  const verdict = classifyStreamEvent({ provider: dialect, event, phase, model })
  if (verdict.class === 'ok') return verdict
  const headers = { 'content-type': 'text/event-stream' }
  return tell(lease, { status: 200, headers, body: event, phase })
}

/** A response with another body, and all else as it was; the secret is not in its URL. */
export function rebuilt(response: Response, body: BodyInit | null, secret: string): Response {
  const { status, statusText } = response
  // Their own copy: the `Response` of @hono/node-server takes the very object that it is given.
  const headers = new Headers(response.headers)
  // What was decoded is decoded: its length and coding are not those of the new body.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const copy = new Response(body, { status, statusText, headers })
  return showUrl(copy, response.url, secret)
}
