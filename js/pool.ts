/**
 * The pool: chooses a credential for each attempt, and learns from how it ended.
 * @module
 */

import { abortable } from './clock.js'
import { Engine } from './engine.js'
import { invalidOption } from './errors.js'
import type { KeyPoolEvent, KeyPoolEvents } from './events.js'
import { withoutChoice, withVariables } from './explanation.js'
import { Lease } from './lease.js'
import { listen, tellAcquired } from './listening.js'
import type { KeyPoolOptions, StrategyFunction } from './option-types.js'
import { calls, milliseconds } from './options.js'
import { probe, validateWith } from './probe.js'
import type { Provider } from './provider.js'
import { Refusal } from './refusal.js'
import { modelOf, numbers, type Planned } from './request.js'
import { type Attempt, attemptsOf, run } from './run.js'
import * as hash from './session.js'
import { ask } from './strategy.js'
import type {
  AcquireOptions,
  AcquireRequest,
  Explanation,
  RunOptions,
  Snapshot,
  StatusRow,
  Verdict,
} from './types.js'
import { Waiting } from './waiting.js'
import { createPlan, NONE_AVAILABLE, NOT_LOADED } from './wasm/core.js'

/**
 * A pool of API keys for any number of providers.
 *
 * @remarks
 * It holds no timers and no connections; {@link KeyPool.dispose} frees its memory. One pool per
 * process is the rule; several do not disturb each other.
 *
 * @example Three keys, a session that stays on its key, and fail-over when one is rate limited
 * ```ts
 * const pool = new KeyPool({ credentials: { openai: ['$OPENAI_KEY_1', '$OPENAI_KEY_2'] } })
 * const answer = await pool.run({ provider: 'openai', session: chat.id }, (lease) =>
 *   fetch(url, { headers: { authorization: `Bearer ${lease.secret}` }, method: 'POST', body }),
 * )
 * ```
 */
export class KeyPool {
  readonly #engine: Engine
  readonly #waiting: Waiting

  /**
   * Makes a pool. Nothing is loaded yet but what stands in `credentials`.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path;
   * `wasm_blocked` or `unsupported_engine` when WebAssembly cannot be used here
   */
  constructor(options: KeyPoolOptions) {
    this.#engine = new Engine(options)
    this.#waiting = new Waiting(this.#engine)
    validateWith(this.#engine)
  }

  /**
   * Leases a credential for one attempt, loading the provider's rows first if need be.
   *
   * @throws {@link KeyrotaError} `no_credential_available` when none can serve within `maxWaitMs`: its
   * `retryAfterMs` and `explanation` say when and why. `load_failed` and `invalid_rows` when the
   * loader failed: nothing was cached, so the next call asks again
   * @throws the signal's reason, if `signal` aborts first
   */
  async acquire(options: AcquireOptions): Promise<Lease> {
    calls.acquire(options)
    return this.#acquire(options, 0)
  }

  /** `planned` is what all attempts of one request share; a request of one attempt has none. */
  async #acquire(options: AcquireOptions, leastWaitMs: number, planned?: Planned): Promise<Lease> {
    const { signal } = options
    const provider = this.#engine.provider(options.provider)
    const asked = milliseconds('maxWaitMs', options.maxWaitMs, provider.longestWaitMs)
    const tryNow = () => this.#tryAcquire(options, planned)
    const ask = () => {
      const loading = this.#engine.ensureLoaded(this.#engine.provider(options.provider))
      return loading === undefined ? tryNow() : abortable(loading, signal).then(tryNow)
    }
    return this.#waiting.until(ask, { provider, signal, maxWaitMs: Math.max(asked, leastWaitMs) })
  }

  /**
   * Leases a credential at once, or says why not. The provider must be loaded: see {@link KeyPool.load}.
   *
   * @returns a lease or a refusal, told apart by `ok`
   */
  tryAcquire(request: AcquireRequest): Lease | Refusal {
    if (request === undefined || request === null) {
      throw invalidOption('request', request, 'must be an object')
    }
    return this.#tryAcquire(request)
  }

