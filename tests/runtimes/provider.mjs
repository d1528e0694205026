// A provider on this machine that speaks like OpenAI, for the story of `keyrota/fetch`: key A is
// limited, key B is served. What a stream does next is asked for, so nothing here depends on time.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'

const MOST_WRITTEN = 64 * 1024 * 1024
const BLOCK = event('x'.repeat(64 * 1024))
// A writer that got no room for so long waits for its reader.
const BLOCKED_MS = 400

// What an SDK sends, and nothing else: a browser asks before it sends another header.
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-expose-headers': 'retry-after',
  'cache-control': 'no-store',
}

/** Starts the provider and answers its URL and how to stop it. */
export async function startProvider() {
  const seen = []
  let stream // the last one: the story goes through one after the other
  const server = createServer(async (request, response) => {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    const path = new URL(request.url, 'http://localhost').pathname
    if (path in asked) return response.end(JSON.stringify((await asked[path]()) ?? null))
    const body = Buffer.concat(await request.toArray())
    seen.push(sightOf(request, body))
    if (!request.headers.authorization?.endsWith('sk-b')) return refuse(response)
    const kind = path.endsWith('/files') ? 'json' : JSON.parse(body).model
    stream = { kind, response, written: 0, next: [] }
    await answers[kind](response, stream)
  })

  /** What the story asks beside its requests. */
  const asked = {
    '/seen': () => seen.splice(0),
    '/last': () => stream.kind,
    '/next': () => stream.next.shift()?.(),
    '/closed': async () => {
      if (!stream.response.destroyed) await once(stream.response, 'close')
      return stream.response.writableFinished ? 'by the provider' : 'by the caller'
    },
    '/written': () => settled(stream),
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** What a request is remembered by. */
function sightOf({ headers }, body) {
  // Two bodies of the same text have the same hash.
  const hash = createHash('sha256').update(`${headers['content-type']}\n`).update(body)
  const key = headers.authorization?.replace('Bearer sk-', '').toUpperCase()
  return { key, headers: Object.keys(headers).toSorted(), body: hash.digest('hex') }
}

function refuse(response) {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '60' })
  response.end('{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}')
}

/** How the provider answers, by the model that is asked for. */
const answers = {
  json(response) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"choices":[{"message":{"content":"Grüße"},"finish_reason":"stop"}]}')
  },
  async pieces(response, stream) {
    begin(response)
    for (const piece of ['Es ', 'war ', 'einmal']) {
      response.write(event(piece))
      await new Promise((resolve) => stream.next.push(resolve))
    }
    response.end(`${event('', 'stop')}data: [DONE]\n\n`)
  },
  /** The connection breaks. */
  async cut(response, stream) {
    begin(response)
    response.write(event('Es '))
    await new Promise((resolve) => stream.next.push(resolve))
    response.socket.destroy()
  },
  /** The answer ends as if it were complete. */
  short(response) {
    begin(response)
    response.end(event('Es '))
  },
  /** Waits for ever. */
  silence() {},
  async endless(response, stream) {
    begin(response)
    const blocks = async function* () {
      for (; stream.written < MOST_WRITTEN; stream.written += BLOCK.length) yield BLOCK
    }
    await pipeline(blocks, response).catch(() => {}) // the caller has enough
  },
}

function begin(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function event(content, reason = null) {
  return `data: {"choices":[{"delta":{"content":"${content}"},"finish_reason":${JSON.stringify(reason)}}]}\n\n`
}

/** How much was written by when there was no more room. */
async function settled(stream) {
  for (let last = -1; last !== stream.written && stream.written < MOST_WRITTEN; ) {
    last = stream.written
    await new Promise((resolve) => setTimeout(resolve, BLOCKED_MS))
  }
  return stream.written
}
