/**
 * What a request says of itself: its model, its session, what it continues, whether it streams.
 * @module
 */

/** A request as far as it matters to the choice of a credential. */
export interface RequestFacts {
  /** The URL, before a secret is put into it. */
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  /** The body, when it is a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

/** Headers in which apps name a conversation. */
const SESSION_HEADERS = ['x-session-id', 'session-id', 'session_id', 'x-conversation-id'] as const

/** The model: from the body, or from the path where providers have it. */
export function modelOf({ json, url }: RequestFacts): string | undefined {
  if (typeof json?.['model'] === 'string') return json['model']
  const match = /\/(?:models|deployments|model)\/([^/:]+(?:\/[^/:]+)?)(?=[:/]|$)/.exec(url.pathname)
  const model = match?.[1]
  return model === undefined ? undefined : decoded(model.split('/')[0] ?? model)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // it is the provider's to say that the path is wrong
  }
}

/** Whether the answer may be a stream: from the body, or from the path where providers have it. */
export function mayStream({ json, url }: RequestFacts): boolean {
  return json?.['stream'] === true || /stream/i.test(url.pathname)
}

/** The response or conversation that the request is about, which only the credential that made it knows. */
export function continuedBy({ json, url }: RequestFacts): string | undefined {
  const path = decoded(url.pathname)
  const [, inPath] = /\/(?:responses|conversations)\/((?:resp|conv)_[^/]+)/.exec(path) ?? []
  return text(json?.['previous_response_id']) ?? conversation(json?.['conversation']) ?? inPath
}

/** The session: what the request names as one, else what all requests of a conversation begin with. */
export function sessionOf({ json, headers }: RequestFacts): string | undefined {
  for (const name of SESSION_HEADERS) {
    const named = headers.get(name)
    if (named) return named
  }
  if (json === undefined) return undefined
  const metadata = json['metadata'] as { user_id?: unknown } | null | undefined
  const named =
    text(json['prompt_cache_key']) ?? text(metadata?.user_id) ?? conversation(json['conversation'])
  return named ?? stablePrefix(json)
}

/** The part of a conversation that its later requests repeat: instructions, tools, the first words. */
function stablePrefix(json: Readonly<Record<string, unknown>>): string | undefined {
  const { system, systemInstruction, instructions, tools, messages, input, contents } = json
  const said = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const turns = [messages, said, contents].find((list) => Array.isArray(list)) as
    | readonly (Turn | null)[]
    | undefined
  const first = turns?.findIndex(isByUser) ?? -1
  if (turns === undefined || first < 0) return undefined
  const beginning = turns.slice(0, first + 1).map((turn) => {
    return [turn?.role ?? 'user', wordsOf(turn?.content ?? turn?.parts)]
  })
  try {
    return JSON.stringify([system, systemInstruction, instructions, tools, beginning], withoutMarks)
  } catch {
    return undefined // nested more deeply than can be written, although it could be read
  }
}

interface Turn {
  readonly role?: unknown
  readonly content?: unknown
  readonly parts?: unknown
}

/** Texts alone are no turns: they are what is embedded. */
function isByUser(turn: Turn | null): boolean {
  if (typeof turn !== 'object' || turn === null) return false
  return turn.role === 'user' || turn.role === undefined
}

/** A text, and a list with that text alone, say the same. */
function wordsOf(content: unknown): unknown {
  const only = Array.isArray(content) && content.length === 1 ? (content[0] as Turn | null) : null
  return text((only as { text?: unknown } | null)?.text) ?? content
}

/** Clients move the marks of a cache on with each turn. */
function withoutMarks(key: string, value: unknown): unknown {
  return key === 'cache_control' ? undefined : value
}

function conversation(value: unknown): string | undefined {
  return text(value) ?? text((value as { id?: unknown } | null | undefined)?.id)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
