// A loopback server that a page comes from, and that hears what the page found out.
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { within, withResolvers } from './process.mjs'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

/**
 * Serves a folder, if there is one.
 * @param {string | null} folder
 * @param {Record<string, string>} [headers] sent with every file
 */
export async function serve(folder, headers = {}) {
  const heard = new Map()
  const hear = (name) => {
    if (!heard.has(name)) heard.set(name, withResolvers())
    return heard.get(name)
  }
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname)
    // Pages of other origins answer too: those of a file, or of a tool's own server.
    response.setHeader('access-control-allow-origin', '*')
    if (request.method === 'POST') {
      const chunks = await request.toArray()
      hear(path.replace('/answer/', '')).resolve(JSON.parse(Buffer.concat(chunks).toString()))
      response.end()
      return
    }
    const file = folder && join(folder, path === '/' ? 'index.html' : path)
    if (!file || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end()
      return
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, ...headers })
    createReadStream(file).pipe(response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** What a page posts to `/answer/<name>`. */
    answer: (name, seconds = 30) => within(seconds, `an answer of ${name}`, hear(name).promise),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
