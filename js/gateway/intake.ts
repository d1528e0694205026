/**
 * The body of a client's request: all of it, but no more and no longer than is allowed.
 * @module
 */

import { joined, readStart } from '../fetch/answer.js'
import { Refused } from './failures.js'

/** A body that is a JSON object, as bytes and as what they say. */
export interface JsonBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly json: Readonly<Record<string, unknown>>
}

/** How much is read, and for how long. */
export interface IntakeLimits {
  readonly bodyBytes: number
  readonly bodyMs: number
}

/**
 * Reads the body of a request.
 *
 * @throws {@link Refused} when it is too long, too slow, or no JSON object
 */
export async function readJson(request: Request, limits: IntakeLimits): Promise<JsonBody> {
  const bytes = await readBytes(request, limits)
  const json = parsed(bytes)
  if (json === undefined) throw new Refused('invalid_json', 'The body must be a JSON object.')
  return { bytes, json }
}

async function readBytes(
  request: Request,
  { bodyBytes, bodyMs }: IntakeLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = request.headers.get('content-encoding') ?? 'identity'
  if (coding.toLowerCase() !== 'identity') {
    throw new Refused('unsupported_encoding', 'The body must not be compressed.')
  }
  const tooLarge = () => {
    return new Refused('body_too_large', `The body may have ${bodyBytes} bytes at the most.`)
  }
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > bodyBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  // It is not cancelled when it is refused: in Node that would close the connection before the answer.
  const reader = request.body.getReader()
  const { chunks, isWhole, pending } = await readStart(reader, { bytes: bodyBytes, ms: bodyMs })
  const size = chunks.reduce((total, chunk) => total + chunk.byteLength, 0)
  // Some servers end the body of a client that went away as if that were all of it.
  if (isWhole && size >= announced && !request.signal.aborted) return joined(chunks)
  if (pending !== undefined) {
    pending.catch(() => {})
    throw new Refused('body_timeout', `The body did not come within ${bodyMs} ms.`)
  }
  if (size > bodyBytes) throw tooLarge()
  throw new Refused('client_closed', 'The connection broke before the body was here.')
}

function parsed(bytes: Uint8Array): JsonBody['json'] | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject ? (json as JsonBody['json']) : undefined
  } catch {
    return undefined
  }
}
