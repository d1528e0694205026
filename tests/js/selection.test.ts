import { type AcquireRequest, KeyPool, type StrategyCandidate, type StrategyName } from 'keyrota'
import { expect, test } from 'vitest'
import { MINUTE } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import {
  attempt,
  listen,
  order,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

const WEIGHTED = [row('A', { weight: 3 }), row('B', { weight: 2 }), row('C', { weight: 1 })]

test.each<[StrategyName | undefined, string]>([
  [undefined, 'A A A B B C A A A B B C'],
  ['weighted-round-robin', 'A A A B B C A A A B B C'],
  ['smooth', 'A B A C B A A B A C B A'],
  ['least-busy', 'A B C A B A A B C A B A'],
  ['fill-first', 'A A A A A A A A A A A A'],
])('strategy %s serves weights 3, 2, 1 as %s', (strategy, expected) => {
  const { pool } = poolOf(WEIGHTED, strategy ? { strategy } : {})
  expect(order(pool, 12)).toBe(expected)
})

test('a weight that is not given is 1', () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  expect(order(pool, 9)).toBe('A B C A B C A B C')
})

test('the one that is left does not move the order', async () => {
  const { pool, clock } = poolOf(rows('A', 'B', 'C'), { policy: 'classic' })
  expect(order(pool, 2)).toBe('A B')
  await attempt(pool, 'B', 429)
  await attempt(pool, 'C', 429)
  expect(order(pool, 3)).toBe('A A A')
  clock.pass(MINUTE)
  expect(order(pool, 3)).toBe('C A B')
})

test('rows of a lower `order` come first; equals keep the order of the rows', () => {
  const { pool } = poolOf([
    row('A', { order: 2 }),
    row('B', { order: -1 }),
    row('C'),
    row('D'),
    row('E', { order: 2 }),
  ])
  expect(order(pool, 5)).toBe('B C D A E')
  expect(pool.status(PROVIDER).map(({ id }) => id)).toEqual(['B', 'C', 'D', 'A', 'E'])
})

test('the highest priority that has a usable credential serves', async () => {
  const { pool, clock } = poolOf([
    row('low', { priority: -5 }),
    row('high', { priority: 10 }),
    row('middle'),
  ])
  expect(order(pool, 2)).toBe('high high')
  await attempt(pool, 'high', 429)
  expect(order(pool, 2)).toBe('middle middle')
  await attempt(pool, 'middle', 429)
  expect(order(pool, 2)).toBe('low low')
  clock.pass(MINUTE)
  expect(order(pool, 2)).toBe('high high')
  expect(reasons(pool)).toEqual({ high: 'chosen', middle: 'lower_priority', low: 'lower_priority' })
})

test('a request for a model gets only credentials that list it, or that list none', () => {
  const { pool } = poolOf([
    row('A', { models: ['small'] }),
    row('B', { models: ['large', 'small'] }),
    row('C', { models: null }),
    row('D', { models: [] }),
  ])
  expect(order(pool, 6, { model: 'small' })).toBe('A B C A B C')
  expect(order(pool, 4, { model: 'large' })).toBe('C B C B')
  expect(order(pool, 2, { model: 'other' })).toBe('C C')
  expect(order(pool, 4)).toBe('B C D A')
  expect(reasons(pool, { model: 'large' })).toMatchObject({
    A: 'model_not_exposed',
    D: 'model_not_exposed',
  })
})

test('what a request has tried is passed over, and an unknown id changes nothing', () => {
  const { pool } = poolOf(rows('A', 'B', 'C'))
  expect(order(pool, 4, { tried: ['A', 'nobody'] })).toBe('B C B C')
  expect(refused(pool, { tried: ['A', 'B', 'C'] }).retryAfterMs).toBeNull()
  expect(reasons(pool, { tried: ['B'] })).toMatchObject({ B: 'already_tried' })
})

