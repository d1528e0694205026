/**
 * The clients of the load test: so many at once, each with one request after another.
 * @module
 */

import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { below, type Dice, type Manner, mannerOf, protocolOf } from './plan.ts'
import { Flawed, Reading } from './reading.ts'
import { bodyOf, PATHS } from './speech.ts'

/** Every wait of the gateway is much shorter, and those of one request together are. */
const SILENCE_MS = 15_000

/** What came of the requests. */
export class Tally {
  requests = 0
  /** What came of them, in words. */
  readonly kinds = new Map<string, number>()
  /** Milliseconds to the first byte of the streams that came whole. */
  readonly firstByteMs: number[] = []
  readonly flaws: Flawed[] = []
  /** Streams that broke although their provider sent all. */
  readonly broken: string[] = []

  count(kind: string): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1)
  }
}

/** Where the gateway is, and who asks it. */
export interface Target {
  readonly seed: number
  readonly port: number
  readonly accessKey: string
}

/** The clients. */
export class Clients {
  readonly #target: Target
  readonly #agent = new Agent({ keepAlive: true })
  #asked = 0

  constructor(target: Target) {
    this.#target = target
  }

  /** Asks for so many seconds, `streams` at once; then waits for the last answers. */
  async run(streams: number, seconds: number): Promise<Tally> {
    const tally = new Tally()
    const until = performance.now() + seconds * 1_000
    const one = async () => {
      while (performance.now() < until) {
        this.#asked++
        tally.requests++
        await this.#ask(this.#asked, tally)
      }
    }
    await Promise.all(Array.from({ length: streams }, one))
    return tally
  }

  closeIdle(): void {
    this.#agent.destroy()
  }

  async #ask(request: number, tally: Tally): Promise<void> {
    const { seed } = this.#target
    const { manner, dice } = mannerOf(seed, request)
    const reading = new Reading(seed, request)
    const asked = this.#send(request)
    const visit = new Visit(asked, reading, manner, dice, tally)
    try {
      tally.count(await visit.outcome())
    } catch (error) {
      if (!(error instanceof Flawed)) throw error
      tally.count(`FLAW: ${error.flaw}`)
      tally.flaws.push(error)
    } finally {
      asked.destroy()
    }
  }

  #send(request: number): ClientRequest {
    const { port, accessKey } = this.#target
    const protocol = protocolOf(request)
    const body = bodyOf(request)
    const asked = send({
      ...{ host: '127.0.0.1', port, method: 'POST', agent: this.#agent },
      path: protocol === 'gemini' ? `${PATHS[protocol]}?alt=sse` : PATHS[protocol],
      headers: {
        authorization: `Bearer ${accessKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        // Every other request is one of a conversation.
        ...(request % 2 === 0 && { 'x-session-id': `conversation ${request % 200}` }),
        // Every third may be sent again although it was sent.
        ...(request % 3 === 0 && { 'idempotency-key': `request ${request}` }),
      },
    })
    asked.end(body)
    return asked
  }
}

/** One request of one client. */
class Visit {
  readonly #asked: ClientRequest
  readonly #reading: Reading
  readonly #manner: Manner
  readonly #dice: Dice
  readonly #tally: Tally
  readonly #began = performance.now()
  #isLeft = false
  #isSilent = false

  constructor(asked: ClientRequest, reading: Reading, manner: Manner, dice: Dice, tally: Tally) {
    this.#asked = asked
    this.#reading = reading
    this.#manner = manner
    this.#dice = dice
    this.#tally = tally
  }

  /**
   * What became of it.
   *
   * @throws {@link Flawed} when that must not be
   */
  async outcome(): Promise<string> {
    this.#asked.setTimeout(SILENCE_MS, () => {
      this.#isSilent = true
      this.#asked.destroy()
    })
    const timer =
      this.#manner === 'leavesBeforeAnswer'
        ? setTimeout(() => this.#leave(), below(100, this.#dice))
        : undefined
    try {
      const response = await this.#answer()
      return response.statusCode === 200
        ? await this.#stream(response)
        : await this.#refusal(response)
    } catch (error) {
      if (error instanceof Flawed) throw error
      return this.#broken(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #answer(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#asked.on('response', resolve)
      this.#asked.on('error', reject)
    })
  }

  async #stream(response: IncomingMessage): Promise<string> {
    let firstByteMs: number | undefined
    let left = this.#manner === 'leavesWithin' ? below(3_000, this.#dice) : Number.POSITIVE_INFINITY
    for await (const chunk of response as AsyncIterable<Buffer>) {
      firstByteMs ??= performance.now() - this.#began
      this.#reading.see(chunk)
      left -= chunk.byteLength
      if (left < 0) this.#leave()
      if (this.#manner === 'readsSlowly') await pause(below(60, this.#dice))
    }
    if (this.#isLeft) return 'left by the client'
    if (!response.complete) throw new Error('not complete')
    this.#reading.end()
    const isError = this.#reading.speech?.deed.startsWith('error') === true
    if (isError) return 'ended with an error event'
    if (firstByteMs !== undefined) this.#tally.firstByteMs.push(firstByteMs)
    return 'complete'
  }

  async #refusal(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    const code = response.headers['x-keyrota-code']
    this.#reading.error(Buffer.concat(chunks).toString('utf8'), code)
    return `${response.statusCode} ${code}`
  }

  /** The connection broke, which the client sees. */
  #broken(error: unknown): string {
    if (this.#isSilent) throw new Flawed('silent', `no byte for ${SILENCE_MS} ms`)
    if (this.#isLeft) return 'left by the client'
    const { speech } = this.#reading
    if (speech?.isWhole) this.#tally.broken.push(`${speech.deed}: ${error}`)
    return speech === undefined ? 'broken before the first event' : 'broken within the stream'
  }

  #leave(): void {
    this.#isLeft = true
    this.#asked.destroy()
  }
}
