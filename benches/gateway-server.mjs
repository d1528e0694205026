// Both servers of `npm run bench:gateway`, in a thread of their own: a gateway, and a reverse proxy that does
// nothing but fetch.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { parentPort, workerData as upstream } from 'node:worker_threads'
import { serve } from '@hono/node-server'
import { createGateway } from 'keyrota/gateway'

/** What belongs to one connection or one message. */
const OWN = ['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']

const gateway = createGateway({
  // The key of the requests of both benches.
  accessKeys: [{ id: 'bench', sha256: createHash('sha256').update('pooled').digest('hex') }],
  groups: [
    {
      id: 'openai',
      baseUrl: upstream,
      protocols: ['openai-chat'],
      credentials: Array.from({ length: 10 }, (_, at) => ({
        id: `key-${at}`,
        secret: `sk-0123456789-${at}`,
      })),
    },
  ],
})
await gateway.ready()
parentPort.postMessage({ bare: await listen(passOn), gateway: await listen(gateway.fetch) })

async function passOn(request) {
  const { pathname, search } = new URL(request.url)
  const { status, headers, body } = await fetch(`${upstream}${pathname}${search}`, {
    method: request.method,
    headers: withoutOwn(request.headers),
    body: await request.arrayBuffer(),
    signal: request.signal,
  })
  return new Response(body, { status, headers: withoutOwn(headers) })
}

function withoutOwn(headers) {
  const copy = new Headers(headers)
  for (const name of OWN) copy.delete(name)
  return copy
}

async function listen(fetch) {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  if (!server.listening) await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}
