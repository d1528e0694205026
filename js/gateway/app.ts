/**
 * The paths of a gateway, and who may use them.
 * @module
 */

import { type Context, Hono } from 'hono'
import type { Protocol } from 'keyrota'
import { presentedKey } from './access.js'
import type { AccessKeyConfig } from './config.js'
import type { GatewayEvent } from './events.js'
import { denied, failure, Refused, refusedBy, statusOf } from './failures.js'
import { requestIdOf } from './headers.js'
import { listedWith, modelList, modelObject } from './listing.js'
import { RequestLog } from './log.js'
import { type Host, Passage } from './passage.js'
import { apiOfProtocol } from './protocols.js'
import {
  type Asked,
  MODEL_LISTS,
  NAME,
  nothingThere,
  protocolAt,
  ROUTES,
  type Route,
} from './routes.js'
import { modelsFor, type State, whyNot } from './state.js'

/** What the paths need. */
export interface AppHost extends Host {
  readonly now: () => number
  readonly onEvent: ((event: GatewayEvent) => void) | undefined
  readonly isDisposed: () => boolean
}

/** One request, whatever it is for. */
interface Call {
  readonly request: Request
  readonly url: URL
  readonly protocol: Protocol
  readonly log: RequestLog
  /** What counted when it came. */
  readonly state: State
}

/** Makes the app. */
export function appOf(host: AppHost): Hono {
  const app = new Hono()
  const methods = new Map<string, string[]>()
  const on = (method: string, path: string, handle: (context: Context) => Promise<Response>) => {
    app.on(method, path, handle)
    methods.set(path, [...(methods.get(path) ?? []), method])
  }
  on('GET', '/healthz', async (context) => {
    const status = host.isDisposed() ? 'shutting_down' : 'ok'
    return context.json({ status, ...host.state().counts }, host.isDisposed() ? 503 : 200)
  })
  for (const route of ROUTES) {
    on(route.method, route.path, (context) =>
      answer(host, context.req.raw, route.protocol, (call) =>
        pass(host, call, route, nameIn(call, route)),
      ),
    )
  }
  for (const path of MODEL_LISTS) {
    on('GET', path, (context) =>
      answer(host, context.req.raw, undefined, (call) => list(host, call)),
    )
    // A name of a model may have slashes.
    on('GET', `${path}/*`, (context) => {
      return answer(host, context.req.raw, undefined, (call) => show(host, call, path))
    })
  }
  for (const [path, known] of methods) {
    app.all(path, (context) => {
      return answer(host, context.req.raw, undefined, async () => {
        const headers = { allow: known.join(', ') }
        throw new Refused('method_not_allowed', 'The path does not know this method.', { headers })
      })
    })
  }
  // What fails where there is no request to tell it of, such as a clock of the host.
  app.onError((error, { req: { raw } }) => {
    const protocol = protocolAt(new URL(raw.url), raw.headers)
    return failure(refusedBy(error), protocol, requestIdOf(raw.headers))
  })
  app.notFound((context) => {
    return answer(host, context.req.raw, undefined, async () => {
      throw nothingThere()
    })
  })
  return app
}

/** Answers a request; whatever goes wrong is told in the shape that its client reads. */
async function answer(
  host: AppHost,
  request: Request,
  of: Protocol | undefined,
  make: (call: Call) => Promise<Response>,
): Promise<Response> {
  const url = new URL(request.url)
  const protocol = of ?? protocolAt(url, request.headers)
  const requestId = requestIdOf(request.headers)
  const log = new RequestLog(
    { requestId, protocol, method: request.method },
    host.onEvent,
    host.now,
  )
  try {
    if (host.isDisposed()) throw new Refused('shutting_down', 'The gateway is shutting down.')
    return await make({ request, url, protocol, log, state: host.state() })
  } catch (error) {
    const refused = refusedBy(error)
    const isFault = refused.code === 'internal_error' && error instanceof Error
    log.end({
      status: statusOf(refused),
      group: null,
      errorCode: refused.code,
      ended: refused.code === 'client_closed' ? 'cancelled' : 'complete',
      ...(isFault && { message: error.message }),
    })
    return failure(refused, protocol, requestId)
  }
}

/** Passes a request on to a provider. */
async function pass(
  host: AppHost,
  call: Call,
  route: Route,
  name: string | undefined,
): Promise<Response> {
  const { request, url, log, state } = call
  const accessKey = await authenticated(host, call)
  const limits = { bodyBytes: state.bodyBytes, bodyMs: state.timeouts.bodyMs }
  const arrived = { request, url, route, name, limits }
  const asked = await route.read(arrived)
  log.about(asked.model)
  const { models } = accessKey
  const mayAsk = (model: unknown) => models?.some((one) => one === model) ?? true
  if (asked.fallbacks?.every(mayAsk) === false) throw denied('model_not_allowed')
  if (state.ownOnly && continuesTwo(asked)) {
    throw new Refused('invalid_request', 'The body may continue one thing alone.')
  }
  return new Passage(host, state, accessKey.id, arrived, asked, log).send()
}

/** Whether it continues a response and a conversation: only one of them would be held against the access key. */
function continuesTwo({ body }: Asked): boolean {
  const { previous_response_id: response, conversation } = body?.json ?? {}
  return Boolean(response) && Boolean(conversation)
}

/** The models that the access key may use. */
async function list(host: AppHost, call: Call): Promise<Response> {
  const accessKey = await authenticated(host, call)
  return told(call, modelList(modelsOf(call, accessKey), call.protocol))
}

/** One of them. */
async function show(host: AppHost, call: Call, path: string): Promise<Response> {
  const accessKey = await authenticated(host, call)
  const name = decoded(call.url.pathname.slice(path.length + 1))
  call.log.about(name)
  if (name === undefined || !modelsOf(call, accessKey).includes(name)) {
    const message = 'The model does not exist, or the access key may not use it.'
    throw new Refused('model_not_found', message, { param: 'model' })
  }
  return told(call, modelObject(name, call.protocol))
}

function modelsOf({ state, protocol }: Call, accessKey: AccessKeyConfig): string[] {
  return modelsFor(state, accessKey, listedWith(protocol))
}

function told({ log }: Call, body: object): Response {
  const headers = { 'content-type': 'application/json', 'x-request-id': log.requestId }
  log.end({ status: 200, group: null, errorCode: null, ended: 'complete' })
  return new Response(JSON.stringify(body), { headers })
}

/** Whose request it is. This comes before anything else of it is read. */
async function authenticated(host: AppHost, call: Call): Promise<AccessKeyConfig> {
  const { request, url, protocol, state, log } = call
  const key = presentedKey(request.headers, url, apiOfProtocol(protocol) === 'gemini')
  const accessKey = await state.access.find(key)
  if (accessKey === undefined) throw denied('access_key_unknown')
  log.by(accessKey.id)
  const reason = whyNot(accessKey, host.now())
  if (reason !== undefined) throw denied(reason)
  return accessKey
}

/** The part of a path that stands for `:name`, read from the very path that came. */
function nameIn({ url: { pathname } }: Call, { path }: Route): string | undefined {
  const [before, after] = path.split(NAME)
  if (before === undefined || after === undefined) return undefined
  // What surrounds it may have been written in another way, and then it stands elsewhere.
  if (!pathname.startsWith(before) || !pathname.endsWith(after)) return undefined
  return decoded(pathname.slice(before.length, pathname.length - after.length))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
