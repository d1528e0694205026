/**
 * The check of the options of `pooledFetch`.
 * @module
 */

import { Options } from 'keyrota'

const { anyCallback, fields, nonEmptyText, numberFrom, wholeFrom, yesOrNo } = Options

const check = fields({
  provider: nonEmptyText,
  dialect: nonEmptyText,
  session: anyCallback,
  inject: anyCallback,
  fetch: anyCallback,
  maxAttempts: wholeFrom(1),
  maxWaitMs: wholeFrom(0),
  timeoutMs: wholeFrom(1),
  maxBufferedBytes: wholeFrom(0),
  idempotent: yesOrNo,
  retryEmptyResponses: yesOrNo,
  retryBudget: fields({ share: numberFrom(0, 10), reserve: wholeFrom(0) }),
})

/** Throws at the first wrong or unknown option. */
export function checkOptions(options: unknown): void {
  check('', options ?? null)
  if ((options as { provider?: unknown }).provider === undefined)
    nonEmptyText('provider', undefined)
}
