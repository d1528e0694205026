/**
 * All rows of a provider, wherever they come from: the options, the loader, or the provider-level key.
 * @module
 */

import { loadFailed } from './errors.js'
import { inlineRows } from './inline.js'
import { andThen, type Eventually, isPromise, type PreparedRow, prepareRows } from './loading.js'
import type { KeyPoolOptions } from './option-types.js'
import type { Provider } from './provider.js'
import { fromEnvironment } from './secrets.js'

/** All rows of a load. */
export interface Rows {
  readonly rows: readonly PreparedRow[]
  /** Whether they are the provider-level key. */
  readonly isFallback: boolean
}

/**
 * Asks for the rows of a provider; a promise when that takes time.
 *
 * @throws {@link KeyrotaError} `load_failed` when a callback failed, `invalid_rows` when it answered no list
 */
export function rowsOf(provider: Provider, options: KeyPoolOptions): Eventually<Rows> {
  const { resolveSecret = fromEnvironment, fallbackSecret } = options
  const asked = answerOf(provider, () => listedRows(provider, options))
  // As it is now: whatever comes in while the loader is at work counts as new.
  const known = provider.secretsById()
  const prepared = andThen(asked, (rows) => {
    return prepareRows(provider.name, rows, resolveSecret, known)
  })
  return andThen(prepared, (rows: PreparedRow[]): Eventually<Rows> => {
    if (rows.length > 0 || fallbackSecret === undefined) return { rows, isFallback: false }
    return andThen(
      answerOf(provider, () => fallbackSecret(provider.name)),
      (secret) => {
        if (secret === undefined || secret === null || secret === '') {
          return { rows, isFallback: false }
        }
        const row = { id: `${provider.name}:fallback`, label: 'provider-level key', secret }
        const only = prepareRows(provider.name, [row], resolveSecret, provider.secretsById())
        return andThen(only, (rows: PreparedRow[]) => ({ rows, isFallback: true }))
      },
    )
  })
}

/** The rows that the options or the loader have. */
function listedRows(provider: Provider, { credentials = {}, load }: KeyPoolOptions): unknown {
  if (provider.inline) return inlineRows(provider, credentials[provider.name] ?? [])
  return load === undefined ? [] : load(provider.name)
}

/** What a callback of the app answers; that it failed is told as a failed load. */
function answerOf(provider: Provider, ask: () => unknown): Eventually<unknown> {
  const fail = (error: unknown): never => {
    throw loadFailed(provider.name, error)
  }
  try {
    const answer = ask()
    return isPromise(answer) ? Promise.resolve(answer).catch(fail) : answer
  } catch (error) {
    return fail(error)
  }
}