test('a session stays on its credential whatever the strategy would choose', () => {
  for (const strategy of ['weighted-round-robin', 'smooth', 'least-busy'] as const) {
    const { pool } = poolOf(rows('A', 'B', 'C'), { strategy })
    const first = take(pool, { session: 's' })
    expect(first.reason).toBe('strategy')
    for (let call = 0; call < 5; call++) {
      order(pool, 1)
      const again = take(pool, { session: 's' })
      expect([again.credential.id, again.reason]).toEqual([first.credential.id, 'affinity'])
    }
  }
})

test('a session whose credential rests moves to another, once, and is told apart', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { policy: 'classic' })
  const heard = listen(pool, 'rebound')
  expect(take(pool, { session: 's' }).credential.id).toBe('A')
  await attempt(pool, 'A', 429)
  const moved = take(pool, { session: 's' })
  expect([moved.credential.id, moved.reason]).toEqual(['B', 'rebound'])
  clock.pass(MINUTE)
  const stayed = take(pool, { session: 's' })
  expect([stayed.credential.id, stayed.reason]).toEqual(['B', 'affinity'])
  expect(heard).toEqual([{ type: 'rebound', provider: PROVIDER, credential: 'B', from: 'A' }])
})

test('rendezvous gives a session the same credential in every pool, with nothing shared', () => {
  const choice = (ids: string[], session: string) => {
    const { pool } = poolOf(rows(...ids), { strategy: 'rendezvous' })
    return take(pool, { session }).credential.id
  }
  const all = ['A', 'B', 'C', 'D']
  for (let session = 0; session < 40; session++) {
    const name = `session ${session}`
    const home = choice(all, name)
    expect(choice([...all].reverse(), name)).toBe(home)
    // Only the sessions of the one that left move.
    const rest = all.filter((id) => id !== 'B')
    if (home !== 'B') expect(choice(rest, name)).toBe(home)
  }
})

test('a seed makes random choices repeatable', () => {
  const drawn = (seed: string | number) => {
    const { pool } = poolOf(WEIGHTED, { strategy: 'weighted-random', seed })
    return order(pool, 30)
  }
  expect(drawn('one')).toBe(drawn('one'))
  expect(drawn(1)).toBe(drawn(1))
  expect(drawn('one')).not.toBe(drawn('two'))
})

test('weighted-random without a seed draws by weight, and differently in each pool', () => {
  const pools = [1, 2].map(() => poolOf(WEIGHTED, { strategy: 'weighted-random' }).pool)
  const [one, two] = pools.map((pool) => order(pool, 600))
  expect(one).not.toBe(two)
  const count = (id: string) => (one ?? '').split(' ').filter((known) => known === id).length
  // Six standard deviations around 300, 200 and 100.
  expect(Math.abs(count('A') - 300)).toBeLessThan(74)
  expect(Math.abs(count('B') - 200)).toBeLessThan(70)
  expect(Math.abs(count('C') - 100)).toBeLessThan(55)
})

test('least-busy counts the leases in flight against the weights', () => {
  const { pool } = poolOf(WEIGHTED, { strategy: 'least-busy' })
  const held = Array.from({ length: 12 }, () => take(pool).credential.id)
  const count = (id: string) => held.filter((known) => known === id).length
  expect([count('A'), count('B'), count('C')]).toEqual([6, 4, 2])
})

test("a provider's own strategy goes before the pool's", () => {
  const pool = new KeyPool({
    credentials: { one: rows('A', 'B'), two: rows('C', 'D') },
    strategy: 'fill-first',
    providers: { two: { strategy: 'weighted-round-robin' } },
  })
  expect(order(pool, 4, { provider: 'one' })).toBe('A A A A')
  expect(order(pool, 4, { provider: 'two' })).toBe('C D C D')
})

