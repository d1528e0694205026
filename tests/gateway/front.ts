/**
 * What stands before a Worker: a connection that its client ends is reset. By itself workerd takes the end of a
 * connection for the end of what is sent on it, and waits for the answer to be read.
 * @module
 */

import { connect, createServer, type Socket } from 'node:net'

/** A port that leads to another one. */
export class Front {
  readonly url: string
  readonly stop: () => void

  private constructor(url: string, stop: () => void) {
    this.url = url
    this.stop = stop
  }

  static async start(port: number): Promise<Front> {
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      const worker = connect(port, '127.0.0.1')
      for (const socket of [client, worker]) {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        socket.on('error', () => {}) // the other one is told
      }
      client.pipe(worker)
      worker.pipe(client)
      client.on('close', () => worker.resetAndDestroy())
      worker.on('close', () => client.destroySoon())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address() as { port: number }
    return new Front(`http://127.0.0.1:${address.port}`, () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
  }
}
