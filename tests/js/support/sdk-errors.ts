/**
 * What the official SDKs throw, as their classes make it: the fields that are read, where they keep them.
 * @module
 */

import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'

/** What a provider answered. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

/** `openai`, the real class: `error` is what stands under `error` in the body. */
export function openAiError({ status, headers, body }: Answer): Error {
  return APIError.generate(status, body, undefined, new Headers(headers))
}

export const openAiConnection = (cause: Error): Error => new APIConnectionError({ cause })
export const openAiTimeout = (): Error => new APIConnectionTimeoutError()
export const openAiAbort = (): Error => new APIUserAbortError()

class AnthropicApiError extends Error {
  readonly status: number
  readonly headers: Headers
  readonly error: object
  readonly requestID: string | null

  constructor({ status, headers, body }: Answer) {
    super(`${status} ${JSON.stringify(body)}`)
    this.status = status
    this.headers = new Headers(headers)
    this.requestID = this.headers.get('request-id')
    this.error = body
  }
}

/** `@anthropic-ai/sdk`: `error` is the whole body. */
export const anthropicError = (answer: Answer): Error => new AnthropicApiError(answer)

class GoogleApiError extends Error {
  readonly status: number

  constructor({ status, body }: Answer) {
    super(JSON.stringify(body))
    this.name = 'ApiError'
    this.status = status
  }
}

/** `@google/genai`: the message is the body, and there are no headers. */
export const googleError = (answer: Answer): Error => new GoogleApiError(answer)

class AiSdkApiCallError extends Error {
  readonly url = 'https://api.example.com/v1'
  readonly requestBodyValues = { prompt: 'Hello' }
  readonly statusCode: number
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
  readonly isRetryable = false
  readonly data: unknown

  constructor({ status, headers = {}, body }: Answer) {
    super('the request failed')
    this.name = 'AI_APICallError'
    this.statusCode = status
    this.responseHeaders = headers
    this.responseBody = JSON.stringify(body)
    this.data = body
  }
}

/** `ai`: status, headers and body under names of their own. */
export const aiSdkError = (answer: Answer): Error => new AiSdkApiCallError(answer)

/** `axios`: everything under `response`, and a code of its own beside it. */
export function axiosError({ status, headers = {}, body }: Answer, secret = 'sk-other'): Error {
  const config = { headers: { authorization: `Bearer ${secret}` }, url: '/v1' }
  const error = new Error(`Request failed with status code ${status}`)
  const code = status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST'
  const response = { status, statusText: '', headers, data: body, config, request: {} }
  return Object.assign(error, { name: 'AxiosError', code, config, request: {}, response, status })
}
