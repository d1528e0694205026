/**
 * Keeps the secret out of what is told of a request.
 * @module
 */

/** How deep an error's causes are looked at. */
const MOST_DEPTH = 5

/** A URL as it may be shown: the secret may stand in its query. */
export function shownUrl(url: string, secret: string): string {
  return url.includes('?') ? hidden(url, secret) : url
}

/** Shows a URL of a response, its own or another one, without the secret. Answers the response. */
export function showUrl(response: Response, url: string, secret: string): Response {
  const shown = shownUrl(url, secret)
  if (shown !== response.url) Object.defineProperty(response, 'url', { value: shown })
  return response
}

/** A network error may quote the URL, and the URL may have the key. Answers the error, changed in place. */
export function withoutSecret(error: unknown, secret: string, depth = 0): unknown {
  if (!(error instanceof Error) || depth >= MOST_DEPTH) return error
  for (const field of Object.getOwnPropertyNames(error)) {
    const { value, configurable } = Object.getOwnPropertyDescriptor(error, field) ?? {}
    if (typeof value !== 'string') continue
    const text = hidden(value, secret)
    if (text !== value && configurable) Object.defineProperty(error, field, { value: text })
  }
  const { errors } = error as { errors?: unknown }
  for (const one of Array.isArray(errors) ? errors : []) withoutSecret(one, secret, depth + 1)
  withoutSecret(error.cause, secret, depth + 1)
  return error
}

function hidden(text: string, secret: string): string {
  if (secret === '') return text
  const inQuery = new URLSearchParams({ k: secret }).toString().slice(2)
  return text
    .replaceAll(secret, '…')
    .replaceAll(inQuery, '…')
    .replaceAll(encodeURIComponent(secret), '…')
}
