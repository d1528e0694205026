/**
 * Answers without content: the provider said that it is done, and nothing else.
 * @module
 */

/** How an answer ends that says nothing of why it ended. */
const ORDINARY = /^(?:stop|end_turn|stop_sequence|eos|finish_reason_unspecified)?$/i

/** What Gemini answers beside its candidates. */
const NUMBERS = /^(?:usageMetadata|modelVersion|responseId|createTime|sdkHttpResponse)$/

/** Events of a stream that never carry content, by their type. */
const SILENT = /^(?:ping|content_block_stop|message_stop|response\.(?:created|queued|in_progress))$/

type Json = Readonly<Record<string, unknown>>

/**
 * Whether an answer in one piece ended as usual and has no content: of a chat, of the responses API, of
 * Anthropic's messages, of Gemini. What says why it is empty, such as a filter or a limit of tokens, is an
 * answer; so is what is none of these.
 *
 * @internal
 */
export function isEmptyAnswer(answer: unknown): boolean {
  if (!isObject(answer)) return false
  const { object, status, output, type, content, stop_reason: reason, promptFeedback } = answer
  if ((answer['error'] ?? promptFeedback ?? undefined) !== undefined) return false
  const choices = answer['choices'] ?? answer['candidates']
  if (Array.isArray(choices)) return choices.every(isEmptyChoice)
  if (object === 'response') return status === 'completed' && Array.isArray(output) && !says(output)
  if (type === 'message') return Array.isArray(content) && !says(content) && isOrdinary(reason)
  const names = Object.keys(answer).filter((name) => answer[name] !== undefined)
  return names.includes('usageMetadata') && names.every((name) => NUMBERS.test(name))
}

/**
 * Whether an event of a stream, of that name and with that data, has no content and does not say why.
 *
 * @internal
 */
export function isEmptyEvent(name: string, data: string): boolean {
  if (data === '[DONE]') return true
  const event = parsed(data)
  if (event === undefined) return false
  const type = typeof event['type'] === 'string' ? event['type'] : name
  if (SILENT.test(type)) return true
  if (type === 'message_start') return !says((event['message'] as Json | undefined)?.['content'])
  if (type === 'content_block_start') return !says(event['content_block'])
  if (type === 'message_delta')
    return isOrdinary((event['delta'] as Json | undefined)?.['stop_reason'])
  if (type === 'response.completed') {
    return isEmptyAnswer({ object: 'response', ...(event['response'] as object | undefined) })
  }
  if (type.startsWith('response.output_item.')) return !says(event['item'])
  if (/_part\.(?:added|done)$/.test(type)) return !says(event['part'])
  if (/text\.done$/.test(type)) return !says(event['text'])
  if (/delta$/.test(type)) return !says(event['delta'])
  return isEmptyAnswer(event)
}

/** The same of an answer as it came: a text that may be JSON. @internal */
export function isEmptyText(text: string): boolean {
  return isEmptyAnswer(parsed(text))
}

function isEmptyChoice(choice: unknown): boolean {
  if (!isObject(choice)) return false
  const { message, delta, text, content, finish_reason: reason, finishReason } = choice
  const fields = Object.entries({ ...(message as object), ...(delta as object) })
  const told = fields.some(([name, value]) => name !== 'role' && says(value))
  const parts = isObject(content) ? content['parts'] : undefined
  return !told && !says(text) && !says(parts) && isOrdinary(reason ?? finishReason)
}

/** Whether a reason to end says nothing but that. */
function isOrdinary(reason: unknown): boolean {
  return typeof (reason ?? '') === 'string' && ORDINARY.test((reason ?? '') as string)
}

/** Whether a part of an answer has content. What is no text is some: a call, an image, a refusal. */
function says(part: unknown): boolean {
  if (typeof part === 'string') return part !== ''
  if (Array.isArray(part)) return part.some(says)
  if (!isObject(part)) return false
  const { type, content, summary } = part
  if (type === 'message' || type === 'reasoning') return says(content) || says(summary)
  const text = part['text'] ?? part['thinking']
  return typeof text !== 'string' || text !== ''
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : undefined
  } catch {
    return undefined
  }
}
