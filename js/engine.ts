/**
 * The core, its loads and its callbacks: what {@link KeyPool} and `ApiKeyPoolService` have in common.
 * @module
 */

import { askForSecret, keepDisabled } from './callbacks.js'
import { Clock } from './clock.js'
import { invalidOption, KeyrotaError, loadFailed } from './errors.js'
import { type KeyPoolEvent, Listeners } from './events.js'
import { invalidInline } from './inline.js'
import { andThen, type Eventually, isPromise } from './loading.js'
import type { KeyPoolOptions } from './option-types.js'
import { checkOptions } from './options.js'
import { Provider } from './provider.js'
import { type Rows, rowsOf } from './rows.js'
import * as hash from './session.js'
import { settingsOf, waitOf } from './settings.js'
import type { Credential, VerdictClass } from './types.js'
import {
  BAD_CLOCK,
  type Core,
  type CoreEvent,
  checked,
  createCore,
  type Loaded,
  NO_RANDOMNESS,
} from './wasm/core.js'

/** Who invalidates the rows as often as they are loaded shall not keep a request going for ever. */
export const MOST_ROUNDS = 1_000
type Validate = NonNullable<KeyPoolOptions['validate']>
const ALWAYS_INVALIDATED = 'the rows were invalidated while they were loaded'

/**
 * One pool's core and everything that it may not know.
 * @internal
 */
