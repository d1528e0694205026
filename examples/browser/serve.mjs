// Serves the demo page, on this machine only:
//
//   node examples/browser/serve.mjs        then open the address that it prints
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

const HERE = import.meta.dirname
const FILES = {
  '/': join(HERE, 'index.html'),
  '/demo.mjs': join(HERE, 'demo.mjs'),
  '/style.css': join(HERE, 'style.css'),
  // The package's file as it is. In your app: /node_modules/keyrota/pkg/index.js
  '/keyrota.js': join(HERE, '..', '..', 'pkg', 'index.js'),
}
const TYPES = { '.css': 'text/css', '.html': 'text/html; charset=utf-8' }

const server = createServer((request, response) => {
  const file = FILES[new URL(request.url, 'http://localhost').pathname]
  if (file === undefined) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/javascript' })
  return response.end(readFileSync(file))
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
