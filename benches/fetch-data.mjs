// What is asked and answered in `npm run bench:fetch` and `bench:gateway`: of the size that chats usually have.

export const CHUNKS = 1_000

const encoder = new TextEncoder()
const WORDS = 'Colourless green ideas sleep furiously. '

export const JSON_ANSWER = JSON.stringify({
  id: 'chatcmpl-0123456789',
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: WORDS.repeat(20) }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 480, completion_tokens: 120, total_tokens: 600 },
})

/** What an SDK gives to its `fetch`. The server counts a chunk as a token. */
export function request(stream, chunks = CHUNKS) {
  const messages = [
    { role: 'system', content: WORDS.repeat(20) },
    { role: 'user', content: WORDS.repeat(20) },
  ]
  return {
    method: 'POST',
    headers: new Headers({
      accept: 'application/json',
      authorization: 'Bearer pooled',
      'content-type': 'application/json',
      'user-agent': 'OpenAI/JS 6.49.0',
      'x-stainless-arch': 'x64',
      'x-stainless-lang': 'js',
      'x-stainless-os': 'Linux',
      'x-stainless-package-version': '6.49.0',
      'x-stainless-retry-count': '0',
      'x-stainless-runtime': 'node',
      'x-stainless-runtime-version': process.version,
    }),
    body: JSON.stringify({ model: 'gpt-5', stream, max_tokens: chunks, messages }),
    signal: new AbortController().signal,
  }
}

/** The chunks of a stream, each an event. */
export function* events(chunks = CHUNKS) {
  for (let at = 1; at < chunks; at++) yield event({ content: `word ${at} ` }, null)
  yield encoder.encode(`data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`)
}

function event(delta, reason) {
  return encoder.encode(`data: ${JSON.stringify(chunk(delta, reason))}\n\n`)
}

function chunk(delta, reason) {
  return {
    id: 'chatcmpl-0123456789',
    object: 'chat.completion.chunk',
    created: 1_767_268_800,
    model: 'gpt-5-2025-08-07',
    system_fingerprint: 'fp_0123456789',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  }
}
