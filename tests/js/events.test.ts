import { KeyPool, type KeyPoolEvent } from 'keyrota'
import { afterEach, expect, test, vi } from 'vitest'
import { thrown } from './support/errors.ts'
import { attempt, listen, order, PROVIDER, poolOf, row, rows, take } from './support/pools.ts'

afterEach(() => vi.restoreAllMocks())

test('each grant is told with its reason', () => {
  const { pool } = poolOf(rows('A', 'B'))
  const heard = listen(pool, 'acquired')
  order(pool, 1)
  order(pool, 2, { session: 's' })
  const about = { type: 'acquired', provider: PROVIDER }
  expect(heard).toEqual([
    { ...about, credential: 'A', reason: 'strategy' },
    { ...about, credential: 'B', reason: 'strategy' },
    { ...about, credential: 'B', reason: 'affinity' },
  ])
})

test('what on answers removes the listener, once and for itself alone', async () => {
  const { pool } = poolOf(rows('A'))
  const heard: string[] = []
  const first = pool.on('acquired', () => heard.push('first'))
  first()
  order(pool, 1)
  const second = pool.on('acquired', () => heard.push('second'))
  first()
  order(pool, 1)
  expect(heard).toEqual(['second'])
  second()
  second()
  order(pool, 1)
  expect(heard).toEqual(['second'])
})

test('events of the core stop with the last listener and begin with the next', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const remove = pool.on('cooldown', () => {})
  remove()
  await attempt(pool, 'A', 429)
  const heard = listen(pool, 'cooldown')
  await attempt(pool, 'B', 429)
  expect(heard.map(({ credential }) => credential)).toEqual(['B'])
})

test('a listener that throws harms neither the pool nor the others; its error is reported', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const reported: (() => void)[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => reported.push(task))
  const heard: string[] = []
  for (const event of ['acquired', 'cooldown'] as const) {
    pool.on(event, () => {
      throw new Error(`mine: ${event}`)
    })
    pool.on(event, ({ credential }) => heard.push(`${event} ${credential}`))
  }
  const lease = take(pool)
  expect(await lease.report({ status: 429 })).toMatchObject({ class: 'rate_limited' })
  expect(heard).toEqual(['acquired A', 'cooldown A'])
  const errors = reported.map((task) => thrownBy(task))
  expect(errors).toEqual(['mine: acquired', 'mine: cooldown'])
})

function thrownBy(task: () => void): string {
  try {
    task()
  } catch (error) {
    return (error as Error).message
  }
  return 'nothing'
}

test('a listener that subscribes anew while it is called is called once per event', () => {
  const { pool } = poolOf(rows('A'))
  pool.on('acquired', () => {}) // so that the event is never without a listener
  let calls = 0
  let remove = () => {}
  const again = () => {
    calls += 1
    if (calls > 100) throw new Error('called in a circle')
    remove()
    remove = pool.on('acquired', again)
  }
  remove = pool.on('acquired', again)
  order(pool, 3)
  expect(calls).toBe(3)
})

test('a listener may remove itself and others', () => {
  const { pool } = poolOf(rows('A'))
  const heard: string[] = []
  const removers = ['first', 'second', 'third'].map((name) =>
    pool.on('acquired', () => {
      heard.push(name)
      for (const remove of removers) remove()
    }),
  )
  order(pool, 2)
  expect(heard[0]).toBe('first')
  expect(heard.length).toBeLessThanOrEqual(3)
})

test.each<[unknown, unknown]>([
  ['acquired', undefined],
  ['acquired', 'listener'],
  ['aquired', () => {}],
  ['constructor', () => {}],
  [undefined, () => {}],
  [Symbol('acquired'), () => {}],
])('what is no event, or no listener, is refused: case %#', (event, listener) => {
  const { pool } = poolOf(rows('A'))
  const error = thrown(() => pool.on(event as KeyPoolEvent, listener as never))
  expect(error.code).toBe('invalid_option')
  order(pool, 1)
})

test('an unknown event names the nearest one', () => {
  const { pool } = poolOf(rows('A'))
  const error = thrown(() => pool.on('aquired' as KeyPoolEvent, () => {}))
  expect(error.message).toContain("did you mean 'acquired'?")
})

test('events reach the listeners of their pool alone', async () => {
  const [one, two] = [poolOf(rows('A', 'B')).pool, poolOf(rows('A', 'B')).pool]
  const heard = [one, two].map((pool) => listen(pool, 'acquired', 'cooldown', 'recovered'))
  await attempt(one, 'A', 429)
  one.reset('A')
  expect(heard[0]?.map(({ type }) => type)).toEqual(['acquired', 'cooldown', 'recovered'])
  expect(heard[1]).toEqual([])
})

test('a row that breaks a rule is told at each load', async () => {
  const pool = new KeyPool({ load: () => [row('A'), row('B', { weight: 0 })] })
  const heard = listen(pool, 'invalid_credential')
  await pool.load(PROVIDER)
  order(pool, 3)
  expect(heard).toHaveLength(1)
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(heard).toHaveLength(2)
})
