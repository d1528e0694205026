/**
 * A gateway behind a port of this machine, and a client that can write any bytes to it.
 * @module
 */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import type { Gateway } from 'keyrota/gateway'

/** A gateway that is served. */
export class Served {
  readonly port: number
  readonly url: string
  readonly #server: ServerType

  private constructor(server: ServerType, port: number) {
    this.#server = server
    this.port = port
    this.url = `http://127.0.0.1:${port}`
  }

  static async start(gateway: Gateway): Promise<Served> {
    return new Promise((resolve) => {
      const options = { fetch: gateway.fetch, port: 0, hostname: '127.0.0.1' }
      const server = serve(options, ({ port }) => resolve(new Served(server, port)))
    })
  }

  stop(): void {
    this.#server.close()
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections()
  }

  /** A connection. */
  async connect(): Promise<Socket> {
    const socket = connect(this.port, '127.0.0.1')
    socket.on('error', () => {}) // some tests are about connections that break
    await once(socket, 'connect')
    return socket
  }

  /** Writes bytes and reads what is answered, until the server closes or the answer has its end. */
  async exchange(bytes: string): Promise<string> {
    const socket = await this.connect()
    socket.write(bytes, 'latin1')
    let answer = ''
    for await (const data of socket) {
      answer += (data as Buffer).toString('latin1')
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const length = /^content-length: (\d+)$/im.exec(head)?.[1]
      if (length !== undefined && body.length >= Number(length)) break
      if (body.endsWith('0') || answer.endsWith('0\r\n\r\n')) break
    }
    socket.destroy()
    return answer
  }
}
