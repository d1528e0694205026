/**
 * What a client checks of the answer that it reads.
 * @module
 */

import type { Try } from './plan.ts'
import { marksIn, type Speech, speechTo } from './speech.ts'

/** What must not happen to an answer. */
export type Flaw =
  /** A mark of another request, or of two tries of this one. */
  | 'mixed'
  /** Bytes that the provider did not send. */
  | 'altered'
  /** An end as if all were well, and something is missing. */
  | 'short'
  /** An error that is none to a client of the protocol. */
  | 'unreadable'
  /** Nothing more for a long time. */
  | 'silent'

/** An answer that is not as it should be. */
export class Flawed extends Error {
  readonly flaw: Flaw

  constructor(flaw: Flaw, message: string) {
    super(`${flaw}: ${message}`)
    this.flaw = flaw
  }
}

/** The answer to one request, checked chunk by chunk. */
export class Reading {
  readonly #seed: number
  readonly #request: number
  /** What came before its mark was known. */
  #start: Buffer = Buffer.alloc(0)
  #speech: Speech | undefined
  #try: Try | undefined
  #size = 0

  constructor(seed: number, request: number) {
    this.#seed = seed
    this.#request = request
  }

  /** What the provider does, as soon as its mark was read. */
  get speech(): Speech | undefined {
    return this.#speech
  }

  /** @throws {@link Flawed} when the chunk is not what comes next */
  see(chunk: Buffer): void {
    let next = chunk
    if (this.#speech === undefined) {
      next = Buffer.concat([this.#start, chunk])
      this.#start = next
    }
    const marks = marksIn(next.toString('latin1'))
    for (const mark of marks) this.#own(mark)
    if (this.#speech === undefined) {
      const [mark] = marks
      if (mark === undefined) return
      this.#speech = speechTo(this.#seed, mark)
    }
    const said = this.#speech.bytes.subarray(this.#size, this.#size + next.byteLength)
    if (!said.equals(next)) {
      throw new Flawed('altered', `request ${this.#request}, from byte ${this.#size} on`)
    }
    this.#size += next.byteLength
  }

  /** @throws {@link Flawed} when the answer has no reason to end here */
  end(): void {
    const { bytes, isWhole } = this.#speech ?? { bytes: undefined, isWhole: false }
    if (isWhole && bytes?.byteLength === this.#size) return
    throw new Flawed('short', `request ${this.#request} ended at byte ${this.#size}`)
  }

  /**
   * Reads an error that came in place of an answer.
   *
   * @throws {@link Flawed} when it has another's mark, or says nothing
   */
  error(text: string, code: unknown): void {
    for (const mark of marksIn(text)) this.#own(mark)
    if (typeof code === 'string' && hasError(text)) return
    throw new Flawed('unreadable', `request ${this.#request}: ${text.slice(0, 200)}`)
  }

  #own({ request, at }: Try): void {
    this.#try ??= { request, at }
    if (request === this.#request && at === this.#try.at) return
    throw new Flawed('mixed', `request ${this.#request} got some of ${request}, try ${at}`)
  }
}

/** Errors of all protocols have it. */
function hasError(text: string): boolean {
  try {
    return typeof JSON.parse(text).error === 'object'
  } catch {
    return false
  }
}
