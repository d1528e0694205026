import fc from 'fast-check'
import { type Credential, KeyPool, type Lease, type StrategyName } from 'keyrota'
import { FakeClock } from './clock.ts'
import { PROVIDER } from './pools.ts'

export const STRATEGIES: readonly StrategyName[] = [
  'weighted-round-robin',
  'smooth',
  'weighted-random',
  'least-busy',
  'fill-first',
  'rendezvous',
]

/** One thing that happens to a pool. */
export type Action =
  | { readonly do: 'acquire'; readonly request: RandomRequest }
  | {
      readonly do: 'report'
      readonly which: number
      readonly status: number
      readonly wait: string
    }
  | { readonly do: 'release'; readonly which: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'reset' | 'enable'; readonly which: number }
  | { readonly do: 'forget'; readonly session: string }
  | {
      readonly do: 'edit'
      readonly which: number
      readonly weight: number
      readonly enabled: boolean
    }

export interface RandomRequest {
  readonly session?: string | undefined
  readonly model?: string | undefined
  readonly tried?: readonly string[]
}

const index = fc.nat({ max: 9 })

const rowsArbitrary = fc.array(
  fc.record({
    weight: fc.integer({ min: 1, max: 5 }),
    priority: fc.constantFrom(0, 0, 0, 1),
    order: fc.constantFrom(0, 0, 1),
    models: fc.constantFrom(undefined, undefined, ['small'], ['small', 'large']),
    enabled: fc.constantFrom(true, true, true, true, false),
  }),
  { minLength: 1, maxLength: 6 },
)

const request = fc.record({
  session: fc.constantFrom(undefined, undefined, 's1', 's2', 'y'.repeat(50)),
  model: fc.constantFrom(undefined, undefined, undefined, 'small', 'large'),
  tried: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(index.map(idOf), { maxLength: 3 }) },
  ),
})

const status = fc.constantFrom(200, 200, 200, 400, 401, 402, 403, 408, 429, 429, 503, 529)
const wait = fc.constantFrom('', '', '1', '30', '120', '-5', 'soon')
const passed = fc.oneof(
  fc.constantFrom(1, 999, 1_000, 2_000, 30_000, 60_000, 120_000, 600_000, 960_000),
  fc.integer({ min: -120_000, max: 120_000 }),
)

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('acquire' as const), request }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('report' as const), which: index, status, wait }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which: index }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: passed }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('reset' as const, 'enable' as const),
      which: index,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('forget' as const), session: fc.constant('s1') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      which: index,
      weight: fc.integer({ min: 1, max: 5 }),
      enabled: fc.boolean(),
    }),
  },
)

/** Random rows, options and events of a pool. */
export const scenario = fc.record({
  list: rowsArbitrary.map((rows) => rows.map((row, at) => credential(at, row))),
  strategy: fc.constantFrom(...STRATEGIES),
  policy: fc.constantFrom('adaptive' as const, 'classic' as const),
  actions: fc.array(action, { minLength: 20, maxLength: 120 }),
})

function idOf(at: number): string {
  return `key-${at}`
}

function credential(
  at: number,
  row: Omit<Credential, 'id' | 'secret' | 'models'> & { models: readonly string[] | undefined },
): Credential {
  const { models, ...rest } = row
  return { id: idOf(at), secret: `sk-${at}`, ...rest, ...(models && { models }) }
}

/** A pool to which random things happen, with the leases that are open. */
export class RandomPool {
  readonly pool: KeyPool
  readonly clock = new FakeClock()
  list: readonly Credential[]
  leases: Lease[] = []

  constructor(list: readonly Credential[], strategy: StrategyName, policy: 'adaptive' | 'classic') {
    this.list = list
    this.pool = new KeyPool({
      load: () => this.list,
      strategy,
      policy,
      seed: 'fixed',
      now: this.clock.now,
      disable: () => false,
    })
    void this.pool.load(PROVIDER)
  }

  /** What came of the action, as plain data. */
  async perform(action: Action): Promise<unknown> {
    switch (action.do) {
      case 'acquire':
        return this.#acquire(action.request)
      case 'report': {
        const lease = this.leases.splice(action.which % (this.leases.length || 1), 1)[0]
        const headers = action.wait === '' ? {} : { 'retry-after': action.wait }
        return lease?.report({ status: action.status, headers })
      }
      case 'release':
        return this.leases.splice(action.which % (this.leases.length || 1), 1)[0]?.release()
      case 'pass':
        this.clock.pass(action.ms)
        return
      case 'forget':
        return this.pool.releaseSession(action.session)
      case 'edit':
        return this.#edit(action.which, { weight: action.weight, enabled: action.enabled })
      default:
        return this.pool[action.do](idOf(action.which % this.list.length))
    }
  }

  #acquire(request: RandomRequest): unknown {
    const answer = this.pool.tryAcquire({ provider: PROVIDER, ...request })
    if (!answer.ok) return [answer.code, answer.retryAfterMs]
    this.leases.push(answer)
    return [answer.credential.id, answer.reason]
  }

  async #edit(which: number, more: Partial<Credential>): Promise<void> {
    const at = which % this.list.length
    this.list = this.list.map((row, place) => (place === at ? { ...row, ...more } : row))
    this.pool.invalidate(PROVIDER)
    await this.pool.load(PROVIDER)
  }
}
