/**
 * Session ids as 64-bit hashes, in two halves.
 * @module
 */

import { invalidOption } from './errors.js'
import { hashHigh, hashLow } from './wasm/core.js'

/** A longer id is hashed in WebAssembly: copying it there costs less than reading it here. */
const LONGEST_HERE = 40

/** The lower half of the last {@link hashSession}. */
export let low = 0
/** The upper half of the last {@link hashSession}. */
export let high = 0

/**
 * Hashes a session id into {@link low} and {@link high}; both are 0 when there is none.
 *
 * @remarks
 * Two numbers in module variables, since the hot path may neither allocate nor use BigInt. The hash
 * has no seed and must never change: processes that share nothing agree by it, and snapshots keep it.
 * Two lanes of multiply and rotate over UTF-16 pairs, with the finishing steps of MurmurHash3's
 * 32-bit mixer (Appleby).
 */
export function hashSession(session: string | undefined, field = 'session'): void {
  if (typeof session !== 'string') {
    if (session !== undefined) throw invalidOption(field, session, 'must be a text')
    low = 0
    high = 0
    return
  }
  const length = session.length
  if (length > LONGEST_HERE) {
    low = hashLow(session)
    high = hashHigh()
  } else {
    // Not the plain length, which a character could make up for: `a` would equal `b` and a NUL.
    let a = 0x9e3779b9 ^ Math.imul(length, 0x9e3779b1)
    let b = 0x85ebca6b ^ Math.imul(length, 0x85ebca77)
    for (let at = 0; at < length; at += 2) {
      // Beyond the end there is NaN, which `|` reads as 0.
      const pair = session.charCodeAt(at) | (session.charCodeAt(at + 1) << 16)
      a = Math.imul(a ^ pair, 0xcc9e2d51)
      a = (a << 15) | (a >>> 17)
      b = Math.imul(b ^ pair, 0x1b873593)
      b = (b << 13) | (b >>> 19)
    }
    low = mix(a ^ b) >>> 0
    high = mix((b + Math.imul(a, 5)) | 0) >>> 0
  }
  if ((low | high) === 0) low = 1
}

function mix(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
