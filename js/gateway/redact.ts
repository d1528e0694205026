/**
 * Takes a secret out of an answer on its way to the client, should the provider repeat it.
 * @module
 */

/** What is shorter is a placeholder, and a word of any answer. */
const LEAST_SECRET = 8

/** How much of a secret an error may quote with the middle left out, as some providers do. */
const QUOTED = 8
const LEAST_QUOTED = 24

/** What stands in its place has its length, so that nothing else of the answer changes. */
const STAR = 0x2a

/** Looks through an answer that comes in chunks. */
export class SecretFilter {
  readonly #needles: readonly Uint8Array[]
  /** What may be the beginning of a secret. */
  #held: Uint8Array<ArrayBuffer> | undefined

  /** @param isError - whether the answer is an error, of which also the ends of the secret are taken out */
  constructor(secret: string, isError: boolean) {
    const texts = secret.length < LEAST_SECRET ? [] : [secret]
    if (isError && secret.length >= LEAST_QUOTED) {
      texts.push(secret.slice(0, QUOTED), secret.slice(-QUOTED))
    }
    this.#needles = texts.map((text) => new TextEncoder().encode(text))
  }

  /** The chunk without the secret: the very same, when nothing of it is there. */
  push(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const whole = this.#held === undefined ? chunk : concat(this.#held, chunk)
    this.#held = undefined
    const clean = this.#without(whole)
    const open = this.#openEnd(clean)
    if (open === 0) return clean
    this.#held = clean.slice(clean.length - open)
    return clean.subarray(0, clean.length - open)
  }

  /** What is still held back when the answer has ended. */
  rest(): Uint8Array<ArrayBuffer> | undefined {
    const held = this.#held
    this.#held = undefined
    return held
  }

  #without(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let clean = bytes
    for (const needle of this.#needles) {
      for (let at = find(clean, needle, 0); at >= 0; at = find(clean, needle, at)) {
        // The chunk is the provider's, and others may hold it.
        if (clean === bytes) clean = bytes.slice()
        clean.fill(STAR, at, at + needle.length)
      }
    }
    return clean
  }

  /** How much of the end is the beginning of a secret. */
  #openEnd(bytes: Uint8Array): number {
    let longest = 0
    for (const needle of this.#needles) {
      const most = Math.min(needle.length - 1, bytes.length)
      for (let length = most; length > longest; length--) {
        if (startsAt(bytes, needle, bytes.length - length, length)) longest = length
      }
    }
    return longest
  }
}

function find(bytes: Uint8Array, needle: Uint8Array, from: number): number {
  const [first = 0] = needle
  const last = bytes.length - needle.length
  for (
    let at = bytes.indexOf(first, from);
    at >= 0 && at <= last;
    at = bytes.indexOf(first, at + 1)
  ) {
    if (startsAt(bytes, needle, at, needle.length)) return at
  }
  return -1
}

function startsAt(bytes: Uint8Array, needle: Uint8Array, at: number, length: number): boolean {
  for (let place = 0; place < length; place++) {
    if (bytes[at + place] !== needle[place]) return false
  }
  return true
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}
