/**
 * The client protocols: what differs between them for a gateway.
 * @module
 */

import type { Protocol } from 'keyrota'
import { type Api, apiOf } from '../fetch/apis.js'
import { type Outgoing, place } from '../fetch/inject.js'

/** What is known of each protocol. */
interface Facts {
  /** The API whose errors its clients read, and whose way to send a key its servers know. */
  readonly api: Api
  /** Where its servers list their models. */
  readonly models: string
}

const FACTS: Readonly<Record<Protocol, Facts>> = {
  'openai-chat': { api: 'openai', models: '/v1/models' },
  'openai-responses': { api: 'openai', models: '/v1/models' },
  'anthropic-messages': { api: 'anthropic', models: '/v1/models' },
  gemini: { api: 'gemini', models: '/v1beta/models' },
}

/** All of them. */
export const PROTOCOLS = Object.keys(FACTS) as [Protocol, ...Protocol[]]

/** The API of a protocol; it is also the dialect of a group that names none. */
export function apiOfProtocol(protocol: Protocol): Api {
  return FACTS[protocol].api
}

/** The path of a protocol's list of models. */
export function modelsPath(protocol: Protocol): string {
  return FACTS[protocol].models
}

/**
 * The address of a group's server for a path of a protocol. When the base address ends in a version, such as
 * `/v1` or `/api/paas/v4`, that one stands in place of the protocol's own.
 *
 * @param path - begins with the protocol's version: `/v1/messages`
 * @param query - the client's; what the base address asks for goes before it
 */
export function upstreamUrl(baseUrl: string, path: string, query?: URLSearchParams): URL {
  const url = new URL(baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  const hasVersion = /\/v\d+[a-z\d.]*$/i.test(base)
  url.pathname = base + (hasVersion ? path.replace(/^\/[^/]+/, '') : path)
  const own = new URLSearchParams(url.search)
  query?.forEach((value, name) => {
    if (!own.has(name)) url.searchParams.append(name, value)
  })
  return url
}

/** Puts the secret where servers of the protocol expect it, unless the dialect has a place of its own. */
export function placeFor(
  protocol: Protocol,
  dialect: string,
  outgoing: Outgoing,
  secret: string,
): void {
  const api = apiOf(dialect)
  const hasOwn = api === 'azure' || api === 'vertex'
  place(outgoing, secret, hasOwn ? dialect : apiOfProtocol(protocol))
}
