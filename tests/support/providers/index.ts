/**
 * A server on this machine that speaks like OpenAI, Anthropic and Gemini, and treats each key as a test says.
 * @module
 */

import { anthropic } from './anthropic.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini.ts'
import { type Exchange, listen } from './http.ts'
import { openai } from './openai.ts'
import { answer, type Step } from './steps.ts'

export { PIECES, TEXT } from './dialect.ts'
export type { Exchange } from './http.ts'
export * from './steps.ts'

/** The providers, behind one address. */
export class Providers {
  readonly url: string
  readonly stop: () => void
  readonly #scripts: Map<string, Step[]>
  readonly #received: Map<string, Exchange[]>
  readonly #waiting: Set<() => void>

  private constructor(
    server: { url: string; stop: () => void },
    scripts: Map<string, Step[]>,
    received: Map<string, Exchange[]>,
    waiting: Set<() => void>,
  ) {
    this.url = server.url
    this.stop = server.stop
    this.#scripts = scripts
    this.#received = received
    this.#waiting = waiting
  }

  static async start(): Promise<Providers> {
    const scripts = new Map<string, Step[]>()
    const received = new Map<string, Exchange[]>()
    const waiting = new Set<() => void>()
    const server = await listen(async (exchange) => {
      const dialect = dialectOf(exchange)
      const secret = dialect.secretOf(exchange)
      received.set(secret, [...(received.get(secret) ?? []), exchange])
      for (const check of waiting) check()
      const step = scripts.get(secret)?.shift() ?? answer
      await step(exchange, dialect)
    })
    return new Providers(server, scripts, received, waiting)
  }

  /** How the next requests with this key are treated; those that follow are answered as they should be. */
  script(secret: string, ...steps: Step[]): void {
    this.#scripts.set(secret, steps)
  }

  /** The requests that came with this key. */
  received(secret: string): readonly Exchange[] {
    return this.#received.get(secret) ?? []
  }

  /** Waits for a request with this key. */
  async arrival(secret: string, count = 1): Promise<Exchange> {
    for (;;) {
      const found = this.received(secret)[count - 1]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        const check = () => {
          this.#waiting.delete(check)
          resolve()
        }
        this.#waiting.add(check)
      })
    }
  }
}

function dialectOf({ path }: Exchange): Dialect {
  if (/^\/v1beta|:\w*generateContent$/i.test(path)) return gemini
  return path.includes('/messages') ? anthropic : openai
}
