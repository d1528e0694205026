// WebAssembly in the order in which it zips best. `js/wasm/text.ts` puts it back in its own.
//
// An instruction is an opcode and a few numbers, and the numbers after one opcode are like each other
// and unlike everything else. So all opcodes stand together, then all that follows `local.get`, and so
// on: that zips to five sixths of what the same bytes take as they stand.
//
// The opcodes: https://webassembly.github.io/spec/core/binary/instructions.html

/** The section of the functions. */
const CODE = 10

/** What follows an opcode: 0 to 2 numbers (LEB128), 4 or 8 bytes, or one of these. */
const TABLE = 3 // a count, and one number more than that
const PREFIX = 5 // a second opcode, and what follows that

/** Streams behind those of what follows each opcode, first and second. */
const OPCODES = 512
const SIZES = 513
const LOCALS = 514
const REST = 515
const STREAMS = 516

/** What follows which opcodes, from the first to the last of a range. */
const FOLLOWS = [
  { from: 0x02, to: 0x04, follows: 1 }, // block, loop, if
  { from: 0x0c, to: 0x0d, follows: 1 }, // br, br_if
  { from: 0x0e, to: 0x0e, follows: TABLE }, // br_table
  { from: 0x10, to: 0x10, follows: 1 }, // call
  { from: 0x11, to: 0x11, follows: 2 }, // call_indirect
  { from: 0x20, to: 0x26, follows: 1 }, // variables, and elements of tables
  { from: 0x28, to: 0x3e, follows: 2 }, // loads and stores
  { from: 0x3f, to: 0x42, follows: 1 }, // memory.size, memory.grow, i32.const, i64.const
  { from: 0x43, to: 0x43, follows: 4 }, // f32.const
  { from: 0x44, to: 0x44, follows: 8 }, // f64.const
  { from: 0xd0, to: 0xd0, follows: 1 }, // ref.null
  { from: 0xfc, to: 0xfc, follows: PREFIX },
]

/** Opcodes whose followers are of another form: no compiler of ours writes them. */
const UNKNOWN = [
  0x06, 0x07, 0x08, 0x09, 0x12, 0x13, 0x14, 0x15, 0x18, 0x19, 0x1c, 0xd2, 0xfb, 0xfd, 0xfe,
]

/**
 * The lengths of the streams, where the functions begin and how many there are, what follows each
 * opcode, and then the streams.
 * @param {Uint8Array} bytes a module
 */
export function toStreams(bytes) {
  const streams = Array.from({ length: STREAMS }, () => /** @type {number[]} */ ([]))
  const follows = new Uint8Array(256)
  for (const range of FOLLOWS) follows.fill(range.follows, range.from, range.to + 1)

  const { begin, count, end } = functions(bytes)
  const reader = new Reader(bytes, streams)
  reader.move(REST, begin)
  for (let index = 0; index < count; index++) {
    const last = reader.number(SIZES) + reader.at
    for (let groups = reader.number(LOCALS); groups > 0; groups--) {
      reader.number(LOCALS)
      reader.number(LOCALS)
    }
    while (reader.at < last) reader.instruction(follows)
    if (reader.at !== last) throw new Error(`Function ${index} was misread.`)
  }
  if (reader.at !== end) throw new Error('The functions were misread.')
  reader.move(REST, bytes.length - end)

  const head = [...streams.map(({ length }) => length), begin, count]
  return Uint8Array.from([...head.flatMap(written), ...follows, ...streams.flat()])
}

/** Moves a module into streams, from its beginning to its end. */
class Reader {
  at = 0
  #bytes
  #streams

  constructor(bytes, streams) {
    this.#bytes = bytes
    this.#streams = streams
  }

  move(stream, count) {
    const end = this.at + count
    while (this.at < end) this.#streams[stream].push(this.#bytes[this.at++])
  }

  /** Moves a number, and answers it. */
  number(stream) {
    const begin = this.at
    while (this.#bytes[this.at] > 127) this.move(stream, 1)
    this.move(stream, 1)
    return read(this.#bytes.subarray(begin, this.at))
  }

  instruction(follows) {
    const opcode = this.#bytes[this.at]
    if (UNKNOWN.includes(opcode)) throw new Error(`Opcode ${opcode} is not known in streams.mjs.`)
    this.move(OPCODES, 1)
    const kind = follows[opcode]
    if (kind === 4 || kind === 8) return this.move(opcode, kind)
    if (kind === 0) return
    const first = this.number(opcode)
    const more = kind === TABLE ? first + 1 : kind === PREFIX ? afterPrefix(first) : kind - 1
    for (let count = 0; count < more; count++) this.number(opcode + 256)
  }
}

/** How many numbers follow an opcode behind the prefix: of tables and memories it names one or two. */
function afterPrefix(opcode) {
  if (opcode < 8) return 0
  return opcode < 16 && opcode % 2 === 0 ? 2 : 1
}

/** Where the first function stands, how many there are, and where the last one ends. */
function functions(bytes) {
  const reader = new Reader(bytes, { 0: [] })
  reader.move(0, 8) // the magic number and the version
  for (;;) {
    const section = reader.number(0)
    const end = reader.number(0) + reader.at
    if (section === CODE) return { count: reader.number(0), begin: reader.at, end }
    reader.move(0, end - reader.at)
  }
}

/** The number that stands in WebAssembly as these bytes. */
function read(bytes) {
  return bytes.reduceRight((value, byte) => value * 128 + (byte & 127), 0)
}

/** A number as it stands in WebAssembly. */
function written(value) {
  return value < 128 ? [value] : [(value & 127) | 128, ...written(value >> 7)]
}
