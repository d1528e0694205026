/**
 * The router: chooses a group and a credential in it for each attempt of a client's request.
 * @module
 */

import { abortable, within } from './clock.js'
import { Engine } from './engine.js'
import { invalidOption, KeyrotaError } from './errors.js'
import type { KeyPoolEvent, KeyPoolEvents } from './events.js'
import { variablesOf } from './explanation.js'
import type { Lease } from './lease.js'
import { listen, tellAcquired } from './listening.js'
import { calls, milliseconds } from './options.js'
import { probe, validateWith } from './probe.js'
import { modelOf } from './request.js'
import { checkProtocol, checkRouterOptions, PROTOCOLS } from './route-options.js'
import { poolOptions, routeSettings, upstreamNames } from './route-settings.js'
import type {
  GroupStatus,
  Inspection,
  RouteRequest,
  RouteRunOptions,
  RouterOptions,
} from './route-types.js'
import { RoutedLease } from './routed-lease.js'
import { type Attempt, attemptsOf, run } from './run.js'
import * as hash from './session.js'
import { waitOf } from './settings.js'
import type { ReasonCode, StatusRow, Verdict } from './types.js'
import { type Refused, Waiting } from './waiting.js'
import { createPlan, DENIED, NO_GROUP, NONE_AVAILABLE, type Plan } from './wasm/core.js'

/**
 * Chooses for each attempt of a client's request a group and a credential in it: by what the client's access
 * key grants, by protocol, model, tier and weight, with sessions that stay where they were served.
 *
 * @remarks
 * It is what `keyrota/gateway` is made of, for those who send requests themselves. A choice costs what
 * changed since the last one, and looks neither at all groups nor at all credentials.
 *
 * @example Two tiers, and a client that may use one model
 * ```ts
 * const router = new Router({
 *   accessKeys: [{ id: 'app', models: ['gpt-5'] }],
 *   groups: [
 *     { id: 'openai', protocols: ['openai-chat'], credentials: [{ id: 'a', secret: '$OPENAI_KEY' }] },
 *     { id: 'spare', protocols: ['openai-chat'], priority: -1, credentials: [{ id: 'b', secret: '$SPARE_KEY' }] },
 *   ],
 * })
 * const request = { accessKey: 'app', protocol: 'openai-chat', model: 'gpt-5' } as const
 * const answer = await router.run(request, (lease) => send(lease.group, lease.secret))
 * ```
 */
export class Router {
  readonly #engine: Engine
  readonly #waiting: Waiting
  #options: RouterOptions
  #accessKeys: ReadonlyMap<string, number> = new Map()
  /** What each group calls the models. */
  #upstream: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map()
  #loading: Promise<void> | undefined
  /** The wait of requests for it. */
  #patient: Promise<void> | undefined

  /**
   * Makes a router.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path
   */
  constructor(options: RouterOptions) {
    checkRouterOptions(options)
    this.#options = options
    this.#engine = new Engine(poolOptions(options))
    this.#waiting = new Waiting(this.#engine)
    validateWith(this.#engine)
    this.#engine.constructing(() => this.#settle(options))
  }

  /** Settles once the secrets of all groups are resolved; {@link Router.run} waits for that by itself. */
  async ready(): Promise<void> {
    // Other options may come in the meantime, with secrets of their own.
    while (this.#loading !== undefined) await this.#loading
  }

  /** Settles with {@link Router.ready}, or once secrets have had their time: then those serve that are there. */
  #soon(): Promise<void> {
    const loading = this.#loading
    this.#patient ??= within(this.ready(), SECRETS_MS).finally(() => {
      this.#patient = undefined
      // What is still missing is not waited for again.
      if (this.#loading === loading) this.#loading = undefined
    })
    return this.#patient
  }

  /**
   * Takes other settings from now on. Health, leases and sessions are kept, by the id of a credential in its
   * group: one that moves to another group begins there anew. `now`, `seed` and `leaseTtlMs` stay as they were.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option`; nothing has changed then
   */
  reload(options: RouterOptions): void {
    this.#engine.assertAlive()
    checkRouterOptions(options)
    this.#options = options
    this.#engine.reconfigure(poolOptions(options))
    this.#settle(options)
  }

  #settle(options: RouterOptions): void {
    const engine = this.#engine
    const { accessKeys, groups } = options
    this.#accessKeys = new Map(accessKeys.map(({ id }, at) => [id, at]))
    this.#upstream = upstreamNames(groups)
    const providers = groups.map(({ id }) => engine.provider(id))
    engine.timed(() => engine.core.route(routeSettings(options, (id) => engine.provider(id).index)))
    const pending = providers.map((provider) => engine.ensureLoaded(provider))
    const loading = pending.filter((one) => one !== undefined)
    if (loading.length === 0) {
      this.#loading = undefined
      return
    }
    const all = Promise.all(loading).then(() => {
      if (this.#loading === all) this.#loading = undefined
    })
    this.#loading = all
    all.catch(() => {}) // told to whoever waits
  }

