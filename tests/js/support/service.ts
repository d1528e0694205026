import { type ApiKeyEntry, ApiKeyPoolService, type ApiKeyPoolServiceOptions } from 'keyrota/service'
import { FakeClock } from './clock.ts'

/** The app's storage of the documented service, in memory. */
export class Storage {
  readonly loads: string[] = []
  readonly disabled: string[] = []
  readonly #rows = new Map<string, ApiKeyEntry[]>()

  constructor(rows: Readonly<Record<string, readonly ApiKeyEntry[]>> = {}) {
    for (const [provider, list] of Object.entries(rows)) this.put(provider, list)
  }

  put(provider: string, rows: readonly ApiKeyEntry[]): void {
    this.#rows.set(provider, structuredClone(rows) as ApiKeyEntry[])
  }

  readonly load = async (provider: string): Promise<ApiKeyEntry[]> => {
    this.loads.push(provider)
    return structuredClone(this.#rows.get(provider) ?? [])
  }

  readonly disable = (id: string): boolean => {
    this.disabled.push(id)
    for (const [provider, rows] of this.#rows) {
      this.#rows.set(
        provider,
        rows.map((row) => (row.id === id ? { ...row, enabled: false } : row)),
      )
    }
    return true
  }
}

/** A row of the app's storage. */
export function entry(id: string, more: Partial<ApiKeyEntry> = {}): ApiKeyEntry {
  return { id, providerId: 'openai', apiKey: `key-${id}`, enabled: true, weight: 1, ...more }
}

/** The documented service over a storage in memory, with a clock that stands still. */
export function serviceOf(
  rows: readonly ApiKeyEntry[],
  options: Partial<ApiKeyPoolServiceOptions> = {},
): { service: ApiKeyPoolService; storage: Storage; clock: FakeClock } {
  const clock = new FakeClock()
  const storage = new Storage({ openai: rows })
  const given = { loadKeys: storage.load, disableKey: storage.disable, now: clock.now }
  return { service: new ApiKeyPoolService({ ...given, ...options }), storage, clock }
}
