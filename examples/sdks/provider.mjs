// A provider on this machine that speaks like OpenAI, Anthropic and Google. Of its two keys one is over
// its limit.
import { createServer } from 'node:http'

const ANSWER = ['Keys ', 'take ', 'turns.']

// What each API calls the same things: where its key stands, its errors, answers and events.
const dialects = {
  openai: {
    key: bearer,
    limited: { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
    whole: (content) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 0,
      model: 'gpt-5-mini',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
    }),
    *events() {
      for (const content of ANSWER) yield { data: chunk({ content }) }
      yield { data: chunk({}, 'stop') }
      yield { data: '[DONE]' }
    },
  },
  anthropic: {
    key: (headers) => headers['x-api-key'] ?? bearer(headers),
    limited: { type: 'error', error: { type: 'rate_limit_error', message: 'Too many requests' } },
    whole: (text) => message({ content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
    *events() {
      const event = (name, data) => ({ name, data: { type: name, ...data } })
      yield event('message_start', { message: message({ content: [], stop_reason: null }) })
      yield event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
      for (const text of ANSWER) {
        yield event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
      }
      yield event('content_block_stop', { index: 0 })
      yield event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 3 },
      })
      yield event('message_stop')
    },
  },
  google: {
    key: (headers) => headers['x-goog-api-key'],
    limited: { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } },
    whole: (text) => candidate(text, 'STOP'),
    *events() {
      for (const [at, text] of ANSWER.entries()) {
        yield { data: candidate(text, at === ANSWER.length - 1 ? 'STOP' : undefined) }
      }
    },
  },
}

/**
 * Starts the provider on a free port.
 * @returns {Promise<{ url: string, stop(): void }>}
 */
export async function startProvider() {
  const server = createServer(async (request, response) => {
    const asked = Buffer.concat(await request.toArray()).toString()
    const { key, limited, whole, events } = dialects[dialectOf(request)]
    const json = (status, body, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
    if (key(request.headers) !== 'sk-local-spare') return json(429, limited, { 'retry-after': 60 })
    const isStream = /streamGenerate/.test(request.url) || JSON.parse(asked).stream === true
    if (!isStream) return json(200, whole(ANSWER.join('')))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const { name, data } of events()) {
      if (name !== undefined) response.write(`event: ${name}\n`)
      response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
    }
    response.end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function bearer({ authorization }) {
  return authorization?.replace('Bearer ', '')
}

function dialectOf({ url }) {
  if (url.startsWith('/v1/messages')) return 'anthropic'
  return url.startsWith('/v1beta/') ? 'google' : 'openai'
}

function chunk(delta, reason = null) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'gpt-5-mini',
    choices: [{ index: 0, delta, finish_reason: reason }],
  }
}

function message(more) {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 3 },
    ...more,
  }
}

function candidate(text, finishReason) {
  return { candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }] }
}
