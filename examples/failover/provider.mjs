// A provider on this machine that answers chat completions as OpenAI does, error bodies and headers
// included.
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const LATENCY_MS = 60

/**
 * @typedef {object} Key how the provider treats one key
 * @property {boolean} [revoked] every request is refused with 401
 * @property {number} [burst] after so many answers one request is refused with 429
 * @property {number} [retryAfter] the seconds that the 429 asks the caller to wait
 */

/**
 * Starts the provider on a free port.
 * @param {Record<string, Key>} keys by secret
 */
export async function startProvider(keys) {
  const served = new Map()
  const server = createServer(async (request, response) => {
    const secret = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const { status, headers, body } = answer(keys[secret], await received(request), (burst) => {
      const count = (served.get(secret) ?? 0) + 1
      served.set(secret, count > burst ? 0 : count)
      return count > burst
    })
    await pause(LATENCY_MS)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(key, { model, messages }, isOver) {
  if (!key || key.revoked) {
    return refusal(401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.')
  }
  const { burst = Number.POSITIVE_INFINITY, retryAfter = 60 } = key
  if (isOver(burst)) {
    const message = `Rate limit reached for ${model}. Please try again in ${retryAfter}s.`
    return refusal(429, 'requests', 'rate_limit_exceeded', message, {
      'retry-after': retryAfter,
      'x-ratelimit-limit-requests': burst,
      'x-ratelimit-remaining-requests': 0,
      'x-ratelimit-reset-requests': `${retryAfter}s`,
    })
  }
  const message = { role: 'assistant', content: `You said: ${messages.at(-1).content}` }
  return {
    status: 200,
    headers: {},
    body: {
      id: 'chatcmpl-local',
      object: 'chat.completion',
      created: 1_767_268_800,
      model,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 },
    },
  }
}

function refusal(status, type, code, message, headers = {}) {
  return { status, headers, body: { error: { message, type, param: null, code } } }
}

async function received(request) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return JSON.parse(text)
}
