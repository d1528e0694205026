import * as keyrota from 'keyrota'

/** What `keyrota/service` is made of, as far as tests look at it. It has no public types. */
export interface Engine {
  readonly core: {
    sessions(): number
    acquire(provider: number, low: number, high: number): number
    release(lease: number): void
  }
  provider(name: string): { readonly index: number }
  ensureLoaded(provider: unknown): Promise<void> | undefined
  pick(provider: string, session: string | undefined): string | undefined
  dispose(): void
}

export const Engine: new (options: keyrota.KeyPoolOptions) => Engine = (
  keyrota as unknown as { Engine: new (options: keyrota.KeyPoolOptions) => Engine }
).Engine
