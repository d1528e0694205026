/**
 * The pool: chooses a credential for each attempt, and learns from how it ended.
 * @module
 */

import { abortable, sleep } from './clock.js'
import { Engine, MOST_ROUNDS } from './engine.js'
import { invalidOption, KeyrotaError } from './errors.js'
import type { KeyPoolEvent, KeyPoolEvents } from './events.js'
import { withoutChoice, withVariables } from './explanation.js'
import { Lease } from './lease.js'
import type { KeyPoolOptions, StrategyFunction } from './option-types.js'
import { calls, checkListener, milliseconds } from './options.js'
import type { Provider } from './provider.js'
import { Refusal } from './refusal.js'
import { modelOf, numbers } from './request.js'
import { type Attempt, attemptOnce, run } from './run.js'
import * as hash from './session.js'
import type {
  AcquireOptions,
  AcquireRequest,
  Explanation,
  RunOptions,
  Snapshot,
  StatusRow,
  Verdict,
} from './types.js'
import { BAD_CLOCK, NO_RANDOMNESS, NONE_AVAILABLE, NOT_LOADED } from './wasm/core.js'

/** Someone who waits for a credential of a provider. */
interface Waiter {
  readonly provider: Provider
  readonly wake: () => void
}

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
  /** Ends the waits of callers, when something changed that may help them. */
  readonly #waiting = new Set<Waiter>()

  /**
   * Makes a pool. Nothing is loaded yet but what stands in `credentials`.
   *
   * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path;
   * `wasm_blocked` or `unsupported_engine` when WebAssembly cannot be used here
   */
  constructor(options: KeyPoolOptions) {
    this.#engine = new Engine(options)
    this.#engine.wake = (provider) => this.#wake(provider)
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
    return this.#acquire(options, 0, 0)
  }

  /** `request` is the number that all attempts of one request share; 0 for a request of one attempt. */
  async #acquire(options: AcquireOptions, request: number, leastWaitMs: number): Promise<Lease> {
    const { signal } = options
    const provider = this.#engine.provider(options.provider)
    const { longestWaitMs } = provider
    const asked = milliseconds('maxWaitMs', options.maxWaitMs, longestWaitMs)
    const maxWaitMs = Math.max(asked, leastWaitMs)
    let waited = 0
    for (let round = 1; ; round++) {
      signal?.throwIfAborted()
      const loading = this.#engine.ensureLoaded(this.#engine.provider(options.provider))
      if (loading !== undefined) await abortable(loading, signal)
      const answer = this.#tryAcquire(options, request)
      if (answer.ok) return answer
      if (answer.code === 'not_loaded') {
        if (round < MOST_ROUNDS) continue // invalidated just now
        throw answer.toError()
      }
      const wait = answer.retryAfterMs
      if (wait === null || waited + wait > maxWaitMs) throw answer.toError()
      waited += await this.#sleep(provider, wait, signal)
    }
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
    return this.#tryAcquire(request, 0)
  }

  #tryAcquire(request: AcquireRequest, number: number): Lease | Refusal {
    const { core } = this.#engine
    const provider = this.#engine.provider(request.provider)
    const model = this.#model(provider, request)
    if (provider.strategy !== undefined) {
      return this.#acquireByFunction(provider, request, provider.strategy, number)
    }
    const { tried, continues } = request
    let id: number
    if (model || (tried && tried.length !== 0) || continues !== undefined || number > 0) {
      id = core.acquireFiltered(provider.index, model, numbers(provider, request, number))
    } else {
      hash.hashSession(request.session)
      id = core.acquire(provider.index, hash.low, hash.high)
    }
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
   * may be tried again when nobody else is left. A short pause of the provider is waited out.
   *
   * @returns what the last attempt answered
   * @throws what the last attempt threw; what {@link KeyPool.acquire} throws when there was none
   */
  async run<T>(options: RunOptions, attempt: Attempt<T>): Promise<T> {
    calls.run(options, attempt)
    const engine = this.#engine
    const asked = engine.provider(options.provider)
    const number = engine.nextRequest()
    return run(
      {
        acquire: (request, leastWaitMs) => this.#acquire(request, number, leastWaitMs),
        size: () => asked.size,
        hasOtherSecret: ({ provider, credential, secret }) => {
          return engine.hasOtherSecret(provider, credential.id, secret)
        },
      },
      options,
      attempt,
    )
  }

  /**
   * Finds out whether a credential works, whatever is known of it: one that rests, or that a verdict
   * disabled, too. A success ends its rests and brings it back; what a person switched off stays off.
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
    const { provider, number } = this.#engine.find(id)
    const request = { provider: provider.name }
    const granted = this.#engine.core.acquireProbe(provider.index, number)
    if (granted === NONE_AVAILABLE) {
      const why = provider.unresolved.get(number)?.message ?? 'it has no secret'
      const facts = { provider: provider.name, credential: id, retryAfterMs: null }
      throw new KeyrotaError('no_credential_available', `'${id}' cannot be probed: ${why}`, facts)
    }
    if (granted < 0) throw this.#refuse(provider, granted, request).toError()
    const lease = this.#grant(provider, granted, request)
    const verdict = await attemptOnce(lease, send)
    if (verdict.class === 'ok') provider.stored.delete(number)
    return verdict
  }

  /**
   * Says which credential a request would get now, and why each other one is passed over. It changes
   * nothing.
   */
  explain(request: AcquireRequest): Explanation {
    calls.explain(request)
    return this.#explain(request)
  }

  #explain(request: AcquireRequest): Explanation {
    const engine = this.#engine
    const provider = engine.provider(request.provider)
    const asked = numbers(provider, request, 0)
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
   * Takes in that a quota or a balance is there again: ends the rests that it caused, of the credential,
   * its models and its quota group. Other rests keep their time.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  recoverQuota(id: string): void {
    const { provider, number } = this.#engine.find(id)
    this.#engine.timed(() => this.#engine.core.recoverQuota(provider.index, number))
    this.#wake()
  }

  /**
   * Ends every rest of a credential, those of its models and of its quota group too.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  reset(id: string): void {
    const { provider, number } = this.#engine.find(id)
    this.#engine.timed(() => this.#engine.core.reset(provider.index, number))
    this.#wake()
  }

  /**
   * Brings a disabled credential back with clean health. If the app's storage has it disabled, change
   * it there too: the next load counts.
   *
   * @throws {@link KeyrotaError} `unknown_credential` when no loaded row has that id
   */
  enable(id: string): void {
    const { provider, number } = this.#engine.find(id)
    provider.stored.delete(number)
    this.#engine.timed(() => this.#engine.core.enable(provider.index, number))
    this.#wake()
  }

  /** Drops the loaded rows of one provider, or of all: the next call loads anew. Health is kept. */
  invalidate(provider?: string): void {
    this.#engine.invalidate(provider)
    this.#wake()
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
    const { core, listeners } = this.#engine
    this.#engine.assertAlive()
    checkListener(event, listener)
    const remove = listeners.add(event, listener)
    core.listen(true)
    return () => {
      remove()
      if (!this.#engine.disposed) core.listen(listeners.has())
    }
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
    this.#wake()
  }

  /** Frees the pool's memory. Every later call throws `disposed`. */
  dispose(): void {
    this.#engine.dispose()
    this.#wake()
  }

  /** {@link KeyPool.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose()
  }

  #grant(provider: Provider, id: number, request: AcquireRequest): Lease {
    const engine = this.#engine
    const lease = new Lease(engine, provider, id, engine.core.granted(), request.model)
    if (engine.listeners.has('acquired')) {
      const { reason, credential } = lease
      engine.listeners.emit('acquired', {
        provider: provider.name,
        credential: credential.id,
        reason,
      })
    }
    return lease
  }

  #refuse(provider: Provider, code: number, request: AcquireRequest): Refusal {
    if (code === BAD_CLOCK) throw this.#engine.clock.error()
    if (code === NO_RANDOMNESS) {
      throw new KeyrotaError(
        'randomness_unavailable',
        'this platform gives random numbers only inside a request handler: choose there, or pass seed',
      )
    }
    const explain = () => this.#explain(request)
    if (code === NOT_LOADED) return new Refusal('not_loaded', provider.name, null, explain)
    const wait = this.#engine.core.retryAfter()
    const retryAfterMs = wait < 0 ? null : wait
    return new Refusal('no_credential_available', provider.name, retryAfterMs, explain)
  }

  #acquireByFunction(
    provider: Provider,
    request: AcquireRequest,
    strategy: StrategyFunction,
    number: number,
  ): Lease | Refusal {
    const { core } = this.#engine
    const model = this.#model(provider, request)
    const asked = numbers(provider, request, number)
    const candidates = [...core.candidates(provider.index, model, asked)]
    if (candidates.length === 0) {
      // The core says why, unless someone came back this very moment.
      const id = core.acquireFiltered(provider.index, model, asked)
      return id >= 0 ? this.#grant(provider, id, request) : this.#refuse(provider, id, request)
    }
    const home = core.home(provider.index, model, asked)
    const chosen = home >= 0 ? home : this.#ask(strategy, provider, candidates, request)
    const id = core.acquireChosen(provider.index, chosen, model, asked)
    if (id >= 0) return this.#grant(provider, id, request)
    if (id !== NONE_AVAILABLE) return this.#refuse(provider, id, request)
    // The function itself took its choice out: by an invalidation, or by a report.
    if (!core.isLoaded(provider.index)) return this.#refuse(provider, NOT_LOADED, request)
    return this.#acquireByFunction(provider, request, strategy, number)
  }

  #ask(
    strategy: StrategyFunction,
    provider: Provider,
    candidates: readonly number[],
    request: AcquireRequest,
  ): number {
    const ids = new Set(candidates.map((number) => provider.credentials[number]?.id))
    const known = this.status(provider.name).filter(({ id }) => ids.has(id))
    const shown = known.map(({ id, label, weight, inFlight, picks }) => {
      return { id, label, weight, inFlight, picks }
    })
    const facts = { provider: provider.name }
    let chosen: unknown
    try {
      chosen = strategy(shown, request)
    } catch (error) {
      throw new KeyrotaError('strategy_failed', 'the strategy function threw', facts, error)
    }
    const number = ids.has(chosen as string) ? provider.numberOf(chosen as string) : undefined
    if (number !== undefined) return number
    const message = 'the strategy function must answer the id of one of its candidates'
    throw new KeyrotaError('strategy_failed', message, facts)
  }

  /** Waits, and answers how long: by the timer where the pool's clock stands still. */
  async #sleep(provider: Provider, ms: number, signal: AbortSignal | undefined): Promise<number> {
    const { clock } = this.#engine
    const began = clock.now()
    // Not all in the same instant: whoever waits for one key would find it busy with the others.
    const spread = this.#engine.spread(ms)
    const counted = await sleep(ms + spread, signal, (wake) => {
      return this.#register({ provider, wake })
    })
    const passed = clock.now() - began
    return Math.min(passed > 0 ? passed : counted, ms)
  }

  #register(waiter: Waiter): () => void {
    this.#waiting.add(waiter)
    return () => this.#waiting.delete(waiter)
  }

  /** Ends the waits for one provider, or all. */
  #wake(provider?: Provider): void {
    for (const waiter of [...this.#waiting]) {
      if (provider === undefined || waiter.provider === provider) waiter.wake()
    }
  }
}
