/**
 * What the tests need of an SDK, the same for all of them.
 * @module
 */

import type { Fetch } from 'keyrota/fetch'
// @ts-expect-error: plain JavaScript, since the SDKs are not where types are checked
import { makeSdks } from './adapters.mjs'

/** One request, in no SDK's words. */
export interface Asked {
  /** What the user said, turn by turn. @defaultValue one turn */
  readonly turns?: readonly string[]
  readonly signal?: AbortSignal
}

/** A client of an SDK. */
export interface Client {
  /** Answers the text of the model. */
  readonly ask: (asked?: Asked) => Promise<string>
  /** The same in the pieces in which it comes. */
  readonly stream: (asked?: Asked) => AsyncIterable<string>
}

/** Where a client goes, and how. */
export interface Way {
  readonly url: string
  readonly fetch: Fetch
  /** How often the SDK itself tries again. */
  readonly retries: number
}

/** One SDK, or one kind of request of it. */
export interface Sdk {
  readonly name: string
  readonly dialect: 'openai' | 'anthropic' | 'gemini'
  readonly connect: (way: Way) => Client
  readonly statusOf: (error: unknown) => number | undefined
  /** Whether it is the error that the SDK has for a rate limit. */
  readonly isLimit: (error: unknown) => boolean
  /** In how many seconds to come back, as far as the error says it. */
  readonly secondsIn: (error: unknown) => number
}

/** The SDKs that are installed in a folder. */
export function sdksOf(load: (name: string) => Promise<unknown>): Promise<Sdk[]> {
  return makeSdks(load)
}
