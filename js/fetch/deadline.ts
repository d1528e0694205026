/**
 * How long a request may take until its answer begins, all attempts and waits together.
 * @module
 */

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** Aborts a request that takes too long. What comes of it is not known, and nobody is blamed. */
export class Deadline {
  readonly #controller: AbortController
  readonly #timer: ReturnType<typeof setTimeout>
  #reason: DOMException | undefined

  /**
   * Begins to count.
   *
   * @param option - the name by which the time was given
   * @param controller - what is aborted
   */
  constructor(ms: number, option: string, controller: AbortController = new AbortController()) {
    this.#controller = controller
    this.#timer = setTimeout(
      () => {
        this.#reason = new DOMException(`the request took longer than ${option}`, 'TimeoutError')
        controller.abort(this.#reason)
      },
      Math.min(ms, LONGEST_TIMER_MS),
    )
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What the request ended with; `undefined` when it was in time. */
  get reason(): DOMException | undefined {
    return this.#reason
  }

  /** The answer has begun, or there is none: its time is no longer counted. */
  end(): void {
    clearTimeout(this.#timer)
  }
}
