/**
 * How long a gateway waits for a provider: until its answer begins, and between two chunks of it.
 * @module
 */

/**
 * What a provider that took too long ends with. The name `TimeoutError` would be that of a caller whose time is
 * up; this code, which undici has for it, says that another attempt may fare better.
 */
export class Overdue extends Error {
  override readonly name = 'Overdue'
  readonly code = 'UND_ERR_BODY_TIMEOUT'
}

/** The end of one attempt's patience is the end of its connection. */
export class Patience {
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #overdue: Overdue | undefined

  /** Aborts when it is over, and when nobody wants the answer any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What is wrong, when the provider took too long. */
  get overdue(): Overdue | undefined {
    return this.#overdue
  }

  /** Waits for what must come within so many milliseconds; {@link Patience.got} says that it came. */
  wait(ms: number, what: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#overdue = new Overdue(`the provider sent ${what} for ${ms} ms`)
      this.#controller.abort(this.#overdue)
    }, ms)
  }

  got(): void {
    clearTimeout(this.#timer)
  }

  /** Nobody wants the answer any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#controller.abort()
  }
}
