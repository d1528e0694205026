/**
 * Server-sent events as providers stream them: which are content, which end the answer, which are errors.
 * @module
 */

/**
 * What an event is to a caller who waits for an answer. After `finish` only numbers follow, or what other
 * choices still say; after `end` nothing.
 */
export type EventKind = 'content' | 'finish' | 'end' | 'error' | 'other'

/** One event: its name, if it has one, and its data. */
export interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** Cuts a text that comes in pieces into events (HTML standard, section 9.2.6). */
export class EventReader {
  /** The line that has not ended yet, in pieces: an image may come in one line of megabytes. */
  #pieces: string[] = []
  #name = ''
  #data: string[] = []

  /** The events that are complete now. */
  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = []
    const isHeldBack = this.#pieces.at(-1)?.endsWith('\r') === true
    if (!isHeldBack && !/[\r\n]/.test(text)) {
      if (text !== '') this.#pieces.push(text)
      return events
    }
    const lines = (this.#pieces.join('') + text).split(/\r\n|\n|\r(?!$)/)
    const rest = lines.pop() ?? ''
    this.#pieces = rest === '' ? [] : [rest]
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) events.push({ name: this.#name, data: this.#data.join('\n') })
        this.#name = ''
        this.#data = []
      } else if (line.startsWith('data:')) {
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      } else if (line.startsWith('event:')) {
        this.#name = line.slice(6).trim()
      }
    }
    return events
  }

  /** What came last without being complete, as an event: some providers end without a blank line. */
  rest(): StreamEvent[] {
    return this.push('\n\n')
  }
}

const ENDS = new Set([
  ...['message_stop', 'response.completed', 'response.incomplete', 'response.cancelled', 'done'],
  ...[
    'transcript.text.done',
    'speech.audio.done',
    'image_generation.completed',
    'image_edit.completed',
  ],
])
const ERRORS = new Set(['error', 'response.failed'])

/** What the data of an event has that ends the answer or is an error: a reason that is not null, a type. */
const MARK =
  /error|failed"|finish_?reason"\s*:\s*[^\sn]|\[DONE\]|message_stop|(?:done|completed|incomplete|cancelled)"|promptFeedback/i

/** Whether {@link kindOf} may find an end or an error. It looks at the letters alone. */
export function mayEnd({ name, data }: StreamEvent): boolean {
  return MARK.test(data) || ERRORS.has(name) || ENDS.has(name)
}

/** What the event is. An event of a kind that is not known counts as content: it is the caller's. */
export function kindOf({ name, data }: StreamEvent): EventKind {
  if (data === '[DONE]') return 'end'
  const json = parsed(data)
  if (json === undefined) return ERRORS.has(name) ? 'error' : 'content'
  const type = typeof json['type'] === 'string' ? json['type'] : name
  if (ERRORS.has(type) || ERRORS.has(name)) return 'error'
  if (json['error'] !== undefined && json['error'] !== null) return 'error'
  if (ENDS.has(type)) return 'end'
  const choices = json['choices'] ?? json['candidates']
  if (Array.isArray(choices)) return kindOfChoices(choices)
  if (typeof type === 'string' && type !== '') {
    // A block that comes whole has no deltas.
    const block = json['content_block'] as { type?: unknown; text?: unknown } | undefined
    const isWhole = block !== undefined && !/^(?:text|thinking|tool_use)$/.test(String(block.type))
    return isWhole || /delta|\.done$|tool|audio|partial_image|^completion$/.test(type)
      ? 'content'
      : 'other'
  }
  // Gemini sends what it blocked without candidates, and its numbers without either.
  if (json['promptFeedback'] !== undefined) return 'finish'
  return json['usageMetadata'] === undefined ? 'content' : 'other'
}

/** Whether streams with such an event always say that they end, so that one that does not was cut. */
export function announcesEnd({ name, data }: StreamEvent): boolean {
  const json = parsed(data)
  const type = typeof json?.['type'] === 'string' ? json['type'] : name
  if (/^(response\.|message_start$|content_block)/.test(type)) return true
  return Array.isArray(json?.['choices'] ?? json?.['candidates'])
}

/** The ids of what an event of a stream says was made: a response, and its conversation. */
export function idsMadeBy({ data }: StreamEvent): string[] {
  if (!data.includes('"response.created"')) return []
  return idsOf(parsed(data)?.['response'])
}

/** The ids by which a later request continues what an answer holds. */
export function idsOf(made: unknown): string[] {
  const { id, conversation } = (made ?? {}) as {
    id?: unknown
    conversation?: { id?: unknown } | null
  }
  const ids = [id, conversation?.id]
  return ids.filter((one) => typeof one === 'string').filter((one) => /^(resp|conv)_/.test(one))
}

interface Choice {
  readonly delta?: Readonly<Record<string, unknown>> | null
  readonly text?: unknown
  readonly content?: { readonly parts?: unknown }
  readonly finish_reason?: unknown
  readonly finishReason?: unknown
}

function kindOfChoices(choices: readonly (Choice | null)[]): EventKind {
  let kind: EventKind = 'other'
  for (const choice of choices) {
    if (choice?.finish_reason || choice?.finishReason) return 'finish'
    const { delta, text, content } = choice ?? {}
    // The first chunk of a chat names the role and says nothing yet.
    const told = Object.entries(delta ?? {}).some(
      ([field, value]) => field !== 'role' && value !== '' && value !== null && value !== undefined,
    )
    if (told || text || content?.parts !== undefined) kind = 'content'
  }
  return kind
}

function parsed(data: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(data)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
