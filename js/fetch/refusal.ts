/**
 * A refusal of the pool as the response that an SDK knows how to read.
 * @module
 */

import type { ErrorData } from 'keyrota'
import { apiOf } from './apis.js'
import { errorResponse } from './shapes.js'

/** When to ask again for room, which nobody knows: attempts end all the time. */
const ROOM_AFTER_MS = 1_000

/** When it may help to ask again, in milliseconds; `null` when time does not help. */
export function askAgainIn({ explanation, atCapacity, retryAfterMs }: ErrorData): number | null {
  return (atCapacity || explanation?.atCapacity ? ROOM_AFTER_MS : retryAfterMs) ?? null
}

/** The answer when no credential can serve: a rate limit with its time, or that the service is away. */
export function refusalResponse(error: ErrorData, dialect: string): Response {
  const { code, message } = error
  const retryAfterMs = askAgainIn(error)
  const status = retryAfterMs === null ? 503 : 429
  return errorResponse(apiOf(dialect), { status, code, message, retryAfterMs })
}
