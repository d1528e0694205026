// The server of `npm run bench:fetch` and `bench:gateway`, in a thread of its own: its work is not the callers'.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { parentPort } from 'node:worker_threads'
import { events, JSON_ANSWER } from './fetch-data.mjs'

/** Streams by how many chunks they have. */
const streams = new Map()

const server = createServer(async (request, response) => {
  const { stream, max_tokens: chunks } = await json(request)
  if (!stream) {
    response.setHeader('content-type', 'application/json')
    response.end(JSON_ANSWER)
    return
  }
  if (!streams.has(chunks)) streams.set(chunks, [...events(chunks)])
  response.setHeader('content-type', 'text/event-stream')
  for (const chunk of streams.get(chunks)) {
    if (!response.write(chunk)) await once(response, 'drain')
  }
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  parentPort.postMessage(`http://127.0.0.1:${server.address().port}`)
})
