/**
 * The documented ApiKeyPoolService, name for name, for apps that have it today.
 * @module
 */

import { Engine, KeyrotaError } from 'keyrota'
import type { CooldownOptions, DisableReason } from './option-types.js'

/** A row of the app's storage. */
export interface ApiKeyEntry {
  /** Unique, such as a UUID. */
  readonly id: string
  readonly providerId: string
  readonly label?: string | null
  /** The key, or `$NAME` for an environment variable. */
  readonly apiKey: string
  readonly enabled: boolean
  /** Its share of the traffic, a whole number from 1 to 100. */
  readonly weight: number
}

/** Answers the rows of a provider, in their order. */
export type ApiKeysLoader = (providerId: string) => Promise<ApiKeyEntry[]> | ApiKeyEntry[]
/** Keeps a key disabled in the storage; answers whether it did. */
export type ApiKeyDisabler = (keyId: string) => Promise<boolean> | boolean
/** Turns the `apiKey` of a row into the key. */
export type ApiKeyResolver = (
  rawKey: string,
) => string | null | undefined | Promise<string | null | undefined>

/** Options of {@link ApiKeyPoolService}. */
export interface ApiKeyPoolServiceOptions {
  readonly loadKeys: ApiKeysLoader
  readonly disableKey: ApiKeyDisabler
  /** @defaultValue `$NAME` and `${NAME}` from the environment */
  readonly resolveKey?: ApiKeyResolver
  /** Time source. @defaultValue `Date.now` */
  readonly now?: () => number
  /** Told in words what happens to keys: ids and times, never a key. @defaultValue none */
  readonly log?: (message: string) => void
  /** @defaultValue 60 s, doubling, at most 900 s */
  readonly cooldown?: CooldownOptions
}

const SWEEP_MS = 30_000

/**
 * The documented key pool service over the same core as `KeyPool`, under the classic policy.
 *
 * @remarks
 * 401 and 403 disable a key, 429 and 529 cool it for 60, 120, 240, 480, then 900 s; nothing else
 * counts. An app moves over by changing the import.
 *
 * @example In place of an own service
 * ```ts
 * const service = new ApiKeyPoolService({ loadKeys, disableKey, resolveKey })
 * const key = await service.getKeyForSession('openai', chat.id)
 * ```
 */
export class ApiKeyPoolService {
  readonly #engine: Engine
  #interval: ReturnType<typeof setInterval> | undefined

  /** @throws `KeyrotaError` of code `invalid_option`, which names the option that is none */
  constructor(options: ApiKeyPoolServiceOptions) {
    checkCallbacks(options)
    const { loadKeys, disableKey, resolveKey, now, log, cooldown } = options
    this.#engine = new Engine({
      policy: 'classic',
      load: async (providerId) => rows(await loadKeys(providerId)),
      disable: (keyId: string, _why: DisableReason) => disableKey(keyId),
      ...(resolveKey && { resolveSecret: resolveKey }),
      ...(now && { now }),
      ...(cooldown && { cooldown }),
    })
    if (log !== undefined) this.#logTo(log)
  }

  /** A key of the provider, without a session; `''` when none is available. */
  async getKey(providerId: string): Promise<string> {
    return this.#get(providerId, undefined)
  }

  /** The session's key, or a new one when that cannot serve; `''` when none is available. */
  async getKeyForSession(providerId: string, sessionId: string): Promise<string> {
    return this.#get(providerId, sessionId)
  }

  /**
   * Applies a failure to the key that the session is on, and answers another key to try; `null` when
   * there is none, when the session is on no key, or when the status says nothing about keys.
   */
  async reportError(providerId: string, sessionId: string, status: number): Promise<string | null> {
    if (!Number.isInteger(status) || status < 100 || status > 599) return null
    if (!this.#engine.reportSession(providerId, sessionId, status)) return null
    await this.#engine.disablesSettled(providerId)
    return (await this.#get(providerId, sessionId)) || null
  }

  /** Ends the cooldown level of the key that the session got last. */
  reportSuccess(sessionId: string): void {
    this.#engine.succeedSession(sessionId)
  }

  /** Forgets the session. */
  releaseSession(sessionId: string): void {
    this.#engine.releaseSession(sessionId)
  }

  /** Drops the cached rows of one provider, or of all: the next call loads anew. */
  invalidateCache(providerId?: string): void {
    this.#engine.invalidate(providerId ?? undefined)
  }

  /** Drops what is forgotten, and repeats writes that were not confirmed. */
  cleanupExpiredCooldowns(): void {
    this.#engine.timed(() => this.#engine.core.sweep())
  }

  /** Stops the interval and frees the memory. */
  dispose(): void {
    clearInterval(this.#interval)
    this.#engine.dispose()
  }

  async #get(providerId: string, sessionId: string | undefined): Promise<string> {
    const engine = this.#engine
    const provider = engine.provider(providerId)
    this.#sweepFromNow()
    await engine.loaded(provider)
    return engine.pick(providerId, sessionId) ?? ''
  }

  /** The documented sweep: every 30 s from the first use, without keeping the process alive. */
  #sweepFromNow(): void {
    if (this.#interval !== undefined) return
    this.#interval = setInterval(() => this.#sweep(), SWEEP_MS)
    const timer = this.#interval as { unref?: () => void }
    timer.unref?.()
  }

  /** What is wrong with the clock is told to the next caller: thrown here, it would end the process. */
  #sweep(): void {
    try {
      this.cleanupExpiredCooldowns()
    } catch {}
  }

  #logTo(log: (message: string) => void): void {
    const { core, listeners } = this.#engine
    core.listen(true)
    listeners.add('cooldown', ({ provider, credential, until, level }) => {
      log(
        `key ${credential} of ${provider} cools until ${new Date(until).toISOString()} (level ${level})`,
      )
    })
    listeners.add('disabled', ({ provider, credential }) => {
      log(`key ${credential} of ${provider} was refused and is disabled`)
    })
    listeners.add('disable_failed', ({ provider, credential, message }) => {
      log(`key ${credential} of ${provider} is off, but not in the storage: ${message}`)
    })
    listeners.add('invalid_credential', ({ provider, credential, field, rule }) => {
      log(`key ${credential} of ${provider} is passed over: ${field} ${rule}`)
    })
    listeners.add('secret_unresolved', ({ provider, credential, message }) => {
      log(`key ${credential} of ${provider} is passed over: ${message}`)
    })
  }
}

function checkCallbacks(options: ApiKeyPoolServiceOptions): void {
  const { loadKeys, disableKey, resolveKey, now, log } = options ?? {}
  const rule = 'must be a function'
  for (const [path, value] of Object.entries({ loadKeys, disableKey, resolveKey, now, log })) {
    const isOptional = path !== 'loadKeys' && path !== 'disableKey'
    if (typeof value === 'function' || (isOptional && value === undefined)) continue
    throw new KeyrotaError('invalid_option', `${path} ${rule}`, { path, rule })
  }
}

function rows(entries: unknown): never {
  if (!Array.isArray(entries)) return entries as never
  return entries.map((entry: ApiKeyEntry | null | undefined) => {
    if (typeof entry !== 'object' || entry === null) return entry
    const { id, label, apiKey, enabled, weight } = entry
    return { id, label, secret: apiKey, enabled, weight }
  }) as never
}