test('a custom strategy chooses among the candidates, and sees no secret', async () => {
  const asked: { ids: string[]; request: AcquireRequest }[] = []
  const shown: StrategyCandidate[] = []
  const strategy = (candidates: readonly StrategyCandidate[], request: AcquireRequest) => {
    asked.push({ ids: candidates.map(({ id }) => id), request })
    shown.push(...candidates)
    return candidates.at(-1)?.id ?? ''
  }
  const { pool } = poolOf([row('A', { label: 'first' }), row('B', { weight: 7 }), row('C')], {
    strategy,
  })
  const lease = take(pool, { model: 'm' })
  expect(lease.credential.id).toBe('C')
  expect(shown).toEqual([
    { id: 'A', label: 'first', weight: 1, inFlight: 0, picks: 0 },
    { id: 'B', label: null, weight: 7, inFlight: 0, picks: 0 },
    { id: 'C', label: null, weight: 1, inFlight: 0, picks: 0 },
  ])
  await lease.report({ status: 429 })
  expect(take(pool, { model: 'm' }).credential.id).toBe('B')
  expect(asked.map(({ ids }) => ids)).toEqual([
    ['A', 'B', 'C'],
    ['A', 'B'],
  ])
  expect(asked[0]?.request).toMatchObject({ provider: PROVIDER, model: 'm' })
})

test('a custom strategy is not asked for a session that is on a usable credential, nor by explain', async () => {
  let asked = 0
  const strategy = (candidates: readonly StrategyCandidate[]) => {
    asked += 1
    return candidates[0]?.id ?? ''
  }
  const { pool } = poolOf(rows('A', 'B'), { strategy })
  expect(take(pool, { session: 's' }).reason).toBe('strategy')
  expect(take(pool, { session: 's' }).reason).toBe('affinity')
  expect(asked).toBe(1)
  const explanation = pool.explain({ provider: PROVIDER, session: 'other' })
  expect(explanation.choice).toBeNull()
  expect(explanation.candidates.map(({ reason }) => reason)).toEqual(['available', 'available'])
  expect(asked).toBe(1)
  await attempt(pool, 'A', 429)
  const moved = take(pool, { session: 's' })
  expect([moved.credential.id, moved.reason]).toEqual(['B', 'lodging'])
})

test('a custom strategy that nobody can satisfy is not asked: the refusal says when', async () => {
  let asked = 0
  const { pool } = poolOf(rows('A'), {
    strategy: () => {
      asked += 1
      return 'A'
    },
  })
  await attempt(pool, 'A', 429)
  expect(asked).toBe(1)
  expect(refused(pool).retryAfterMs).toBe(MINUTE)
  expect(asked).toBe(1)
})

test.each<[string, () => unknown]>([
  ['throws', () => raise(new Error('mine'))],
  ['answers an id of nobody', () => 'nobody'],
  ['answers nothing', () => undefined],
  ['answers a promise', async () => 'A'],
  ['answers a symbol', () => Symbol('A')],
  ['answers a number', () => 0],
])('a custom strategy that %s is a typed error, and the pool goes on', async (_, answer) => {
  let isWrong = true
  const strategy = () => (isWrong ? (answer() as string) : 'B')
  const { pool } = poolOf(rows('A', 'B'), { strategy })
  const error = thrown(() => pool.tryAcquire({ provider: PROVIDER }))
  expect(error).toMatchObject({ code: 'strategy_failed', provider: PROVIDER })
  expect(await rejected(pool.acquire({ provider: PROVIDER }))).toMatchObject({
    code: 'strategy_failed',
  })
  expect(pool.status(PROVIDER).map(({ inFlight }) => inFlight)).toEqual([0, 0])
  isWrong = false
  expect(take(pool).credential.id).toBe('B')
  expect(statusOf(pool, 'B').inFlight).toBe(1)
})

test('a custom strategy that names a credential which cannot serve is refused', async () => {
  const { pool } = poolOf(rows('A', 'B'), { strategy: () => 'A' })
  await attempt(pool, 'A', 429)
  expect(thrown(() => take(pool))).toMatchObject({ code: 'strategy_failed' })
})

function raise(error: Error): never {
  throw error
}
