import type { ApiKeyEntry } from 'keyrota/service'

interface Binding {
  readonly key: string
  /** When the session last got it. */
  readonly began: number
  /** Counts all uses. */
  readonly turn: number
}

interface Cooldown {
  readonly until: number
  readonly level: number
}

const FORGET_MS = 15 * 60_000

/** The documented key pool service as its documents tell it: plain lists and maps, nothing shared. */
export class NaiveService {
  readonly storage = new Map<string, ApiKeyEntry[]>()
  readonly #cache = new Map<string, ApiKeyEntry[]>()
  readonly #index = new Map<string, number>()
  /** By session, then by provider. */
  readonly #bindings = new Map<string, Map<string, Binding>>()
  readonly #cooldowns = new Map<string, Cooldown>()
  /** Keys that were refused and are known to the storage as disabled. */
  readonly #refused = new Set<string>()
  #turn = 0
  #wall = 0
  #now = 0

  /** Time never runs back inside: a step back of the clock is no time at all. */
  observe(wall: number): void {
    if (wall > this.#wall) this.#now += wall - this.#wall
    this.#wall = wall
  }

  getKey(provider: string): string {
    return this.#select(provider)?.apiKey ?? ''
  }

  getKeyForSession(provider: string, session: string): string {
    const rows = this.#available(provider)
    const bound = this.#bindings.get(session)?.get(provider)
    const row = rows.find(({ id }) => id === bound?.key) ?? this.#select(provider)
    if (row === undefined) return ''
    const bindings = this.#bindings.get(session) ?? new Map<string, Binding>()
    bindings.set(provider, { key: row.id, began: this.#now, turn: ++this.#turn })
    this.#bindings.set(session, bindings)
    return row.apiKey
  }

  reportError(provider: string, session: string, status: number): string | null {
    const bound = this.#bindings.get(session)?.get(provider)
    if (bound === undefined || ![401, 403, 429, 529].includes(status)) return null
    if (status === 401 || status === 403) this.#refuse(provider, bound.key)
    else this.#cool(bound)
    return this.getKeyForSession(provider, session) || null
  }

  reportSuccess(session: string): void {
    const bindings = [...(this.#bindings.get(session)?.values() ?? [])]
    const last = bindings.sort((a, b) => b.turn - a.turn)[0]
    if (last === undefined) return
    const cooldown = this.#cooldowns.get(last.key)
    if (cooldown !== undefined && last.began >= cooldown.until) this.#cooldowns.delete(last.key)
  }

  releaseSession(session: string): void {
    this.#bindings.delete(session)
  }

  invalidateCache(provider?: string): void {
    if (provider === undefined) this.#cache.clear()
    else this.#cache.delete(provider)
  }

  #cool({ key, began }: Binding): void {
    const known = this.#cooldowns.get(key)
    const live = known !== undefined && this.#now < known.until + FORGET_MS ? known : undefined
    if (live !== undefined && began < live.until) return // of the same burst
    const level = (live?.level ?? 0) + 1
    const wait = Math.min(60_000 * 2 ** (level - 1), 900_000)
    this.#cooldowns.set(key, { until: this.#now + wait, level })
  }

  #refuse(provider: string, key: string): void {
    this.#refused.add(key)
    for (const [name, rows] of this.storage) {
      const off = rows.map((row) => (row.id === key ? { ...row, enabled: false } : row))
      this.storage.set(name, off)
    }
    this.invalidateCache(provider)
  }

  #select(provider: string): ApiKeyEntry | undefined {
    const rows = this.#available(provider)
    if (rows.length <= 1) return rows[0]
    const total = rows.reduce((sum, { weight }) => sum + weight, 0)
    const index = ((this.#index.get(provider) ?? -1) + 1) % total
    this.#index.set(provider, index)
    let end = 0
    return rows.find(({ weight }) => {
      end += weight
      return end > index
    })
  }

  #available(provider: string): ApiKeyEntry[] {
    return this.#rows(provider).filter(({ id, enabled }) => {
      return enabled && !((this.#cooldowns.get(id)?.until ?? 0) > this.#now)
    })
  }

  /** A key that was refused and that its row enables again is a person's decision: it starts clean. */
  #rows(provider: string): ApiKeyEntry[] {
    const cached = this.#cache.get(provider)
    if (cached !== undefined) return cached
    const rows = structuredClone(this.storage.get(provider) ?? [])
    for (const { id } of rows.filter((row) => row.enabled && this.#refused.has(row.id))) {
      this.#refused.delete(id)
      this.#cooldowns.delete(id)
    }
    this.#cache.set(provider, rows)
    return rows
  }
}
