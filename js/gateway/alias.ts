/**
 * Puts the model's upstream name into a request, and leaves every other byte as the client sent it: read and
 * written anew, a large number would be another one.
 * @module
 */

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** How long the name `"model"` is: each letter may be written as an escape of six bytes. */
const [SHORTEST, LONGEST] = [7, 32]

/** What it begins with. */
const FIRST: readonly number[] = [0x6d, 0x4d, BACKSLASH]

/** One for all, since a text that is whole leaves nothing behind in it. */
const decoder = /* @__PURE__ */ new TextDecoder()

/** Which values of `model` are the request's own. */
export interface Naming {
  /** How deep they stand at the most; the fields of the body itself are at 1. */
  readonly deepest: number
  /** The new value for one, `undefined` to keep it. */
  readonly rename: (value: string) => string | undefined
}

/** The names of the models in a body of OpenAI and Anthropic: the one of the body itself. */
export function atTop(to: string): Naming {
  return { deepest: 1, rename: () => to }
}

/** Google repeats the path's model in the body, and once for each part of a batch. */
export function asInPath(from: string, to: string): Naming {
  const names = new Map([
    [from, to],
    [`models/${from}`, `models/${to}`],
  ])
  return { deepest: 3, rename: (value) => names.get(value) }
}

/**
 * The body with other names of the model.
 *
 * @param json - the bytes of a JSON document that was parsed before, so that it is known to be one
 */
export function renamed(
  json: Uint8Array<ArrayBuffer>,
  { deepest, rename }: Naming,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let kept = 0
  for (const { from, to } of valuesOfModel(json, deepest)) {
    const value = JSON.parse(textOf(json, from, to)) as string
    const name = rename(value)
    if (name === undefined || name === value) continue
    parts.push(json.subarray(kept, from), new TextEncoder().encode(JSON.stringify(name)))
    kept = to
  }
  if (kept === 0) return json
  parts.push(json.subarray(kept))
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.byteLength
  }
  return bytes
}

/** Where a text stands, with its quotes. */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Where `model` has a text as its value. All of them: readers differ in which of two they take, and some, such
 * as Go's, take `Model` for it too.
 */
function* valuesOfModel(json: Uint8Array, deepest: number): Generator<Span> {
  const isObject: boolean[] = []
  let isKey = false
  let isModel = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) {
      const to = endOfText(json, at)
      if (isKey) isModel = isObject.length <= deepest && isNameOfModel(json, at, to)
      else if (isModel) yield { from: at, to }
      at = to - 1
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      isKey = byte === OPEN_OBJECT
      isObject.push(isKey)
      isModel = false
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      isObject.pop()
      isModel = false
    } else if (byte === COMMA) {
      isKey = isObject.at(-1) === true
      isModel = false
    } else if (byte === COLON) isKey = false
  }
}

function isNameOfModel(json: Uint8Array, from: number, to: number): boolean {
  const size = to - from
  const first = json[from + 1]
  if (size < SHORTEST || size > LONGEST || !FIRST.includes(first as number)) return false
  return (JSON.parse(textOf(json, from, to)) as string).toLowerCase() === 'model'
}

/** Behind the quote that ends a text. */
function endOfText(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(QUOTE, from + 1); at > 0; at = json.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (json[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return json.length
}

function textOf(json: Uint8Array, from: number, to: number): string {
  return decoder.decode(json.subarray(from, to))
}
