/**
 * Puts the secret of a lease where the provider expects it, in place of what the SDK put there.
 * @module
 */

import { type Api, apiOf } from './apis.js'

/** A request before it is sent: change the headers or the URL. */
export interface Outgoing {
  url: URL
  readonly headers: Headers
}

/** The headers that SDKs put keys into. */
const KEY_HEADERS = ['x-goog-api-key', 'x-api-key', 'api-key', 'authorization'] as const

/** Where an API expects its key when the SDK put none anywhere. */
const BY_API: Readonly<Record<Api, (typeof KEY_HEADERS)[number]>> = {
  anthropic: 'x-api-key',
  azure: 'api-key',
  gemini: 'x-goog-api-key',
  openai: 'authorization',
  vertex: 'authorization',
}

/** A subscription's token of Anthropic is no API key, and goes where tokens go. */
const ANTHROPIC_TOKEN = /^sk-ant-oat/

/** Where the SDK put its key. */
export interface Slot {
  readonly header?: (typeof KEY_HEADERS)[number]
  readonly inQuery: boolean
}

/** Takes out the keys that the SDK put into a request; answers where they stood. */
export function takeOut({ url, headers }: Outgoing, dialect: string): Slot {
  const header = KEY_HEADERS.find((name) => headers.has(name))
  // Elsewhere a parameter of that name is the app's own, unless the key stands nowhere else.
  const api = apiOf(dialect)
  const mayBeQuery = header === undefined || api === 'gemini' || api === 'vertex'
  const inQuery = mayBeQuery && url.search !== '' && url.searchParams.has('key')
  for (const name of KEY_HEADERS) headers.delete(name)
  if (inQuery) url.searchParams.delete('key')
  return { inQuery, ...(header !== undefined && { header }) }
}

/** Puts the secret where the SDK put its own key; where it put none, where the dialect expects it. */
export function place(
  outgoing: Outgoing,
  secret: string,
  dialect: string,
  { header, inQuery }: Slot = takeOut(outgoing, dialect),
): void {
  if (inQuery) outgoing.url.searchParams.set('key', secret)
  if (inQuery && header === undefined) return
  let name = header ?? BY_API[apiOf(dialect)]
  if (name === 'x-api-key' && ANTHROPIC_TOKEN.test(secret)) name = 'authorization'
  outgoing.headers.set(name, name === 'authorization' ? `Bearer ${secret}` : secret)
}
