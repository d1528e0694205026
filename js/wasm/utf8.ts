/**
 * UTF-8 where the platform has no `TextDecoder`, as in Jest's jsdom. The build gives the glue these
 * two in place of the globals.
 * @module
 */

interface Decoder {
  decode(bytes?: Uint8Array): string
}

interface Encoder {
  encode(text: string): Uint8Array
}

const platform: {
  TextDecoder?: new (label?: string, options?: { ignoreBOM?: boolean }) => Decoder
  TextEncoder?: new () => Encoder
} = globalThis

/** Reads what the core wrote, which is always well formed. */
class Utf8Decoder implements Decoder {
  decode(bytes: Uint8Array = new Uint8Array()): string {
    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`)
    return decodeURIComponent(escaped.join(''))
  }
}

/** Halves of a character become the replacement character, as the standard has it. */
class Utf8Encoder implements Encoder {
  encode(text: string): Uint8Array {
    const escaped = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))
    const units = escaped.match(/%..|./g) ?? []
    return Uint8Array.from(units, (unit) =>
      unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16),
    )
  }
}

/** The platform's, if it has one. */
export const TextDecoder: new (label?: string, options?: { ignoreBOM?: boolean }) => Decoder =
  platform.TextDecoder ?? Utf8Decoder

/** The platform's, if it has one. */
export const TextEncoder: new () => Encoder = platform.TextEncoder ?? Utf8Encoder
