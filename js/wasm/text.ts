/**
 * Reads the WebAssembly that stands inside the JavaScript. `scripts/build/text.mjs` wrote it, in the
 * order of `scripts/build/streams.mjs`.
 * @module
 */

const FIRST = 32
const ESCAPED = '"\'\\`$'
const PAIRS = 2
const BYTES = 256

/** What follows an opcode, when it is no count of numbers or bytes. */
const TABLE = 3
const PREFIX = 5

/** Streams behind those of what follows each opcode, first and second. */
const OPCODES = 512
const SIZES = 513
const LOCALS = 514
const REST = 515
const STREAMS = 516

/** The module that a text stands for. */
export function fromText(text: string): Uint8Array {
  return joined(bytesOf(text))
}

/** The bytes that a text stands for. */
function bytesOf(text: string): Uint8Array {
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

/** The module whose streams these are. */
function joined(bytes: Uint8Array): Uint8Array {
  const module = new Uint8Array(bytes.length)
  let length = 0
  let from = 0
  /** Where each stream goes on. */
  const places = new Uint32Array(STREAMS + 1)

  /** Reads the number (LEB128) that stands at `from`. */
  const read = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[from++] as number
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const move = (stream: number, count: number): void => {
    let at = places[stream] as number
    for (const end = at + count; at < end; at++) module[length++] = bytes[at] as number
    places[stream] = at
  }
  /** Moves the next number of a stream, and answers it. */
  const number = (stream: number): number => {
    let at = places[stream] as number
    let byte = bytes[at++] as number
    let value = byte & 127
    module[length++] = byte
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number
      value |= (byte & 127) << shift
      module[length++] = byte
    }
    places[stream] = at
    return value
  }

  const lengths = Uint32Array.from({ length: STREAMS }, read)
  const begin = read()
  const functions = read()
  const follows = bytes.subarray(from, from + BYTES)
  places[0] = from + BYTES
  lengths.forEach((size, stream) => {
    places[stream + 1] = (places[stream] as number) + size
  })

  move(REST, begin)
  for (let index = 0; index < functions; index++) {
    const size = number(SIZES)
    const end = length + size
    for (let groups = number(LOCALS); groups > 0; groups--) {
      number(LOCALS)
      number(LOCALS)
    }
    while (length < end) {
      const opcode = bytes[places[OPCODES] as number] as number
      move(OPCODES, 1)
      const kind = follows[opcode] as number
      if (kind === 0) continue
      if (kind === 4 || kind === 8) {
        move(opcode, kind)
        continue
      }
      const first = number(opcode)
      let more = kind - 1
      if (kind === TABLE) more = first + 1
      if (kind === PREFIX) more = afterPrefix(first)
      for (; more > 0; more--) number(opcode + 256)
    }
  }
  move(REST, bytes.length - (places[REST] as number))
  return module.subarray(0, length)
}

/** How many numbers follow an opcode behind the prefix. */
function afterPrefix(opcode: number): number {
  if (opcode < 8) return 0
  return opcode < 16 && opcode % 2 === 0 ? 2 : 1
}
