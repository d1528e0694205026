// A gateway on a port, with a configuration that is read from a file, and read again at SIGHUP; on another port
// what its operator asks.
//
//   OPENAI_KEY_1=sk-… PORT=8787 ADMIN_PORT=8788 node server.mjs config.json
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createGateway } from 'keyrota/gateway'

const MOST_MS_TO_END = 30_000

const file = process.argv[2] ?? new URL('config.json', import.meta.url)
const read = () => JSON.parse(readFileSync(file, 'utf8'))

const gateway = createGateway(read(), {
  // One line of JSON for each attempt, each request and each change of a key, without secrets, bodies and headers.
  onEvent: (event) => console.log(JSON.stringify(event)),
})

// Only for programs on this machine, and no page that a browser on it shows: a page has a name of its own.
const admin = new Hono()
admin.use(async (context, next) => {
  const host = context.req.header('host') ?? ''
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host)) return context.json({}, 403)
  await next()
})
admin.get('/health', (context) => context.json(gateway.health()))
admin.get('/inspect', (context) => context.json(gateway.inspect(context.req.query())))
admin.onError(({ code, message }, context) => context.json({ code, message }, 400))

const servers = [
  listen('listening', { fetch: gateway.fetch, port: portOf('PORT', 8787), hostname: '127.0.0.1' }),
  listen('operator', {
    fetch: admin.fetch,
    port: portOf('ADMIN_PORT', 8788),
    hostname: '127.0.0.1',
  }),
]

process.on('SIGHUP', () => {
  try {
    gateway.reload(read())
    console.log('reloaded')
  } catch (error) {
    // The configuration that was served before goes on.
    console.error(error.message)
  }
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

/** Running streams come to their end, within bounds; nothing new is taken. */
function stop() {
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
  Promise.all(closed).then(() => gateway.dispose())
  const end = () => {
    for (const server of servers) server.closeAllConnections()
  }
  setTimeout(end, MOST_MS_TO_END).unref()
}

function listen(what, options) {
  return serve(options, ({ port }) => console.log(`${what} on http://127.0.0.1:${port}`))
}

function portOf(name, usual) {
  return Number(process.env[name] ?? usual)
}
