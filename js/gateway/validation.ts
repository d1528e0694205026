/**
 * Finds out whether a key that was taken for dead works again.
 * @module
 */

import type { ValidatedLease } from 'keyrota'
import { openBody } from '../fetch/answer.js'
import { modelsPath, placeFor, upstreamUrl } from './protocols.js'
import type { State } from './state.js'

/** What is read of an answer, and how long the provider has for it. */
const MOST_BYTES = 65_536
const MOST_MS = 30_000

/** Nothing is known of the key, which stays as it is. */
function unknown(why: string): DOMException {
  return new DOMException(why, 'AbortError')
}

/** What the router validates a credential with: it lists the models, which costs nothing, or as its group says. */
export function validation(
  state: () => State,
  dialectOf: (group: string) => string,
  send: (url: string, init: RequestInit) => Promise<Response>,
): (lease: ValidatedLease) => Promise<object> {
  return async ({ provider: group, secret }) => {
    const found = state().groups.get(group)
    const [protocol] = found?.protocols ?? []
    if (found === undefined || protocol === undefined) throw unknown('its group is gone')
    const { baseUrl, validatePath: path = modelsPath(protocol) } = found
    if (path === null) throw unknown('nothing tells')
    const outgoing = {
      url: upstreamUrl(baseUrl, path),
      headers: new Headers(),
    }
    if (protocol === 'anthropic-messages') outgoing.headers.set('anthropic-version', '2023-06-01')
    placeFor(protocol, dialectOf(group), outgoing, secret)
    const response = await send(outgoing.url.href, {
      headers: outgoing.headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(MOST_MS),
    })
    const { bytes, isWhole, body } = await openBody(response, { bytes: MOST_BYTES, ms: MOST_MS })
    if (!isWhole) (body as ReadableStream).cancel().catch(() => {})
    const { status } = response
    if (status === 404 || status === 405) throw unknown('there is nothing at that path')
    return { status, headers: response.headers, body: bytes }
  }
}
