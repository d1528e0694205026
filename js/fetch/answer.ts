/**
 * Answers that come in one piece: how much of them is read, and how they are handed over.
 * @module
 */

/** The start of an answer's body, and the body for the caller. */
export interface OpenedBody {
  readonly bytes: Uint8Array
  /** Whether the bytes are all of it. */
  readonly isWhole: boolean
  readonly body: BodyInit | null
}

/** How much of a body is read, and how long it may take. */
export interface Limits {
  readonly bytes: number
  readonly ms?: number
}

/**
 * Reads the start of a body. What is longer or late is handed over as it comes, and so is what breaks off, if
 * it had a limited time: its status says enough.
 *
 * @throws what broke a body off that has as long as it takes
 */
export async function openBody(response: Response, limits: Limits): Promise<OpenedBody> {
  const { body, headers } = response
  if (body === null) return { bytes: new Uint8Array(), isWhole: true, body: null }
  const length = headers.get('content-length')
  if (limits.ms === undefined && length !== null && Number(length) <= limits.bytes) {
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { bytes, isWhole: true, body: bytes.byteLength === 0 ? null : bytes }
  }
  const reader = body.getReader()
  const { chunks, isWhole, pending, fault } = await readStart(reader, limits)
  // Of what must come whole nothing was handed over yet, so that it never came may still be told.
  if (limits.ms === undefined && fault !== undefined) throw fault.error
  const bytes = joined(chunks)
  if (isWhole) return { bytes, isWhole, body: bytes.byteLength === 0 ? null : bytes }
  return { bytes, isWhole, body: passed(chunks, reader, pending) }
}

type Read = Promise<ReadableStreamReadResult<Uint8Array>>

/** What was read of a body. */
interface Start {
  readonly chunks: Uint8Array[]
  readonly isWhole: boolean
  /** What was still awaited when the time was up. */
  readonly pending?: Read
  /** What broke it off. */
  readonly fault?: { readonly error: unknown }
}

/** Reads until the end, the limit or the time, whichever comes first. */
export async function readStart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { bytes: most, ms }: Limits,
): Promise<Start> {
  const chunks: Uint8Array[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    if (ms !== undefined) timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    for (let size = 0; size <= most; ) {
      const pending = reader.read()
      const next = await Promise.race([pending, late])
      if (next === undefined) return { chunks, isWhole: false, pending }
      if (next.done) return { chunks, isWhole: true }
      chunks.push(next.value)
      size += next.value.byteLength
    }
  } catch (error) {
    return { chunks, isWhole: false, fault: { error } }
  } finally {
    clearTimeout(timer)
  }
  return { chunks, isWhole: false }
}

/** What was read, then the rest as it comes. */
export function passed(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
  pending?: Read,
): ReadableStream<Uint8Array> {
  const held = [...chunks]
  let waiting = pending
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const first = held.shift()
        if (first !== undefined) return controller.enqueue(first)
        const next = waiting ?? reader.read()
        waiting = undefined
        const { done, value } = await next
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Chunks as one. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
