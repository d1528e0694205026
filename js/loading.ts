/**
 * Rows of a loader, made ready for the core: the secret is taken out, resolved and checked here.
 * @module
 */

import { KeyrotaError } from './errors.js'
import { cleaned, variableOf } from './secrets.js'
import type { Credential } from './types.js'

/** A row without its secret, with what the core must know of it. */
export interface PreparedRow {
  /** What the core reads. */
  readonly row: unknown
  /** The usable secret; absent when there is none. */
  readonly secret?: string
  /** Why there is none, when it could not be resolved. */
  readonly unresolved?: { readonly variable: string | null; readonly message: string }
}

type Resolve = (secret: string) => unknown

/** Either a value or the promise of one: what is known now is used now. */
export type Eventually<T> = T | Promise<T>

/** Goes on with a value now, or when it comes. */
export function andThen<T, U>(
  value: T | PromiseLike<T>,
  next: (value: T) => Eventually<U>,
): Eventually<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}

/** Takes the secrets out of a loader's rows. `known` has the secrets that ids had before. */
export function prepareRows(
  provider: string,
  rows: unknown,
  resolve: Resolve,
  known: ReadonlyMap<string, string>,
): Eventually<PreparedRow[]> {
  if (!isList(rows)) {
    throw new KeyrotaError('invalid_rows', `load('${provider}') must answer a list of rows`, {
      provider,
    })
  }
  const prepared = Array.from(rows, (row) => prepareRow(row, resolve, known))
  return prepared.some(isPromise) ? Promise.all(prepared) : (prepared as PreparedRow[])
}

function prepareRow(
  row: unknown,
  resolve: Resolve,
  known: ReadonlyMap<string, string>,
): Eventually<PreparedRow> {
  const fields = readFields(row)
  if (fields === undefined) return { row: null }
  const { secret: raw, ...rest } = fields
  if (typeof raw !== 'string' || raw.trim() === '') return finish(rest, raw, known)
  const resolved = attempt(() => resolve(raw))
  return andThen(resolved, (value) =>
    value instanceof Fault || value === undefined || value === null || value === ''
      ? { row: { ...rest, secretUnresolved: true }, unresolved: whyUnresolved(raw) }
      : finish(rest, value, known),
  )
}

/** What the core may see, and the secret; other columns of the row stay where they are. */
function readFields(row: unknown): Record<string, unknown> | undefined {
  if (typeof row !== 'object' || row === null || isList(row)) return undefined
  try {
    const { id, secret, label, enabled, weight, order, priority, secretVersion } = row as Credential
    const { models, quotaGroup, refreshable, maxConcurrent, kind, authorized } = row as Credential
    // A list is copied here, so that nothing of the row can run while the core reads it.
    const list = isList(models) ? Array.from(models) : models
    const named = { id, secret, label, enabled, weight, order, priority, models: list }
    return { ...named, quotaGroup, refreshable, secretVersion, maxConcurrent, kind, authorized }
  } catch {
    return undefined // a getter of the row, or a proxy, that throws
  }
}

function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    return false // a proxy that was revoked
  }
}

function finish(
  row: Record<string, unknown>,
  value: unknown,
  known: ReadonlyMap<string, string>,
): PreparedRow {
  const result = cleaned(value)
  if ('rule' in result) return { row: { ...row, secretRule: result.rule } }
  const { secret } = result
  const before = typeof row['id'] === 'string' ? known.get(row['id'].trim()) : undefined
  return { row: { ...row, secretChanged: before !== undefined && before !== secret }, secret }
}

function whyUnresolved(raw: string): { variable: string | null; message: string } {
  const variable = variableOf(raw)
  const message =
    variable === null
      ? 'resolveSecret found no secret'
      : `the environment variable ${variable} is not set`
  return { variable, message }
}

/** What a resolver threw. It is not shown, since it may quote the secret. */
class Fault {}

function attempt(call: () => unknown): unknown {
  try {
    const result = call()
    return isPromise(result) ? Promise.resolve(result).catch(() => new Fault()) : result
  } catch {
    return new Fault()
  }
}

/** Whether a value is to be waited for. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}
