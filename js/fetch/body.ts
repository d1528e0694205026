/**
 * Request bodies: read once, sent as often as it takes.
 * @module
 */

import { passed } from './answer.js'

/** A body that can be sent again, or one that cannot. */
export interface RequestBody {
  /** The body for one attempt. */
  readonly next: () => BodyInit | null
  readonly replayable: boolean
  /** The body as a JSON object, when it is one. */
  readonly json: Readonly<Record<string, unknown>> | undefined
  /** Whether it is a stream, which `fetch` wants to be told. */
  readonly isStream: boolean
  /** The type of a form, whose boundary belongs to its bytes. */
  readonly contentType: string | undefined
}

const NO_BODY: RequestBody = {
  next: () => null,
  replayable: true,
  json: undefined,
  isStream: false,
  contentType: undefined,
}

/**
 * Reads the body of a request.
 *
 * @param most - how many bytes of a stream may be kept, so that it can be sent again
 */
export async function readBody(
  body: BodyInit | null | undefined,
  type: string,
  most: number,
): Promise<RequestBody> {
  if (body === null || body === undefined) return NO_BODY
  if (typeof body === 'string') return kept(body, /json/i.test(type) ? parsed(body) : undefined)
  if (body instanceof FormData) {
    // Encoded once: each encoding has a boundary of its own, and attempts must not differ.
    const encoded = new Response(body)
    const contentType = encoded.headers.get('content-type') ?? undefined
    // The slice has no type of its own, beside which workerd warns of the header.
    const model = body.get('model')
    const json = typeof model === 'string' ? { model } : undefined
    return { ...kept((await encoded.blob()).slice(), json), contentType }
  }
  if (!isStream(body)) {
    const isJson = /json/i.test(type) && (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
    return kept(body, isJson ? parsed(new TextDecoder().decode(body as ArrayBuffer)) : undefined)
  }
  return most > 0 && body instanceof ReadableStream ? readStream(body, type, most) : once(body)
}

/** Whether a body is gone when it was sent. Node also takes its own streams. */
function isStream(body: BodyInit): boolean {
  const { [Symbol.asyncIterator]: iterator } = body as Partial<AsyncIterable<unknown>>
  return body instanceof ReadableStream || typeof iterator === 'function'
}

/**
 * The body of a `Request`. What is text is read, since its stream is not the same: Chromium sends none by
 * HTTP/1.1, and Firefox has none.
 */
export async function bodyOf(asked: Request, type: string): Promise<BodyInit | null> {
  if (asked.body === null || asked.method === 'GET' || asked.method === 'HEAD') return null
  if (asked.body !== undefined && !/json|text|form/i.test(type)) return asked.body
  const bytes = await asked.arrayBuffer()
  return bytes.byteLength > 0 ? bytes : null
}

/** Keeps a stream if it is short enough; else what was read goes before the rest, and it is sent once. */
async function readStream(
  body: ReadableStream<Uint8Array>,
  type: string,
  most: number,
): Promise<RequestBody> {
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  while (size <= most) {
    const { done, value } = await reader.read()
    if (done) {
      const blob = new Blob(chunks)
      return kept(blob, /json/i.test(type) ? parsed(await blob.text()) : undefined)
    }
    chunks.push(value as Uint8Array<ArrayBuffer>)
    size += value.byteLength
  }
  return once(passed(chunks, reader))
}

function kept(body: BodyInit, json?: RequestBody['json']): RequestBody {
  return { next: () => body, replayable: true, json, isStream: false, contentType: undefined }
}

function once(body: BodyInit): RequestBody {
  return { ...NO_BODY, next: () => body, replayable: false, isStream: true }
}

function parsed(text: string): RequestBody['json'] {
  try {
    const json: unknown = JSON.parse(text)
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    return isObject ? (json as RequestBody['json']) : undefined
  } catch {
    return undefined // it is the provider's to say so
  }
}
