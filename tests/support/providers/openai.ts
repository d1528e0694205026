/**
 * Speaks like OpenAI: chat completions, responses, embeddings, files, models, images, realtime hand-shakes.
 * @module
 */

import {
  type Dialect,
  event,
  PIECES,
  type Said,
  type Stream,
  TEXT,
  type Trouble,
} from './dialect.ts'
import type { Exchange } from './http.ts'

const CREATED = 1_800_000_000
const ERRORS: Record<Trouble, Said> = {
  limited: error(429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
  unauthorized: error(
    401,
    'Incorrect API key provided',
    'invalid_request_error',
    'invalid_api_key',
  ),
  overloaded: error(529, 'The engine is currently overloaded', 'server_error', null),
  bad: error(400, 'Invalid value for temperature', 'invalid_request_error', 'invalid_value'),
}

let made = 0

export const openai: Dialect = {
  secretOf: ({ headers }) => headers.get('authorization')?.replace('Bearer ', '') ?? '',
  error: (trouble) => ERRORS[trouble],
  errorEvent: (exchange, trouble) => {
    const { error } = ERRORS[trouble].body as { error: Record<string, unknown> }
    if (!isResponses(exchange)) return event({ error })
    // It was seen flat and nested, and each SDK reads one of the two.
    return event({ ...error, type: 'error', sequence_number: 9, error }, 'error')
  },
  wantsStream: ({ json }) => json['stream'] === true,
  answer(exchange, text = TEXT) {
    if (exchange.path.endsWith('/chat/completions')) return completion(exchange, text)
    if (exchange.path.endsWith('/embeddings')) return embedding(exchange)
    if (exchange.path.endsWith('/images/generations')) {
      return { created: CREATED, data: [{ b64_json: 'iVBORw0KGgo=' }] }
    }
    if (exchange.path.endsWith('/realtime/client_secrets')) {
      return { value: 'ek_1', expires_at: CREATED + 600, session: { type: 'realtime' } }
    }
    if (exchange.path.endsWith('/conversations'))
      return { id: nextId('conv'), object: 'conversation' }
    if (exchange.path.endsWith('/models')) {
      return { object: 'list', data: [{ id: 'gpt-5-mini', object: 'model', created: CREATED }] }
    }
    if (exchange.path.endsWith('/files')) {
      const size = exchange.body.byteLength
      return {
        id: nextId('file'),
        object: 'file',
        bytes: size,
        filename: 'a.jsonl',
        purpose: 'batch',
      }
    }
    return isResponses(exchange) ? response(exchange, nextId('resp'), text) : undefined
  },
  stream: (exchange, pieces = PIECES) => {
    return isResponses(exchange) ? responseStream(exchange, pieces) : chatStream(exchange, pieces)
  },
}

function error(status: number, message: string, type: string, code: string | null): Said {
  return { status, body: { error: { message, type, param: null, code } } }
}

function isResponses({ path }: Exchange): boolean {
  return path.includes('/responses')
}

function nextId(kind: string): string {
  made++
  return `${kind}_${made.toString().padStart(8, '0')}`
}

function completion({ json: { model } }: Exchange, content: string): unknown {
  const message = { role: 'assistant', content, refusal: null }
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: CREATED, model },
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
  }
}

function embedding({ json: { model } }: Exchange): unknown {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }]
  return { object: 'list', data, model, usage: { prompt_tokens: 3, total_tokens: 3 } }
}

function chatStream({ json: { model } }: Exchange, pieces: readonly string[]): Stream {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: CREATED, model },
      choices: [{ index: 0, delta, finish_reason }],
    })
  return {
    opening: [chunk({ role: 'assistant', content: '' })],
    content: pieces.map((content) => chunk({ content })),
    closing: [chunk({}, 'stop'), event('[DONE]')],
  }
}

function response({ json }: Exchange, id: string, text: string): unknown {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const message = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }
  return {
    ...{ id, object: 'response', created_at: CREATED, model: json['model'], status: 'completed' },
    ...{ error: null, incomplete_details: null, instructions: null, metadata: {}, tools: [] },
    conversation: json['conversation'] === undefined ? null : { id: json['conversation'] },
    output: text === '' ? [] : [message],
    usage: {
      ...{ input_tokens: 3, output_tokens: 7, total_tokens: 10 },
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }
}

function responseStream(exchange: Exchange, pieces: readonly string[]): Stream {
  const text = pieces.join('')
  const id = nextId('resp')
  let sequence_number = 0
  const send = (type: string, more: object) =>
    event({ type, sequence_number: sequence_number++, ...more }, type)
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const item = {
    type: 'message',
    id: 'msg_1',
    status: 'in_progress',
    role: 'assistant',
    content: [],
  }
  const part = { type: 'output_text', text: '', annotations: [] }
  const whole = { ...part, text }
  return {
    opening: [
      send('response.created', { response: response(exchange, id, '') }),
      send('response.in_progress', { response: response(exchange, id, '') }),
      send('response.output_item.added', { output_index: 0, item }),
      send('response.content_part.added', { ...place, part }),
    ],
    content: pieces.map((delta) =>
      send('response.output_text.delta', { ...place, delta, logprobs: [] }),
    ),
    closing: [
      send('response.output_text.done', { ...place, text, logprobs: [] }),
      send('response.content_part.done', { ...place, part: whole }),
      send('response.output_item.done', { output_index: 0, item: { ...item, content: [whole] } }),
      send('response.completed', { response: response(exchange, id, text) }),
    ],
  }
}
