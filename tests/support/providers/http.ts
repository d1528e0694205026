/**
 * A small HTTP/1.1 server on the loopback address that keeps every byte it receives, and that can break off
 * wherever a test wants it to.
 * @module
 */

import { createServer, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'

/** One request as it came, and the means to answer it. */
export class Exchange {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  /** Every byte, in the order in which they came. */
  readonly raw: Buffer
  /** The body, without the frames of its chunks. */
  readonly body: Buffer
  /** Resolves when the connection is closed, whoever closes it. */
  readonly closed: Promise<void>
  readonly #socket: Socket

  constructor(head: string, raw: Buffer, body: Buffer, socket: Socket) {
    const [first = '', ...lines] = head.split('\r\n')
    const [method = '', target = ''] = first.split(' ')
    this.method = method
    this.target = target
    this.headers = headersIn(lines)
    this.raw = raw
    this.body = body
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  get path(): string {
    return this.target.split('?')[0] ?? ''
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.target.split('?')[1] ?? '')
  }

  /** The body, read as JSON; an empty object when it is none. */
  get json(): Record<string, unknown> {
    try {
      return JSON.parse(this.body.toString('utf8'))
    } catch {
      return {}
    }
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  /** Answers in one piece. */
  respond(status: number, headers: Record<string, string | number>, body: string): void {
    const bytes = Buffer.from(body)
    const head = headOf(status, { ...headers, 'content-length': bytes.byteLength })
    // At once: the second of two writes waits until the first is acknowledged.
    this.#write(Buffer.concat([Buffer.from(head), bytes]))
  }

  /** Begins an answer that comes in chunks. */
  begin(status: number, headers: Record<string, string>): void {
    this.#write(headOf(status, { ...headers, 'transfer-encoding': 'chunked' }))
  }

  /** Sends one chunk; answers whether the connection takes more at once. */
  chunk(text: string): boolean {
    const bytes = Buffer.from(text)
    return this.#write(
      Buffer.concat([
        Buffer.from(`${bytes.byteLength.toString(16)}\r\n`),
        bytes,
        Buffer.from('\r\n'),
      ]),
    )
  }

  /** Resolves when what was sent has left, or never will. */
  async drained(): Promise<void> {
    if (this.#socket.destroyed || !this.#socket.writableNeedDrain) return
    await Promise.race([
      new Promise<void>((resolve) => this.#socket.once('drain', () => resolve())),
      this.closed,
    ])
  }

  /** Ends an answer that comes in chunks. */
  end(): void {
    this.#write('0\r\n\r\n')
  }

  /** Breaks the connection off, once what was sent has arrived. */
  cut(): void {
    this.#socket.end(() => this.#socket.destroy())
  }

  #write(data: string | Buffer): boolean {
    return this.#socket.destroyed ? false : this.#socket.write(data)
  }
}

/** Starts the server on a free port. */
export async function listen(
  handle: (exchange: Exchange) => void | Promise<void>,
): Promise<{ url: string; stop: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setMaxListeners(0) // one for each request that it carries
    let received = Buffer.alloc(0)
    socket.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data])
      for (let request = take(received); request !== undefined; request = take(received)) {
        received = received.subarray(request.raw.byteLength)
        const { head, raw, body } = request
        void handle(new Exchange(head, Buffer.from(raw), body, socket))
      }
    })
    socket.on('error', () => {}) // a client that leaves is what some tests are about
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const stop = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** The first request of what was received, if all of it is there. */
function take(received: Buffer): { head: string; raw: Buffer; body: Buffer } | undefined {
  const at = received.indexOf(HEAD_END)
  if (at < 0) return undefined
  const head = received.subarray(0, at).toString('latin1')
  const start = at + HEAD_END.length
  const headers = headersIn(head.split('\r\n').slice(1))
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = unchunk(received, start)
    return chunked && { head, raw: received.subarray(0, chunked.end), body: chunked.body }
  }
  const end = start + Number(headers.get('content-length') ?? 0)
  if (received.byteLength < end) return undefined
  return { head, raw: received.subarray(0, end), body: Buffer.from(received.subarray(start, end)) }
}

function unchunk(received: Buffer, start: number): { end: number; body: Buffer } | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const line = received.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(received.subarray(at, line).toString('latin1'), 16)
    const end = line + 2 + size + 2
    if (received.byteLength < end) return undefined
    if (size === 0) return { end, body: Buffer.concat(parts) }
    parts.push(received.subarray(line + 2, line + 2 + size))
    at = end
  }
}

function headersIn(lines: readonly string[]): Map<string, string> {
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
}

function headOf(status: number, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`
}
