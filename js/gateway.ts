/**
 * A gateway: one address for many clients and many providers, with the keys behind it.
 * @module
 */

import {
  type GroupStatus,
  type Inspection,
  type Protocol,
  type RouteRequest,
  Router,
  Secrets,
} from 'keyrota'
import { RetryBudget } from './fetch/budget.js'
import { appOf } from './gateway/app.js'
import { tellChanges } from './gateway/changes.js'
import { checkConfig, withIssues } from './gateway/check.js'
import type { GatewayConfig } from './gateway/config.js'
import type { GatewayEvent } from './gateway/events.js'
import { guarded } from './gateway/log.js'
import { routesOf, type State, stateOf } from './gateway/state.js'
import { validation } from './gateway/validation.js'

export type * from './gateway/config.js'
export type {
  AttemptEvent,
  CredentialChange,
  CredentialEvent,
  GatewayEvent,
  RequestEvent,
} from './gateway/events.js'
export type { GatewayErrorCode } from './gateway/failures.js'

/** What a gateway is made with, beside its configuration: what cannot stand in a file. */
export interface GatewayOptions {
  /**
   * What sends to the providers. It must obey `signal`, as `fetch` does: a request ends at its time all the
   * same, but what was begun for it goes on. @defaultValue the global `fetch`
   */
  readonly upstreamFetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /**
   * Told of every attempt and of every request when it has ended, and of what becomes of credentials: for logs
   * and counters. What it throws is ignored. @defaultValue none
   */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined
  /**
   * Where `$NAME` in a secret is looked up, such as the `env` of a Worker.
   *
   * @defaultValue the environment of the process
   */
  readonly env?: object | undefined
  /** Turns the `secret` of a credential into the key; it goes before `env`. @defaultValue by `env` */
  readonly resolveSecret?:
    | ((secret: string) => string | null | undefined | PromiseLike<string | null | undefined>)
    | undefined
  /** Time source: milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: (() => number) | undefined
}

/** What a Worker is given beside a request: it lets work outlive the answer, and the client that left. */
export interface RequestContext {
  readonly waitUntil: (work: Promise<unknown>) => void
}

/** A gateway. */
export interface Gateway {
  /**
   * Answers a request of a client. It needs no `this`. In a Worker give it all three arguments of the handler:
   * without the context a client that leaves takes along what would have freed its credential, and a blacklisted
   * key is not validated to the end. The second is not read; `env` of the options is.
   */
  readonly fetch: (request: Request, env?: unknown, context?: RequestContext) => Promise<Response>
  /** Why each group and credential would serve such a request or would not. It changes nothing. */
  readonly inspect: (query: RouteRequest) => Inspection
  /** The state of each group and its credentials, as data without secrets. */
  readonly health: () => GroupStatus[]
  /**
   * Takes another configuration. Health, conversations, running streams and the retry budget stay. Health
   * follows the id of a credential in its group: one that moves to another group begins there anew.
   *
   * @throws `KeyrotaError` `invalid_config`; then nothing has changed
   */
  readonly reload: (config: GatewayConfig) => void
  /** Ends every rest of a credential, also those of single models, and brings it back. */
  readonly recover: (credential: string) => void
  /** Says that the quota of a credential is there again: what rests for the lack of it rests no more. */
  readonly recoverQuota: (credential: string) => void
  /** Settles when all secrets are resolved. Requests wait for that by themselves. */
  readonly ready: () => Promise<void>
  /** Frees the memory. Requests are refused from now on. */
  readonly dispose: () => void
}

/**
 * Makes a gateway of a configuration. It opens no port: give its `fetch` to whatever serves requests.
 *
 * @throws `KeyrotaError` `invalid_config` with all `issues`
 *
 * @example In a Worker, whose secrets are known when the first request comes
 * ```ts
 * let gateway: Gateway | undefined
 * export default {
 *   fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
 *     gateway ??= createGateway(config, { env })
 *     return gateway.fetch(request, env, context)
 *   },
 * }
 * ```
 */
export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { upstreamFetch = (url, init) => globalThis.fetch(url, init), env } = options
  const onEvent = options.onEvent && guarded(options.onEvent)
  const { now = Date.now, resolveSecret = env && lookUpIn(env) } = options
  const state = new Current(config)
  const dialectOf = (group: string) => router.dialectOf(group)
  const work = new Work()
  const validate = work.tracking(validation(state.now, dialectOf, upstreamFetch))
  const given = { now, validate, ...(resolveSecret && { resolveSecret }) }
  const router: Router = withIssues(() => new Router({ ...routesOf(config), ...given }))
  if (onEvent !== undefined) tellChanges(router, onEvent)
  let isDisposed = false
  const host = {
    router,
    state: state.now,
    budget: state.budget,
    fetch: upstreamFetch,
    now,
    onEvent,
  }
  const app = appOf({ ...host, isDisposed: () => isDisposed })
  return {
    fetch: async (request, _env, context) => {
      const answered = app.fetch(request)
      context?.waitUntil(work.after(answered))
      return answered
    },
    inspect: (query) => router.inspect(query),
    health: () => router.status(),
    reload: (next) => {
      const ready = state.check(next)
      withIssues(() => router.reload({ ...routesOf(next), ...given }))
      state.take(ready)
    },
    recover: (credential) => router.recover(credential),
    recoverQuota: (credential) => router.recoverQuota(credential),
    ready: () => router.ready(),
    dispose: () => {
      isDisposed = true
      router.dispose()
    },
  }
}

/** What goes on beside the requests, and ends in a Worker with the request that began it, unless that waits. */
class Work {
  readonly #underway = new Set<Promise<unknown>>()

  tracking<Given, Made>(begin: (given: Given) => Promise<Made>): (given: Given) => Promise<Made> {
    return (given) => {
      const begun = begin(given)
      const forget = () => this.#underway.delete(begun)
      this.#underway.add(begun)
      begun.then(forget, forget)
      return begun
    }
  }

  /** Settles after that, and after all that goes on by then. */
  async after(answered: unknown): Promise<void> {
    await Promise.allSettled([answered])
    await Promise.allSettled(this.#underway)
  }
}

/** What counts now. */
class Current {
  #state: State
  #budget: RetryBudget

  constructor(config: GatewayConfig) {
    this.#state = this.check(config)
    this.#budget = new RetryBudget(this.#state.retry.share, this.#state.retry.reserve)
  }

  readonly now = (): State => this.#state
  readonly budget = (): RetryBudget => this.#budget

  /** Makes a configuration ready, if nothing is wrong with it. */
  check(config: GatewayConfig): State {
    checkConfig(config)
    return stateOf(config)
  }

  take(state: State): void {
    const { share, reserve } = this.#state.retry
    const isSame = share === state.retry.share && reserve === state.retry.reserve
    // What was saved up is kept, unless it is to be counted by other numbers.
    if (!isSame) this.#budget = new RetryBudget(state.retry.share, state.retry.reserve)
    this.#state = state
  }
}

function lookUpIn(env: object): (secret: string) => string | undefined {
  return (secret) => {
    const variable = Secrets.variableOf(secret)
    if (variable === null) return secret
    const value: unknown = Object.hasOwn(env, variable) ? Reflect.get(env, variable) : undefined
    return typeof value === 'string' ? value : undefined
  }
}

export type { GroupStatus, Inspection, Protocol, RouteRequest }
