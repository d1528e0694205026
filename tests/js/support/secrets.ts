import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'vitest'

/** A secret that occurs nowhere else, to be looked for in whatever is emitted. */
export function markedSecret(): string {
  return `sk-${randomBytes(30).toString('base64url')}`
}

/** Whatever a program may print, store or send of a value. */
export function everythingShownOf(value: unknown): string[] {
  const shown = [
    inspect(value, { depth: null, showHidden: true, getters: true, maxArrayLength: null }),
    inspect(value, { depth: null }),
    JSON.stringify(value) ?? '',
    text(() => String(value)),
    text(() => `${Object.prototype.toString.call(value)}`),
    text(() => inspect(structuredClone(value), { depth: null, showHidden: true })),
  ]
  if (value instanceof Error) {
    shown.push(value.message, value.stack ?? '', ...everythingShownOf({ ...value }))
    if (value.cause !== undefined) shown.push(...everythingShownOf(value.cause))
  }
  if (typeof value === 'object' && value !== null) {
    shown.push(inspect(Object.entries(Object.getOwnPropertyDescriptors(value)), { depth: null }))
  }
  return shown
}

function text(make: () => string): string {
  try {
    return make()
  } catch {
    return '' // what cannot be cloned or written is not shown
  }
}

/** Fails when the secret, its beginning or its end occurs in what is shown of any of the values. */
export function expectHidden(secrets: readonly string[], values: readonly unknown[]): void {
  for (const value of values) {
    for (const shown of everythingShownOf(value)) {
      for (const secret of secrets) {
        // The prefix that all secrets have tells nothing.
        const bare = secret.replace(/^sk-/, '')
        for (const part of [bare, bare.slice(0, 8), bare.slice(-8)]) {
          expect(shown.includes(part), `${part} occurs in ${shown.slice(0, 500)}`).toBe(false)
        }
      }
    }
  }
}
