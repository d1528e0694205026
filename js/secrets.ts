/**
 * Secrets: where they come from, and what makes one usable.
 *
 * @remarks Nothing here shows a value: rules and messages speak of names and lengths.
 * @module
 */

const REFERENCE = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/

/** The variable that `$NAME` or `${NAME}` names; `null` when the text is no reference. */
export function variableOf(secret: string): string | null {
  const match = REFERENCE.exec(secret.trim())
  return match?.[1] ?? match?.[2] ?? null
}

/** The default of `resolveSecret`: references are read from the environment, the rest is the key. */
export function fromEnvironment(secret: string): string | undefined {
  const variable = variableOf(secret)
  if (variable === null) return secret
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const value = process?.env?.[variable]
  // A name such as `constructor` finds what every object has.
  return typeof value === 'string' ? value : undefined
}

/** A secret that can stand in a header, or the rule that it breaks. */
export type Cleaned = { readonly secret: string } | { readonly rule: string }

/**
 * Trims a secret and checks that it can stand in a header.
 *
 * @remarks A pasted newline is the most common mistake; an ellipsis or a blank inside means that the
 * key was not copied whole. RFC 9110 section 5.5 allows more, but no provider's key uses it.
 */
export function cleaned(value: unknown): Cleaned {
  if (typeof value !== 'string') return { rule: 'must be a text' }
  const secret = value.trim()
  if (secret === '') return { rule: 'must not be empty' }
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    return {
      rule: `must be of visible ASCII characters without blanks (it has ${secret.length} characters)`,
    }
  }
  if (secret.includes(',')) return { rule: 'must be one key: it has a comma' }
  return { secret }
}

/** What sub-entries read secrets with. @internal */
export const Secrets: {
  readonly cleaned: typeof cleaned
  readonly variableOf: typeof variableOf
} = { cleaned, variableOf }
