/**
 * What the server needs to know of a provider to speak like it.
 * @module
 */

import type { Exchange } from './http.ts'

/** What went wrong, in no provider's words. */
export type Trouble = 'limited' | 'unauthorized' | 'overloaded' | 'bad'

/** An error in a provider's words. */
export interface Said {
  readonly status: number
  readonly body: unknown
}

/** A stream, event by event. */
export interface Stream {
  /** What comes before there is content. */
  readonly opening: readonly string[]
  /** One event for each piece of the text. */
  readonly content: readonly string[]
  /** What says that the answer is complete. */
  readonly closing: readonly string[]
}

/** One provider's way to speak. */
export interface Dialect {
  /** The key of a request. */
  readonly secretOf: (exchange: Exchange) => string
  readonly error: (trouble: Trouble) => Said
  /** The same error as an event of a stream. */
  readonly errorEvent: (exchange: Exchange, trouble: Trouble) => string
  readonly wantsStream: (exchange: Exchange) => boolean
  /** The answer in one piece, with that text; `undefined` when nothing is at that path. */
  readonly answer: (exchange: Exchange, text?: string) => unknown
  /** The answer as a stream of those pieces. */
  readonly stream: (exchange: Exchange, pieces?: readonly string[]) => Stream
}

/** What every model here says, and the pieces in which it is streamed. */
export const PIECES = ['Grüße', ' from', ' the', ' provider', ': 1', ' 2', ' 3.'] as const
export const TEXT: string = PIECES.join('')

/** An event of a stream. */
export function event(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
}
