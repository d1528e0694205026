/**
 * What a gateway answers, and where at the provider each request goes.
 * @module
 */

import type { Protocol } from 'keyrota'
import { asInPath, atTop, type Naming } from './alias.js'
import { Refused } from './failures.js'
import { type IntakeLimits, type JsonBody, readJson } from './intake.js'

/** A path of a protocol. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** As hono writes it. */
  readonly path: string
  readonly protocol: Protocol
  /** Whether doing it twice changes nothing and costs nothing. */
  readonly isPure?: boolean
  readonly read: (asked: Arrived) => Promise<Asked>
}

/** A request of a client, as it arrived. */
export interface Arrived {
  readonly request: Request
  readonly url: URL
  readonly route: Route
  /** The part of the path that is a name. */
  readonly name: string | undefined
  readonly limits: IntakeLimits
}

/** What is asked of a provider. */
export interface Asked {
  /** As the client names it. */
  readonly model: string | undefined
  /** The response that is asked for, when it stands in the path. */
  readonly stored?: string
  /** Others that it may be answered by, as the provider names them. */
  readonly fallbacks?: readonly unknown[]
  readonly body: JsonBody | undefined
  /** The path at the provider, which has another name for the model. */
  readonly pathFor: (model: string | undefined) => string
  /** Where the model's name is put into the body. */
  readonly naming: (model: string) => Naming
}

const post = (path: string, protocol: Protocol, isPure = false): Route => {
  return { method: 'POST', path, protocol, isPure, read: readWithModel }
}
const stored = (method: Route['method'], path: string): Route => {
  return { method, path, protocol: 'openai-responses', read: readStored }
}

/** The part of a path that is a name, as hono writes it. */
export const NAME: RegExp = /:name(?:\{.+\})?/

/** All that go to a provider. */
export const ROUTES: readonly Route[] = [
  post('/v1/chat/completions', 'openai-chat'),
  post('/v1/embeddings', 'openai-chat'),
  post('/v1/responses', 'openai-responses'),
  post('/v1/responses/compact', 'openai-responses'),
  post('/v1/responses/input_tokens', 'openai-responses', true),
  stored('GET', '/v1/responses/:name'),
  stored('DELETE', '/v1/responses/:name'),
  stored('POST', '/v1/responses/:name/cancel'),
  stored('GET', '/v1/responses/:name/input_items'),
  post('/v1/messages', 'anthropic-messages'),
  post('/v1/messages/count_tokens', 'anthropic-messages', true),
  // A name of a model may have slashes.
  { method: 'POST', path: '/v1beta/models/:name{.+}', protocol: 'gemini', read: readGemini },
]

/** Where the models are listed: by clients of OpenAI and of Anthropic at the same place. */
export const MODEL_LISTS = ['/v1/models', '/v1beta/models'] as const

/** The protocol in whose shape an error at that path is told. */
export function protocolAt(url: URL, headers: Headers): Protocol {
  if (url.pathname.startsWith('/v1beta/')) return 'gemini'
  if (url.pathname.startsWith('/v1/messages')) return 'anthropic-messages'
  if (url.pathname.startsWith('/v1/responses')) return 'openai-responses'
  // Only Anthropic's clients say which of its versions they speak.
  return headers.has('anthropic-version') ? 'anthropic-messages' : 'openai-chat'
}

/** The model is named in the body. */
async function readWithModel({ request, route, limits }: Arrived): Promise<Asked> {
  const body = await readJson(request, limits)
  const { model, models } = body.json
  if (typeof model !== 'string' || model === '') {
    throw new Refused('invalid_request', 'The body must name a model.', { param: 'model' })
  }
  // OpenRouter goes on with these.
  const fallbacks = Array.isArray(models) ? models : []
  return { model, fallbacks, body, pathFor: () => route.path, naming: atTop }
}

/** What was made before is named in the path. */
async function readStored({ route, name }: Arrived): Promise<Asked> {
  // Dots alone would name another path.
  if (name === undefined || !/^[\w-][\w.-]{0,255}$/.test(name)) throw nothingThere()
  const path = route.path.replace(NAME, name)
  return { model: undefined, stored: name, body: undefined, pathFor: () => path, naming: atTop }
}

const GEMINI_CALLS: ReadonlySet<string> = new Set([
  ...['generateContent', 'streamGenerateContent', 'countTokens'],
  ...['embedContent', 'batchEmbedContents'],
])

/** The model is named in the path, before what is asked of it. */
async function readGemini({ request, name = '', limits }: Arrived): Promise<Asked> {
  const [, model = '', call = ''] = /^(.+):(\w+)$/.exec(name) ?? []
  if (model === '' || !GEMINI_CALLS.has(call)) throw nothingThere()
  const body = await readJson(request, limits)
  return {
    model,
    body,
    pathFor: (upstream = model) => `/v1beta/models/${encodeURIComponent(upstream)}:${call}`,
    naming: (upstream) => asInPath(model, upstream),
  }
}

/** What is told of a path that does not exist. */
export function nothingThere(): Refused {
  return new Refused('not_found', 'There is nothing at this path.')
}
