/**
 * A pool, the providers and a client of an SDK between them.
 * @module
 */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { KeyPool, type KeyPoolEvent, type KeyPoolOptions, type StatusRow } from 'keyrota'
import { type Fetch, type PooledFetchOptions, pooledFetch } from 'keyrota/fetch'
import type { Providers, Step } from '../support/providers/index.ts'
import type { Client, Sdk } from './sdk.ts'

const EVENTS = ['cooldown', 'paused', 'disabled', 'recovered', 'lease_expired'] as const
/** How long something on this machine may take. */
const MOST_MS = 5_000

/** An event of the pool. */
interface Told {
  readonly type: KeyPoolEvent
  readonly class?: string
  readonly scope?: string
}

/** What differs from the usual scene. */
export interface SceneOptions {
  /** The ids of the credentials. @defaultValue `a` and `b` */
  readonly ids?: readonly string[]
  readonly pool?: Partial<KeyPoolOptions>
  readonly fetch?: Partial<PooledFetchOptions>
}

/** A pool whose credentials only this scene has. `a` serves as long as it can. */
export class Scene {
  readonly providers: Providers
  readonly pool: KeyPool
  readonly dialect: string
  readonly fetch: Fetch
  /** What the pool told of itself. */
  readonly told: Told[] = []
  /** The classes of all attempts, in the order in which they ended. */
  readonly verdicts: string[] = []
  readonly #secrets: ReadonlyMap<string, string>

  constructor(providers: Providers, dialect: string, options: SceneOptions = {}) {
    const { ids = ['a', 'b'] } = options
    this.providers = providers
    this.dialect = dialect
    // All of one length, so that requests with them differ nowhere else.
    this.#secrets = new Map(ids.map((id) => [id, `sk-${randomBytes(30).toString('base64url')}`]))
    const credentials = [...this.#secrets].map(([id, secret]) => ({ id, secret }))
    this.pool = new KeyPool({
      credentials: { [dialect]: credentials },
      strategy: 'fill-first',
      cooldown: { pause: { baseMs: 1, capMs: 1 } },
      ...options.pool,
    })
    for (const type of EVENTS) this.pool.on(type, (event) => this.told.push({ type, ...event }))
    this.#listen()
    this.fetch = pooledFetch(this.pool, { provider: dialect, ...options.fetch })
  }

  /** A client of an SDK that uses the pool. */
  client(sdk: Sdk, retries = 0): Client {
    return sdk.connect({ url: this.providers.url, fetch: this.fetch, retries })
  }

  secret(id: string): string {
    const secret = this.#secrets.get(id)
    assert(secret !== undefined)
    return secret
  }

  get secrets(): string[] {
    return [...this.#secrets.values()]
  }

  /** How the provider treats the next requests with this credential. */
  script(id: string, ...steps: Step[]): void {
    this.providers.script(this.secret(id), ...steps)
  }

  /** How many requests came with each credential: `a1 b0`. */
  get traffic(): string {
    const counts = this.counts
    return [...this.#secrets.keys()].map((id, at) => `${id}${counts[at]}`).join(' ')
  }

  get counts(): number[] {
    return this.secrets.map((secret) => this.providers.received(secret).length)
  }

  status(id: string): StatusRow {
    const row = this.pool.status(this.dialect).find((one) => one.id === id)
    assert(row !== undefined)
    return row
  }

  /** What the pool told, by its kind alone. */
  get kinds(): string {
    return this.told.map(({ type }) => type).join(' ')
  }

  /** Waits until no lease is in flight. */
  async rest(): Promise<void> {
    const until = Date.now() + MOST_MS
    while (this.pool.status(this.dialect).some(({ inFlight }) => inFlight > 0)) {
      assert(Date.now() < until, 'a lease did not end')
      await turn()
    }
  }

  /** Nobody rests, nobody is disabled, and no lease is left. */
  async assertNobodyBlamed(): Promise<void> {
    await this.rest()
    // A busy server rests a model, and a fault of the provider or of the way to it pauses all.
    const isBlame = ({ type, scope = 'credential' }: Told) => type !== 'paused' && scope !== 'model'
    const blames = this.told.filter(isBlame)
    assert.deepEqual(blames, [])
    for (const { id, state } of this.pool.status(this.dialect)) {
      assert(state === 'available' || state === 'provider_paused', `${id} is ${state}`)
    }
  }

  /** Writes down what the attempts meant. */
  #listen(): void {
    const run = this.pool.run.bind(this.pool)
    this.pool.run = (request, attempt) =>
      run(request, (lease, count) => {
        const report = lease.report.bind(lease)
        let isFirst = true
        lease.report = async (outcome) => {
          const wasFirst = isFirst
          isFirst = false
          const verdict = await report(outcome)
          if (wasFirst) this.verdicts.push(verdict.class)
          return verdict
        }
        return attempt(lease, count)
      })
  }
}

/** What a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  )
  if ('error' in answer) return answer.error
  throw new Error(`did not fail but answered ${JSON.stringify(answer.value)}`)
}

/** All that a stream says, and how it ended. */
export async function read(
  stream: AsyncIterable<string>,
): Promise<{ text: string; error: Error | undefined }> {
  let text = ''
  try {
    for await (const piece of stream) text += piece
    return { text, error: undefined }
  } catch (error) {
    return { text, error: error as Error }
  }
}

/** Waits for what must happen soon. */
export async function soon<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not in ${MOST_MS} ms`)), MOST_MS)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