  /**
   * Makes one request with fail-over over groups and credentials: chooses, calls `attempt`, reports, and
   * tries another while that can help and is safe. After a failure the next lower tier comes before the
   * rest of the same one, and none above again.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; when there was none, {@link KeyrotaError} `access_denied` or
   * `model_not_found` with the `reason`, or `no_credential_available` with the time and the `inspection`
   */
  async run<T>(options: RouteRunOptions, attempt: Attempt<T, RoutedLease>): Promise<T> {
    calls.route(options, attempt)
    const plan = createPlan(attemptsOf(options), options.idempotent === true)
    const asked = this.#asked(options, this.#engine.nextRequest())
    const host = {
      plan,
      acquire: (leastWaitMs: number) => this.#acquire(options, asked, plan, leastWaitMs),
      size: () => this.#engine.size,
      hasOtherSecret: ({ provider, credential, secret }: RoutedLease) =>
        this.#engine.hasOtherSecret(provider, credential.id, secret),
    }
    try {
      return await run(host, options, attempt)
    } finally {
      plan.free()
    }
  }

  /**
   * Says where a request would go now, and why each group and each credential is chosen or passed over. It
   * changes nothing, and agrees with what the next request does.
   */
  inspect(request: RouteRequest): Inspection {
    calls.inspect(request)
    const engine = this.#engine
    const { accessKey, protocol, model, numbers } = this.#asked(request, 0)
    const told = engine.timed(() =>
      engine.core.inspect(accessKey, protocol, model, numbers),
    ) as Omit<Inspection, 'accessKey'> & { accessKey: ReasonCode }
    return {
      ...told,
      accessKey: { id: request.accessKey, reason: told.accessKey },
      groups: told.groups.map((group) => {
        const credentials = variablesOf(group.credentials, engine.provider(group.id))
        return { ...group, credentials }
      }),
    }
  }