  #tryAcquire(request: AcquireRequest, planned?: Planned): Lease | Refusal {
    const { core } = this.#engine
    const provider = this.#engine.provider(request.provider)
    const model = this.#model(provider, request)
    if (provider.strategy !== undefined) {
      return this.#acquireByFunction(provider, request, provider.strategy, planned)
    }
    const { tried, continues } = request
    if (model || (tried && tried.length !== 0) || continues !== undefined || planned) {
      const asked = numbers(provider, request, planned)
      const id = core.acquireFiltered(provider.index, model, asked)
      return this.#answer(provider, id, request, asked, planned)
    }
    hash.hashSession(request.session)
    const id = core.acquire(provider.index, hash.low, hash.high)
    return id >= 0 ? this.#grant(provider, id, request) : this.#refuse(provider, id, request)
  }

  /** The model, if it can make a difference to the choice. */
  #model(provider: Provider, request: AcquireRequest): string | undefined {
    const model = modelOf(request)
    return model !== undefined && this.#engine.core.mindsModels(provider.index) ? model : undefined
  }

  /** Loads a provider's rows now rather than at the first {@link KeyPool.acquire}. */
  async load(provider: string): Promise<void> {
    await this.#engine.loaded(this.#engine.provider(provider))
  }

  /**
   * Makes one request with fail-over: acquires, calls `attempt`, reports, and tries another credential
   * while that can help and is safe.
   *
   * @remarks
   * `attempt` answers a `Response` (or anything with a `status`), or throws what an SDK throws; both
   * are read. Turn off the SDK's own retries. Each credential is tried once; one that was not to blame
   * may be tried again when nobody else is left. After a failure a lower `priority` comes before the rest
   * of the same one, and none above again. A short pause of the provider is waited out.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; what {@link KeyPool.acquire} throws when there was none
   */
  async run<T>(options: RunOptions, attempt: Attempt<T>): Promise<T> {
    calls.run(options, attempt)
    const engine = this.#engine
    const asked = engine.provider(options.provider)
    const plan = createPlan(attemptsOf(options), options.idempotent === true)
    const planned = { number: engine.nextRequest(), plan }
    const host = {
      plan,
      acquire: (leastWaitMs: number) => this.#acquire(options, leastWaitMs, planned),
      size: () => asked.size,
      hasOtherSecret: ({ provider, credential, secret }: Lease) =>
        engine.hasOtherSecret(provider, credential.id, secret),
    }
    try {
      return await run(host, options, attempt)
    } finally {
      plan.free()
    }
  }

  /**
   * Finds out whether a credential works, whatever is known of it: one that rests, or that a verdict
   * disabled, too. A success ends its rests and brings it back, also from the blacklist, unless it is a
   * subscription: {@link KeyPool.recover} is for that. What a person switched off stays off. It is an attempt
   * like any other, and no `maxConcurrent` stops it.
   *
   * @param id - the credential's id
   * @param send - makes one attempt with `lease.secret`; answers or throws as in {@link KeyPool.run}
   * @returns what the attempt means
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id;
   * `no_credential_available` when it has no secret
   *
   * @example A button that tests one key
   * ```ts
   * const verdict = await pool.probe('team-key', (lease) =>
   *   fetch('https://api.openai.com/v1/models', { headers: { authorization: `Bearer ${lease.secret}` } }),
   * )
   * ```
   */
  async probe(id: string, send: (lease: Lease) => unknown): Promise<Verdict> {
    calls.probe(send)
    return probe(this.#engine, id, send)
  }

  /**
   * Says which credential a request would get now, and why each other one is passed over. It changes
   * nothing.
   */
  explain(request: AcquireRequest): Explanation {
    calls.explain(request)
    return this.#explain(request)
  }

  #explain(request: AcquireRequest, known?: Uint32Array): Explanation {
    const engine = this.#engine
    const provider = engine.provider(request.provider)
    const asked = known ?? numbers(provider, request, undefined)
    const explanation = engine.timed(() =>
      engine.core.explain(provider.index, modelOf(request), asked),
    ) as Explanation
    const told = withVariables(explanation, provider)
    return provider.strategy === undefined ? told : withoutChoice(told)
  }

  /** What is known of each credential of a provider, by priority, then in order. */
  status(provider: string): StatusRow[] {
    const { index } = this.#engine.provider(provider)
    return this.#engine.timed(() => this.#engine.core.status(index)) as StatusRow[]
  }

  /**
   * Brings a credential back by a person's word, with clean health: off the blacklist, whatever was counted
   * towards it forgotten, its rests ended with those of its models and its quota group, and a verdict against
   * it lifted. What is `enabled: false` stays off.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recover(id: string): void {
    const { provider, number } = this.#engine.find(id)
    provider.stored.delete(number)
    this.#engine.timed(() => this.#engine.core.recover(provider.index, number))
    this.#waiting.wake()
  }

  /**
   * Takes in that a quota or a balance is there again: ends the rests that it caused, of the credential,
   * its models and its quota group, and its blacklisting. Other rests keep their time.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recoverQuota(id: string): void {
    const { provider, number } = this.#engine.find(id)
    this.#engine.timed(() => this.#engine.core.recoverQuota(provider.index, number))
    this.#waiting.wake()
  }

  /**
   * Ends every rest of a credential, those of its models and of its quota group too. One that is blacklisted
   * or disabled stays so.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  reset(id: string): void {
    const { provider, number } = this.#engine.find(id)
    this.#engine.timed(() => this.#engine.core.reset(provider.index, number))
    this.#waiting.wake()
  }

  /**
   * Brings a disabled or blacklisted credential back with clean health. If the app's storage has it disabled, change
   * it there too: the next load counts.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  enable(id: string): void {
    const { provider, number } = this.#engine.find(id)
    provider.stored.delete(number)
    this.#engine.timed(() => this.#engine.core.enable(provider.index, number))
    this.#waiting.wake()
  }

  /** Drops the loaded rows of one provider, or of all: the next call loads anew. Health is kept. */
  invalidate(provider?: string): void {
    this.#engine.invalidate(provider)
    this.#waiting.wake()
  }

  /**
   * Whose rules read the answers of a provider: what its options or the pool's say, else its own name.
   *
   * @example The place of a key follows the dialect, whatever a team calls its provider
   * ```ts
   * const header = pool.dialectOf('team-a') === 'anthropic' ? 'x-api-key' : 'authorization'
   * ```
   */
  dialectOf(provider: string): string {
    return this.#engine.dialectOf(provider)
  }

  /** Forgets which credentials a session was on; answers whether any was known. */
  releaseSession(session: string): boolean {
    return this.#engine.releaseSession(session)
  }

  /**
   * Calls `listener` whenever the event happens.
   *
   * @returns what removes the listener
   */
  on<Name extends KeyPoolEvent>(
    event: Name,
    listener: (event: KeyPoolEvents[Name]) => void,
  ): () => void {
    return listen(this.#engine, event, listener)
  }

  /** Health, order and sessions as JSON, without secrets and rows, to go on after a restart. */
  snapshot(): Snapshot {
    return this.#engine.timed(() => this.#engine.core.snapshot()) as Snapshot
  }

  /**
   * Goes on where a snapshot was taken. Rows stay loaded; leases in flight end without a verdict.
   *
   * @throws {@link KeyrotaError} `snapshot_malformed` or `snapshot_newer_version`; the pool is as it was
   */
  restore(snapshot: unknown): void {
    this.#engine.restore(snapshot)
    this.#waiting.wake()
  }

  /** Frees the pool's memory. Every later call throws `disposed`. */
  dispose(): void {
    this.#engine.dispose()
    this.#waiting.wake()
  }

  /** {@link KeyPool.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose()
  }

  /** A lease or a refusal, for a request that asked with these numbers. */
  #answer(
    provider: Provider,
    id: number,
    request: AcquireRequest,
    asked: Uint32Array,
    planned: Planned | undefined,
  ): Lease | Refusal {
    if (id < 0) return this.#refuse(provider, id, request, asked)
    const { core } = this.#engine
    if (planned !== undefined) {
      core.place(planned.plan, provider.index, core.granted() >>> 3, asked)
    }
    return this.#grant(provider, id, request)
  }

  #grant(provider: Provider, id: number, request: AcquireRequest): Lease {
    const engine = this.#engine
    const lease = new Lease(engine, provider, id, engine.core.granted(), request.model)
    tellAcquired(engine, lease)
    return lease
  }

  #refuse(provider: Provider, code: number, request: AcquireRequest, asked?: Uint32Array): Refusal {
    const fault = this.#engine.faultOf(code)
    if (fault !== undefined) throw fault
    const explain = () => this.#explain(request, asked)
    if (code === NOT_LOADED) return new Refusal('not_loaded', provider.name, null, false, explain)
    const { core } = this.#engine
    const wait = core.retryAfter()
    const retryAfterMs = wait < 0 ? null : wait
    const isFull = core.atCapacity()
    return new Refusal('no_credential_available', provider.name, retryAfterMs, isFull, explain)
  }

  #acquireByFunction(
    provider: Provider,
    request: AcquireRequest,
    strategy: StrategyFunction,
    planned: Planned | undefined,
  ): Lease | Refusal {
    const { core } = this.#engine
    const timed = <T>(call: () => T): T => this.#engine.timed(call)
    const model = this.#model(provider, request)
    const asked = numbers(provider, request, planned)
    const candidates = [...timed(() => core.candidates(provider.index, model, asked))]
    if (candidates.length === 0) {
      // The core says why, unless someone came back this very moment.
      const id = core.acquireFiltered(provider.index, model, asked)
      return this.#answer(provider, id, request, asked, planned)
    }
    const home = timed(() => core.home(provider.index, model, asked))
    const rows = () => this.status(provider.name)
    const chosen = home >= 0 ? home : ask(strategy, provider, candidates, request, rows)
    const id = core.acquireChosen(provider.index, chosen, model, asked)
    if (id !== NONE_AVAILABLE) return this.#answer(provider, id, request, asked, planned)
    // The function itself took its choice out: by an invalidation, or by a report.
    if (!core.isLoaded(provider.index)) return this.#refuse(provider, NOT_LOADED, request, asked)
    return this.#acquireByFunction(provider, request, strategy, planned)
  }
}
