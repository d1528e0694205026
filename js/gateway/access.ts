/**
 * Access keys: found in a request, and known by their digests alone.
 * @module
 */

import type { AccessKeyConfig } from './config.js'
import { Refused } from './failures.js'

/** Where clients put their key. */
export const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

/** A longer one is none of ours, and not worth the time to digest it. */
const LONGEST_KEY = 4_096

/** Of a digest, in numbers of 32 bits. */
const WORDS = 8

/** The access keys of a configuration. */
export class AccessTable {
  readonly #keys: readonly AccessKeyConfig[]
  /** Their digests, one after another. */
  readonly #digests: Uint32Array

  constructor(keys: readonly AccessKeyConfig[]) {
    this.#keys = keys
    this.#digests = new Uint32Array(keys.length * WORDS)
    for (const [at, { sha256 }] of keys.entries()) this.#digests.set(wordsOf(sha256), at * WORDS)
  }

  /**
   * The access key with that value.
   *
   * @remarks
   * Every digest is compared, and every word of it, whatever was found before: how long it takes says nothing
   * about how near a wrong key comes.
   */
  async find(key: string): Promise<AccessKeyConfig | undefined> {
    const bytes = new TextEncoder().encode(key.slice(0, LONGEST_KEY))
    const digest = new DataView(await crypto.subtle.digest('SHA-256', bytes))
    const asked = Uint32Array.from({ length: WORDS }, (_, at) => digest.getUint32(at * 4))
    let found = 0
    for (let key = 0; key < this.#keys.length; key++) {
      let difference = 0
      for (let word = 0; word < WORDS; word++) {
        difference |= (this.#digests[key * WORDS + word] as number) ^ (asked[word] as number)
      }
      // All ones when nothing differs, else all zeros.
      const isSame = ~((difference | -difference) >> 31)
      found |= isSame & (key + 1)
    }
    return key.length <= LONGEST_KEY ? this.#keys[found - 1] : undefined
  }
}

/**
 * The key that a request presents.
 *
 * @param mayBeInQuery - whether `?key=` is one, as it is for Gemini
 * @throws {@link Refused} `unauthorized` without a key, `conflicting_access_keys` with two that differ
 */
export function presentedKey(headers: Headers, url: URL, mayBeInQuery: boolean): string {
  const given = new Set<string>()
  for (const name of KEY_HEADERS) {
    const value = headers.get(name)
    if (value === null) continue
    // What was sent twice comes as one text with commas.
    for (const one of value.split(',')) {
      const key =
        name === 'authorization' ? one.trim().replace(/^bearer(?:\s+|$)/i, '') : one.trim()
      if (key !== '') given.add(key)
    }
  }
  if (mayBeInQuery) for (const key of url.searchParams.getAll('key')) given.add(key)
  given.delete('')
  const [key] = given
  if (key === undefined) throw new Refused('unauthorized', 'The request has no access key.')
  if (given.size > 1) {
    throw new Refused('conflicting_access_keys', 'The request has several access keys that differ.')
  }
  return key
}

function wordsOf(hex: string): number[] {
  return Array.from({ length: WORDS }, (_, at) =>
    Number.parseInt(hex.slice(at * 8, at * 8 + 8), 16),
  )
}
