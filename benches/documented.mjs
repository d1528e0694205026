// The rival: the documented ApiKeyPoolService in plain synchronous JavaScript, as an app would write
// it. It is given every advantage: no promises, rows in memory, secrets resolved ahead.

const RATE_LIMITS = new Set([429, 529])
const REFUSALS = new Set([401, 403])

export class DocumentedService {
  #bindings = new Map() // session -> { keyId, providerId }
  #indices = new Map() // provider -> the last slot
  #cache = new Map() // provider -> { keys, byId }
  #cooldowns = new Map() // key -> { until, errors }
  #capacity
  #baseMs
  #capMs

  /** The documented service remembers sessions without bound; with a `capacity` the oldest leaves. */
  constructor({ capacity = Number.POSITIVE_INFINITY, baseMs = 60_000, capMs = 900_000 } = {}) {
    this.#capacity = capacity
    this.#baseMs = baseMs
    this.#capMs = capMs
  }

  load(providerId, keys) {
    this.#cache.set(providerId, { keys, byId: new Map(keys.map((key) => [key.id, key])) })
  }

  getKey(providerId) {
    return this.#select(providerId)?.apiKey ?? ''
  }

  getKeyForSession(providerId, sessionId) {
    const bound = this.#bindings.get(sessionId)
    if (bound !== undefined && bound.providerId === providerId) {
      const key = this.#cache.get(providerId)?.byId.get(bound.keyId)
      if (key !== undefined && this.#isAvailable(key)) return key.apiKey
    }
    const key = this.#select(providerId)
    if (key === undefined) return ''
    this.#bind(sessionId, key.id, providerId)
    return key.apiKey
  }

  reportError(providerId, sessionId, status) {
    const bound = this.#bindings.get(sessionId)
    if (bound === undefined) return null
    if (RATE_LIMITS.has(status)) this.#cool(bound.keyId)
    else if (REFUSALS.has(status)) this.#disable(providerId, bound.keyId)
    else return null
    return this.getKeyForSession(providerId, sessionId) || null
  }

  reportSuccess(sessionId) {
    const bound = this.#bindings.get(sessionId)
    if (bound !== undefined) this.#cooldowns.delete(bound.keyId)
  }

  releaseSession(sessionId) {
    this.#bindings.delete(sessionId)
  }

  #select(providerId) {
    const available =
      this.#cache.get(providerId)?.keys.filter((key) => this.#isAvailable(key)) ?? []
    if (available.length <= 1) return available[0]
    const total = available.reduce((sum, { weight }) => sum + weight, 0)
    const index = ((this.#indices.get(providerId) ?? -1) + 1) % total
    this.#indices.set(providerId, index)
    let cumulated = 0
    for (const key of available) {
      cumulated += key.weight
      if (cumulated > index) return key
    }
    return available[0]
  }

  /** The time is read only for a key that has a cooldown. */
  #isAvailable({ id, enabled }) {
    if (!enabled) return false
    const cooldown = this.#cooldowns.get(id)
    return cooldown === undefined || cooldown.until <= Date.now()
  }

  #bind(sessionId, keyId, providerId) {
    if (this.#bindings.size >= this.#capacity && !this.#bindings.has(sessionId)) {
      this.#bindings.delete(this.#bindings.keys().next().value)
    }
    this.#bindings.set(sessionId, { keyId, providerId })
  }

  #cool(keyId) {
    const errors = (this.#cooldowns.get(keyId)?.errors ?? 0) + 1
    const wait = Math.min(this.#baseMs * 2 ** (errors - 1), this.#capMs)
    this.#cooldowns.set(keyId, { until: Date.now() + wait, errors })
  }

  #disable(providerId, keyId) {
    const keys = this.#cache.get(providerId)?.keys ?? []
    const off = (key) => (key.id === keyId ? { ...key, enabled: false } : key)
    this.load(providerId, keys.map(off))
  }
}
