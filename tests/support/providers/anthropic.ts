/**
 * Speaks like Anthropic: messages and count_tokens.
 * @module
 */

import { type Dialect, event, PIECES, type Said, TEXT, type Trouble } from './dialect.ts'

const ERRORS: Record<Trouble, Said> = {
  limited: error(429, 'rate_limit_error', 'This request would exceed your rate limit'),
  unauthorized: error(401, 'authentication_error', 'invalid x-api-key'),
  overloaded: error(529, 'overloaded_error', 'Overloaded'),
  bad: error(400, 'invalid_request_error', 'max_tokens: must be greater than 0'),
}

export const anthropic: Dialect = {
  secretOf: ({ headers }) =>
    headers.get('x-api-key') ?? headers.get('authorization')?.replace('Bearer ', '') ?? '',
  error: (trouble) => ERRORS[trouble],
  errorEvent: (_, trouble) => event(ERRORS[trouble].body, 'error'),
  wantsStream: ({ json }) => json['stream'] === true,
  answer({ path, json: { model } }, text = TEXT) {
    if (path.endsWith('/count_tokens')) return { input_tokens: 12 }
    if (path.endsWith('/messages'))
      return message(model, text === '' ? [] : [{ type: 'text', text }], 'end_turn')
    return undefined
  },
  stream({ json: { model } }, pieces = PIECES) {
    const send = (type: string, more: object = {}) => event({ type, ...more }, type)
    const begun = { index: 0, content_block: { type: 'text', text: '' } }
    return {
      opening: [
        send('message_start', { message: message(model, [], null) }),
        send('content_block_start', begun),
        send('ping'),
      ],
      content: pieces.map((text) =>
        send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      closing: [
        send('content_block_stop', { index: 0 }),
        send('message_delta', {
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 7 },
        }),
        send('message_stop'),
      ],
    }
  },
}

function error(status: number, type: string, message: string): Said {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_1' } }
}

function message(model: unknown, content: readonly object[], stop_reason: string | null): unknown {
  const usage = { input_tokens: 3, output_tokens: 7 }
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model, content },
    ...{ stop_reason, stop_sequence: null, usage },
  }
}
