/**
 * Reads the WebAssembly that stands inside the JavaScript. `scripts/build/text.mjs` wrote it.
 * @module
 */

const FIRST = 32
const ESCAPED = '"\'\\`$'
const PAIRS = 2
const BYTES = 256

/** The bytes that a text stands for. */
export function fromText(text: string): Uint8Array {
  // A character's place in the alphabet, by its code.
  const places = new Uint8Array(127)
  let characters = 0
  for (let code = FIRST; code < 127; code++) {
    if (!ESCAPED.includes(String.fromCharCode(code))) places[code] = characters++
  }
  const singles = characters - PAIRS
  const byFrequency = Uint8Array.from({ length: BYTES }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  )
  const bytes = new Uint8Array(text.length)
  let length = 0
  for (let at = BYTES * 2; at < text.length; at++) {
    const place = places[text.charCodeAt(at)] ?? 0
    const rank =
      place < PAIRS
        ? singles + place * characters + (places[text.charCodeAt(++at)] ?? 0)
        : place - PAIRS
    bytes[length++] = byFrequency[rank] ?? 0
  }
  return bytes.subarray(0, length)
}
