/**
 * Credentials that stand in the options.
 * @module
 */

import { KeyrotaError } from './errors.js'
import type { Provider } from './provider.js'
import type { Credential, InlineCredential } from './types.js'

/** The rows of a provider, each with an id, and with the newest secret that is known of it. */
export function inlineRows(provider: Provider, list: readonly InlineCredential[]): Credential[] {
  return list.map((entry, at) => {
    const id = `${provider.name}-${at + 1}`
    const row = typeof entry === 'string' ? { id, secret: entry } : { ...entry, id: entry.id ?? id }
    const renewed = provider.renewed.get(row.id)
    return renewed === undefined ? row : { ...row, secret: renewed }
  })
}

/** A credential in the options that breaks a rule. */
export function invalidInline(
  provider: string,
  row: number,
  field: string,
  rule: string,
): KeyrotaError {
  const path = `credentials.${provider}[${row}].${field}`
  return new KeyrotaError('invalid_option', `${path} ${rule}`, { path, rule })
}