  /** What is known of each group and its credentials, those included whose rows break a rule. */
  status(): GroupStatus[] {
    const engine = this.#engine
    return this.#options.groups.map(({ id, enabled = true, priority = 0, weight = 50 }) => {
      const { index, invalid } = engine.provider(id)
      const known = engine.timed(() => engine.core.status(index)) as StatusRow[]
      const credentials = [...known, ...invalid.map(invalidRow)]
      return { id, enabled, priority, weight, credentials }
    })
  }

  /** Whose rules read the answers of a group. */
  dialectOf(group: string): string {
    return this.#engine.dialectOf(group)
  }

  /**
   * Finds out whether a credential works, as {@link KeyPool.probe} does.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id;
   * `no_credential_available` when it has no secret
   */
  async probe(id: string, send: (lease: Lease) => unknown): Promise<Verdict> {
    calls.probe(send)
    return probe(this.#engine, id, send)
  }

  /**
   * Brings a credential back by hand, whatever took it out: its rests and those of its models and its quota
   * group, a blacklisting, a verdict. What is `enabled: false` stays off.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
   */
  recover(id: string): void {
    this.#byHand(id, (provider, number) => this.#engine.core.recover(provider, number))
  }

  /**
   * Takes in that a quota or a balance is there again: ends what it caused, and nothing else.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no group has that id
   */
  recoverQuota(id: string): void {
    this.#byHand(id, (provider, number) => this.#engine.core.recoverQuota(provider, number))
  }

  #byHand(id: string, change: (provider: number, number: number) => unknown): void {
    const { provider, number } = this.#engine.find(id)
    this.#engine.timed(() => change(provider.index, number))
    this.#waiting.wake()
  }

  /**
   * Calls `listener` whenever the event happens; `provider` names the group.
   *
   * @returns what removes the listener
   */
  on<Name extends KeyPoolEvent>(
    event: Name,
    listener: (event: KeyPoolEvents[Name]) => void,
  ): () => void {
    return listen(this.#engine, event, listener)
  }

  /** Frees the router's memory. Every later call throws `disposed`. */
  dispose(): void {
    this.#engine.dispose()
    this.#waiting.wake()
  }

  /** {@link Router.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose()
  }

  /** What the core reads of a request: sessions and responses are apart by access key. */
  #asked(request: RouteRequest, number: number): Asked {
    const { accessKey, protocol, session, continues } = request
    for (const [name, value] of Object.entries({ session, continues })) textOrNone(name, value)
    const known = PROTOCOLS.indexOf(protocol)
    checkProtocol('protocol', protocol)
    const scope = `${accessKey}\n`
    hash.hashSession(session === undefined ? undefined : `${scope}${protocol}\n${session}`)
    const { low, high } = hash
    hash.hashSession(continues === undefined ? undefined : scope + continues, 'continues')
    const numbers = Uint32Array.of(low, high, hash.low, hash.high, number, 0, 0, 0)
    const at = this.#accessKeys.get(accessKey) ?? NOBODY
    return { accessKey: at, protocol: known, model: modelOf(request), numbers, scope }
  }

  async #acquire(
    options: RouteRunOptions,
    asked: Asked,
    plan: Plan,
    leastWaitMs: number,
  ): Promise<RoutedLease> {
    const { signal } = options
    const maxWaitMs = milliseconds('maxWaitMs', options.maxWaitMs, waitOf(this.#options, {}))
    const ask = () => {
      const tryNow = () => this.#tryAcquire(options, asked, plan)
      return this.#loading === undefined ? tryNow() : abortable(this.#soon(), signal).then(tryNow)
    }
    const patience = { provider: undefined, signal, maxWaitMs: Math.max(maxWaitMs, leastWaitMs) }
    return this.#waiting.until(ask, patience)
  }

  #tryAcquire(request: RouteRequest, asked: Asked, plan: Plan): RoutedLease | Refused {
    const engine = this.#engine
    engine.assertAlive()
    const { core } = engine
    const { model, numbers, scope } = asked
    // What is reloaded meanwhile counts for the next attempt.
    const accessKey = this.#accessKeys.get(request.accessKey) ?? NOBODY
    const id = core.acquireRouted(plan, accessKey, asked.protocol, model, numbers)
    if (id < 0) return this.#refuse(id, request)
    const provider = engine.providerAt(core.routedTo())
    const granted = core.granted()
    const seen = core.sessionSeen()
    const [low, high] = numbers as unknown as [number, number]
    const lease: RoutedLease = new RoutedLease(engine, provider, id, granted, {
      upstreamModel: model && (this.#upstream.get(provider.name)?.get(model) ?? model),
      scope,
      learn: () => {
        // Who had no room for one request has it for the next.
        if (lease.reason === 'overflow' || engine.disposed) return
        engine.timed(() => core.learn(low, high, seen, provider.index, granted >>> 3))
      },
    })
    tellAcquired(engine, lease)
    return lease
  }

  #refuse(code: number, request: RouteRequest): Refused {
    const { core } = this.#engine
    const fault = this.#engine.faultOf(code)
    if (fault !== undefined) throw fault
    const { accessKey, protocol, model, session, continues } = request
    const wait = code === NONE_AVAILABLE ? core.retryAfter() : -1
    const atCapacity = code === NONE_AVAILABLE && core.atCapacity()
    const retryAfterMs = wait < 0 ? null : wait
    const reason = (core.turnedAwayFor() ?? 'no_usable_credential') as ReasonCode
    const toError = () => {
      const look = () => this.inspect({ accessKey, protocol, model, session, continues })
      const asks = `${model === undefined ? '' : `for '${model}' `}over ${protocol}`
      if (code === DENIED) {
        const message = `access key '${accessKey}' may not ask ${asks}: ${reason}`
        return withInspection(new KeyrotaError('access_denied', message, { reason }), look)
      }
      if (code === NO_GROUP) {
        const message = `no group serves what access key '${accessKey}' asks ${asks}: ${reason}`
        return withInspection(new KeyrotaError('model_not_found', message, { reason }), look)
      }
      const next = retryAfterMs === null ? '' : `; the next one is back in ${retryAfterMs} ms`
      const message = `no credential can serve what access key '${accessKey}' asks ${asks}${next}: see inspection`
      const facts = { retryAfterMs, atCapacity }
      return withInspection(new KeyrotaError('no_credential_available', message, facts), look)
    }
    return { ok: false, code: 'no_credential_available', retryAfterMs, atCapacity, toError }
  }
}

/** A row that breaks a rule: nothing else is known of it. `inspect` says which rule. */
function invalidRow(id: string): StatusRow {
  const about = { id, label: null, weight: 0, priority: 0, state: 'invalid_credential' as const }
  const health = { by: null, until: null, level: 0, cause: null, models: [], inFlight: 0 }
  return { ...about, ...health, picks: 0, successes: 0, failures: 0, lastUsedAt: null }
}

/** What the core reads of a request. */
interface Asked {
  readonly protocol: number
  readonly model: string | undefined
  readonly numbers: Uint32Array
  readonly scope: string
  readonly accessKey: number
}

/** How long requests wait for secrets that are being resolved. */
const SECRETS_MS = 10_000

/** The place of an access key that is none. */
const NOBODY = 0xffff_ffff

function textOrNone(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw invalidOption(name, value, 'must be a text')
  }
}

/** The inspection is made when someone reads it: it looks at everything, and a refusal must cost little. */
function withInspection(error: KeyrotaError, look: () => Inspection): KeyrotaError {
  let seen: Inspection | undefined
  const get = () => {
    try {
      seen ??= look()
    } catch {
      // There is no router to look at any more, and who writes an error down must not meet another one.
    }
    return seen
  }
  return Object.defineProperty(error, 'inspection', { get, enumerable: true, configurable: true })
}
