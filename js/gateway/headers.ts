/**
 * Which headers go through a gateway, in both directions.
 * @module
 */

import { KEY_HEADERS } from './access.js'

/** Of one connection, not of the message (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]

/** What the sender of the next message says anew. */
const OF_THE_MESSAGE = ['host', 'content-length', 'accept-encoding', 'expect']

/** What tells of the client, its browser and its way here, and is not the provider's to know. */
const OF_THE_CLIENT = [
  ...['cookie', 'forwarded', 'via', 'x-real-ip', 'true-client-ip', 'cdn-loop', 'x-client-ip'],
  ...['origin', 'referer', 'x-request-id'],
]
const OF_THE_CLIENT_BY_PREFIX = /^(?:cf-|x-forwarded-|sec-|x-keyrota-)/

const NOT_SENT = new Set<string>([
  ...[...HOP_BY_HOP, ...OF_THE_MESSAGE, ...OF_THE_CLIENT, ...KEY_HEADERS],
])

/** What tells of the connection to the provider, or of its web site. */
const OF_THE_PROVIDER = [
  ...['set-cookie', 'content-length', 'content-encoding', 'server', 'via', 'alt-svc', 'nel'],
  ...['report-to', 'strict-transport-security', 'x-powered-by'],
]

/**
 * What tells of the credential's account: the next request may be served by another, so a client that goes by
 * such limits would go by the wrong ones.
 */
const OF_THE_ACCOUNT = /(?:^|-)ratelimit-|^(?:openai|anthropic)-(?:organization|project)(?:-id)?$/
const OF_THE_PROVIDER_BY_PREFIX = /^(?:cf-|access-control-|x-keyrota-)/

const NOT_RETURNED = new Set<string>([...HOP_BY_HOP, ...OF_THE_PROVIDER])

/** The headers that go to the provider. No key is among them. */
export function forUpstream(headers: Headers): Headers {
  const named = namedByConnection(headers)
  const sent = new Headers()
  for (const [name, value] of entries(headers)) {
    if (NOT_SENT.has(name) || named.has(name) || OF_THE_CLIENT_BY_PREFIX.test(name)) continue
    sent.append(name, value)
  }
  return sent
}

/**
 * The headers that go to the client: none that has the secret in it. The provider's own `x-request-id`, which
 * its support asks for, is told as `x-upstream-request-id`.
 */
export function forClient(headers: Headers, secret: string): Headers {
  const named = namedByConnection(headers)
  const returned = new Headers()
  for (const [name, value] of entries(headers)) {
    if (NOT_RETURNED.has(name) || named.has(name)) continue
    if (OF_THE_ACCOUNT.test(name) || OF_THE_PROVIDER_BY_PREFIX.test(name)) continue
    if (secret !== '' && value.includes(secret)) continue
    returned.append(name === 'x-request-id' ? 'x-upstream-request-id' : name, value)
  }
  return returned
}

/** The id of a request: the client's, if it can stand in a header and a log, else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id') ?? ''
  return /^[\x21-\x7e]{1,128}$/.test(given) ? given : crypto.randomUUID()
}

function namedByConnection(headers: Headers): Set<string> {
  const names = headers.get('connection')?.toLowerCase().split(',') ?? []
  return new Set(names.map((name) => name.trim()))
}

function entries(headers: Headers): [string, string][] {
  const list: [string, string][] = []
  headers.forEach((value, name) => {
    list.push([name, value])
  })
  return list
}
