/**
 * An answer on its way from the provider to the client.
 * @module
 */

import type { Patience } from './patience.js'
import type { SecretFilter } from './redact.js'

/** How an answer ended: handed over whole, given up by the client, or broken off by the provider. */
export type Ending = 'complete' | 'cancelled' | 'cut'

/** What goes along with an answer. */
export interface Relay {
  readonly patience: Patience
  /** How long the provider may say nothing while the client waits, in milliseconds. */
  readonly idleMs: number
  readonly filter: SecretFilter
  /** Called once, after the last byte. */
  readonly ended: (how: Ending) => void
}

/**
 * The body as it comes: chunk by chunk, each only when the client asks for it, so that a slow client slows the
 * provider down and costs no memory.
 */
export function relayed(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  relay: Relay,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { patience, idleMs, filter, ended } = relay
  const reader = body.getReader()
  let isLeft = false
  const next = async () => {
    patience.wait(idleMs, 'nothing more')
    try {
      return await reader.read()
    } finally {
      patience.got()
    }
  }
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await next()
            if (isLeft) return
            const clean = done ? filter.rest() : filter.push(value)
            if (clean !== undefined && clean.byteLength > 0) controller.enqueue(clean)
            if (done) {
              controller.close()
              return ended('complete')
            }
            // Of a chunk that is held back nothing was enqueued, and nobody would ask again.
            if (clean !== undefined && clean.byteLength > 0) return
          }
        } catch (error) {
          if (isLeft) return
          ended('cut')
          controller.error(error)
        }
      },
      async cancel(reason) {
        isLeft = true
        try {
          await reader.cancel(reason)
        } finally {
          patience.stop()
          ended('cancelled')
        }
      },
    },
    { highWaterMark: 0 },
  )
}
