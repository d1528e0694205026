/**
 * A lease on a credential of a group.
 * @module
 */

import type { Engine } from './engine.js'
import { Lease } from './lease.js'
import type { Provider } from './provider.js'
import type { Verdict } from './types.js'

/** What a router knows of a choice. */
export interface Routed {
  /** What the group's provider calls the model. */
  readonly upstreamModel: string | undefined
  /** Before ids of responses, which are apart by access key. */
  readonly scope: string
  /** Takes in that the attempt was a success. */
  readonly learn: () => void
}

/**
 * The right to use one credential of a group for one attempt, as {@link Router.run} hands it out.
 *
 * @remarks
 * Its success is what binds a session to its credential.
 */
export class RoutedLease extends Lease {
  readonly #routed: Routed
  #isTold = false

  /** @internal */
  constructor(engine: Engine, provider: Provider, id: number, granted: number, routed: Routed) {
    super(engine, provider, id, granted, routed.upstreamModel)
    this.#routed = routed
  }

  /** The id of the group. */
  get group(): string {
    return this.provider
  }

  /** What the group's provider calls the model: put it into the request. `undefined` when none is asked for. */
  get upstreamModel(): string | undefined {
    return this.#routed.upstreamModel
  }

  override report(outcome: unknown): Promise<Verdict> {
    const verdict = super.report(outcome)
    if (!this.#isTold) {
      this.#isTold = true
      verdict.then(
        ({ class: kind }) => kind === 'ok' && this.#routed.learn(),
        () => {
          this.#isTold = false // nothing was judged, so it may be reported again
        },
      )
    }
    return verdict
  }

  override release(): void {
    this.#isTold = true // no success: nothing is known
    super.release()
  }

  override remember(responseId: string): void {
    super.remember(this.#routed.scope + responseId)
  }
}
