// The server of `npm run bench:fetch`, in a thread of its own: its work is not the callers'.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { parentPort } from 'node:worker_threads'
import { events, JSON_ANSWER } from './fetch-data.mjs'

const CHUNKS = [...events()]

const server = createServer(async (request, response) => {
  request.resume()
  await once(request, 'end')
  if (request.url === '/json') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON_ANSWER)
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const chunk of CHUNKS) if (!response.write(chunk)) await once(response, 'drain')
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  parentPort.postMessage(`http://127.0.0.1:${server.address().port}`)
})