export class Engine {
  readonly core: Core
  readonly clock: Clock
  readonly listeners: Listeners = new Listeners()
  /** Called when something changed that may help those who wait. */
  wake: (provider?: Provider) => void = () => {}
  /** Called when an attempt on a credential of the provider has ended: there may be room for another. */
  freed: (provider: Provider) => void = () => {}
  /** Makes one attempt on a blacklisted key, to find out whether it works again. */
  validate: (provider: Provider, number: number, send: Validate) => void = () => {}
  #options: KeyPoolOptions
  readonly #byName = new Map<string, Provider>()
  readonly #byIndex: Provider[] = []
  /** What the core said while it took in rows. */
  #held: (() => void)[] | undefined
  #requests = 0
  #constructed = false
  #disposed = false
  #end = (): void => {}
  /** Settles when the pool is disposed: whoever waits for a callback goes on then. */
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve
  })

  /** @throws {@link KeyrotaError} `invalid_option` or `unknown_option` */
  constructor(options: KeyPoolOptions) {
    checkOptions(options)
    const { affinity, leaseTtlMs, seed, now } = options
    this.#options = options
    this.clock = new Clock(now ?? Date.now)
    const host = {
      now: this.clock.now,
      emit: (event: CoreEvent) => this.#tell(() => this.#emit(event)),
      disable: (provider: number, credential: number, why: string) =>
        this.#tell(() => this.#disable(provider, credential, why as VerdictClass)),
      refresh: (provider: number, credential: number) =>
        this.#tell(() => this.#refresh(provider, credential)),
      validate: (provider: number, credential: number) =>
        this.#tell(() => this.#validate(provider, credential)),
    }
    this.core = createCore(
      host,
      Object.assign(settingsOf(options, options), { affinity, leaseTtlMs }),
    )
    if (seed !== undefined) this.core.seed(String(seed))
    for (const name of Object.keys(options.credentials ?? {})) this.#loadInline(name)
    this.#constructed = true
  }

  /** Does what belongs to a constructor: what there is to tell is told right after it. */
  constructing(call: () => void): void {
    this.#constructed = false
    call()
    this.#constructed = true
  }

  /** The provider of that name, known from now on. */
  provider(name: string): Provider {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    this.assertAlive()
    if (typeof name !== 'string' || name === '') {
      throw invalidOption('provider', name, 'must be a text that is not empty')
    }
    const { providers = {}, credentials = {} } = this.#options
    const own = Object.hasOwn(providers, name) ? (providers[name] ?? {}) : {}
    const index = checked(() => this.core.provider(name, settingsOf(this.#options, own)))
    const chosen = own.strategy ?? this.#options.strategy
    const custom = typeof chosen === 'function' ? chosen : undefined
    const inline = Object.hasOwn(credentials, name)
    const longestWaitMs = waitOf(this.#options, own)
    const provider = new Provider(name, index, custom, inline, longestWaitMs)
    this.#byName.set(name, provider)
    this.#byIndex[index] = provider
    return provider
  }

  /** Takes other options of providers from now on; their rows are loaded anew. Health is kept. */
  reconfigure(options: KeyPoolOptions): void {
    checkOptions(options)
    this.#options = options
    const { providers = {} } = options
    for (const provider of this.#byName.values()) {
      provider.isGone = !Object.hasOwn(providers, provider.name)
      // What is in flight there is still judged by the rules that it began with.
      if (provider.isGone) continue
      const own = providers[provider.name] ?? {}
      this.timed(() => this.core.configure(provider.index, settingsOf(options, own)))
      provider.longestWaitMs = waitOf(options, own)
    }
    this.invalidate()
  }

  /** What kept the core from answering: the clock, or random numbers. */
  faultOf(code: number): KeyrotaError | undefined {
    if (code === BAD_CLOCK) return this.clock.error()
    if (code !== NO_RANDOMNESS) return undefined
    return new KeyrotaError(
      'randomness_unavailable',
      'this platform gives random numbers only inside a request handler: choose there, or pass seed',
    )
  }

  /** The provider of that number. */
  providerAt(index: number): Provider {
    return this.#byIndex[index] as Provider
  }

  /** How many credentials the providers have, as far as they are loaded. */
  get size(): number {
    let size = 0
    for (const provider of this.#byName.values()) if (!provider.isGone) size += provider.size
    return size
  }

  /** Whose rules read the outcomes of a provider. */
  dialectOf(name: string): string {
    const { providers = {}, dialect = name } = this.#options
    return (Object.hasOwn(providers, name) ? providers[name]?.dialect : undefined) ?? dialect
  }

  /** A number for the attempts of one request. */
  nextRequest(): number {
    this.#requests = (this.#requests % LAST_REQUEST) + 1
    return this.#requests
  }

  /** A random part of a wait, so that not all who wait for one key come back in the same instant. */
  spread(ms: number): number {
    return this.#disposed ? 0 : this.core.spread(ms)
  }

  /** Goes on where a snapshot was taken. */
  restore(snapshot: unknown): void {
    this.assertAlive()
    const unknown = providerNames(snapshot).filter((name) => !this.#byName.has(name))
    if (unknown.length > 0) {
      // The core would make the snapshot's providers with the settings of the pool.
      this.timed(() => this.core.checkSnapshot(snapshot))
      for (const name of unknown) this.provider(name)
    }
    this.timed(() => this.core.restore(snapshot))
  }

  /** The providers seen so far. */
  providers(): Iterable<Provider> {
    return this.#byName.values()
  }

  /** Loads the provider's rows unless they are loaded; a promise when that takes time. */
  ensureLoaded(provider: Provider): Promise<void> | undefined {
    if (provider.loading !== undefined) return provider.loading.done
    if (this.core.isLoaded(provider.index)) return undefined
    const loading = this.#load(provider)
    if (!isPromise(loading)) {
      if (this.core.isLoaded(provider.index)) return undefined
      throw loadFailed(provider.name, new Error(ALWAYS_INVALIDATED))
    }
    let abandon = () => {}
    const done = new Promise<void>((resolve, reject) => {
      abandon = resolve
      const forget = () => {
        if (provider.loading?.done === done) provider.loading = undefined
      }
      loading.finally(forget).then(resolve, reject)
    })
    provider.loading = { done, abandon }
    return done
  }

  /** Waits until the provider's rows are loaded, however often they are invalidated meanwhile. */
  async loaded(provider: Provider): Promise<void> {
    for (let round = 1; !this.core.isLoaded(provider.index); round++) {
      if (round > MOST_ROUNDS) throw loadFailed(provider.name, new Error(ALWAYS_INVALIDATED))
      await this.ensureLoaded(provider)
      this.assertAlive()
    }
  }

  /** Drops the loaded rows of one provider or of all; the next call loads anew. Health is kept. */
  invalidate(name?: string): void {
    this.assertAlive()
    const chosen = name === undefined ? this.#byName.values() : [this.provider(name)]
    for (const provider of chosen) {
      this.core.invalidate(provider.index)
      this.#abandonLoad(provider)
    }
  }

  /** The provider and number of a credential that is known by now. */
  find(id: string): { provider: Provider; number: number } {
    this.assertAlive()
    if (typeof id !== 'string') throw invalidOption('id', id, 'must be a text')
    for (const provider of this.#byName.values()) {
      const number = provider.isGone ? undefined : provider.numberOf(id)
      if (number !== undefined) return { provider, number }
    }
    throw new KeyrotaError('unknown_credential', `no loaded credential has the id '${id}'`, {
      credential: id,
    })
  }

  /** Picks a secret without a lease, for callers who report by session; `undefined` when none can serve. */
  pick(name: string, session: string | undefined): string | undefined {
    const provider = this.provider(name)
    hash.hashSession(session)
    const number = this.core.pick(provider.index, hash.low, hash.high)
    const fault = this.faultOf(number)
    if (fault?.code === 'invalid_clock') throw fault
    return number < 0 ? undefined : provider.secrets[number]
  }

  /** Applies a failure to the credential that the session is on; answers whether it meant anything. */
  reportSession(name: string, session: string, status: number): boolean {
    const provider = this.provider(name)
    hash.hashSession(session)
    const { low, high } = hash
    return this.timed(() => this.core.reportSession(provider.index, low, high, status))
  }

  /** Applies a success to the credential that the session got last. */
  succeedSession(session: string): void {
    hash.hashSession(session)
    this.timed(() => this.core.succeedSession(hash.low, hash.high))
  }

  /** Forgets which credentials the session was on. */
  releaseSession(session: string): boolean {
    this.assertAlive()
    hash.hashSession(session)
    return this.core.releaseSession(hash.low, hash.high)
  }

  /** Whether the credential has got another secret since this one was refused. */
  async hasOtherSecret(name: string, id: string, secret: string): Promise<boolean> {
    const provider = this.provider(name)
    const number = provider.numberOf(id)
    if (number === undefined) return false
    await Promise.race([provider.refreshing.get(number), this.#ended])
    return !this.#disposed && provider.secrets[number] !== secret
  }

  /** Waits until the storage callback has answered for every credential of the provider. */
  async disablesSettled(name: string): Promise<void> {
    await Promise.all(this.provider(name).disabling.values())
  }

  /** Calls the core, and tells what was wrong with the clock if it was. */
  timed<T>(call: () => T): T {
    this.assertAlive()
    try {
      return checked(call)
    } catch (error) {
      throw error instanceof KeyrotaError && error.code === 'invalid_clock'
        ? this.clock.error()
        : error
    }
  }

  assertAlive(): void {
    if (this.#disposed) throw new KeyrotaError('disposed', 'the pool was disposed')
  }

  get disposed(): boolean {
    return this.#disposed
  }

  dispose(): void {
    if (this.#disposed) return
    this.#disposed = true
    this.#end()
    this.listeners.clear()
    for (const provider of this.#byName.values()) this.#abandonLoad(provider)
    this.#byName.clear()
    this.#byIndex.length = 0
    // A callback may do this while the core is at work, so its memory is freed after that.
    queueMicrotask(() => this.core.free())
  }

  /** Whoever waits for the load asks for another one. */
  #abandonLoad(provider: Provider): void {
    const { loading } = provider
    provider.loading = undefined
    loading?.abandon()
  }

  /** Rows of the options are checked at once; one that breaks a rule throws. */
  #loadInline(name: string): void {
    const provider = this.provider(name)
    const loading = this.ensureLoaded(provider)
    // A resolver that takes time: what it finds is told to the first caller.
    loading?.catch(() => {})
  }

  #load(provider: Provider): Eventually<void> {
    const generation = this.core.generation(provider.index)
    return andThen(rowsOf(provider, this.#options), (rows) =>
      this.#land(provider, generation, rows),
    )
  }

  /** Hands rows to the core. Rows that were asked for before an invalidation come too late. */
  #land(provider: Provider, generation: number, { rows, isFallback }: Rows): void {
    this.assertAlive()
    const plain = rows.map(({ row }) => row)
    // Who is told may call the pool again, so nobody is before all secrets have their places.
    const held: (() => void)[] = []
    this.#held = held
    let loaded: Loaded | undefined
    try {
      loaded = this.timed(() => this.core.load(provider.index, generation, plain)) as typeof loaded
    } finally {
      this.#held = undefined
    }
    if (loaded === undefined) {
      for (const tell of held) tell()
      return
    }
    provider.isFallback = isFallback
    provider.forgetNames()
    loaded.credentials.forEach((number, at) => {
      const prepared = rows[at]
      if (number < 0 || prepared === undefined) return
      const { id, label } = prepared.row as Credential
      provider.keep(number, { id: id.trim(), label: label ?? null }, prepared)
    })
    for (const tell of held) tell()
    const { name, inline } = provider
    const { invalid } = loaded
    provider.invalid = invalid.map(({ id }) => id)
    const [first] = invalid
    const tell = () => {
      this.#tellUnresolved(provider)
      if (inline) return
      for (const { id, field, rule } of invalid) {
        this.listeners.emit('invalid_credential', { provider: name, credential: id, field, rule })
      }
    }
    if (this.#constructed) tell()
    // Nobody could listen yet.
    else queueMicrotask(tell)
    if (inline && first !== undefined) throw invalidInline(name, first.row, first.field, first.rule)
  }

  #tellUnresolved({ name, credentials, unresolved }: Provider): void {
    for (const [number, why] of unresolved) {
      const credential = credentials[number]?.id ?? ''
      this.listeners.emit('secret_unresolved', { provider: name, credential, ...why })
    }
  }

  #tell(tell: () => void): void {
    if (this.#held === undefined) tell()
    else this.#held.push(tell)
  }

  #emit({ type, ...event }: CoreEvent): void {
    this.listeners.emit(type as KeyPoolEvent, event as never)
  }

  /** Asks the app for a new secret in place of one that was refused. */
  #refresh(index: number, number: number): void {
    const provider = this.#byIndex[index]
    if (provider !== undefined) askForSecret(this, this.#options.refresh, provider, number)
  }

  /** Has a blacklisted key tried, where the app says how. */
  #validate(index: number, number: number): void {
    const provider = this.#byIndex[index]
    const { validate } = this.#options
    if (provider !== undefined && validate !== undefined) this.validate(provider, number, validate)
  }

  /** Asks the app's storage to keep a credential disabled. */
  #disable(index: number, number: number, why: VerdictClass): void {
    const provider = this.#byIndex[index]
    if (provider !== undefined) keepDisabled(this, this.#options.disable, provider, number, why)
  }
}

/** Numbers of requests stay below those that the core takes for leases. */
const LAST_REQUEST = 0x7fff_ffff

/** The names in a snapshot, as far as it is one; the core says what is wrong with it. */
function providerNames(snapshot: unknown): string[] {
  const { providers } = (snapshot ?? {}) as { providers?: unknown }
  if (!Array.isArray(providers)) return []
  const names = providers.map((provider: { name?: unknown } | null) => provider?.name)
  return names.filter((name) => typeof name === 'string' && name !== '') as string[]
}
