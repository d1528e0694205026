// WebAssembly as text that can stand inside JavaScript. `js/wasm/text.ts` reads it.
//
// Base64 packs bits across bytes, so that gzip no longer sees the repetitions: the core grew by a third.
// Here every byte is one character, or two for the rarer ones, and the text zips as small as the bytes.
import { toStreams } from './streams.mjs'

/** Printable ASCII without what JavaScript escapes in some kind of string. */
const ALPHABET = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((character) => !'"\'\\`$'.includes(character))
  .join('')

/** How many characters begin a pair; all others stand for one byte each. */
const PAIRS = 2

/**
 * The alphabet of bytes by frequency as hexadecimal digits, then the bytes of the module's streams.
 * @param {Uint8Array} module
 */
export function toText(module) {
  const bytes = toStreams(module)
  const counts = new Uint32Array(256)
  for (const byte of bytes) counts[byte]++
  const byFrequency = Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || a - b)

  const singles = ALPHABET.length - PAIRS
  const written = []
  byFrequency.forEach((byte, rank) => {
    const beyond = rank - singles
    written[byte] =
      beyond < 0
        ? ALPHABET[PAIRS + rank]
        : ALPHABET[Math.floor(beyond / ALPHABET.length)] + ALPHABET[beyond % ALPHABET.length]
  })
  const head = byFrequency.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return head + Array.from(bytes, (byte) => written[byte]).join('')
}
