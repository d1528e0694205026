import { type Credential, KeyPool } from 'keyrota'
import { expect, test, vi } from 'vitest'
import { rejected } from './support/errors.ts'
import { listen, order, PROVIDER, refused, row, rows, statusOf, take } from './support/pools.ts'
import { type Deferred, deferred, settle } from './support/promises.ts'

type Rows = readonly Credential[]

/** A loader whose calls are answered by hand. */
function byHand(): { calls: Deferred<Rows>[]; load: (provider: string) => Promise<Rows> } {
  const calls: Deferred<Rows>[] = []
  const load = () => {
    const call = deferred<Rows>()
    calls.push(call)
    return call.promise
  }
  return { calls, load }
}

test('requests that come together wait for one call of the loader', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const requests = Array.from({ length: 50 }, () => pool.acquire({ provider: PROVIDER }))
  await settle()
  expect(calls).toHaveLength(1)
  calls[0]?.resolve(rows('A', 'B'))
  const leases = await Promise.all(requests)
  expect(leases.filter(({ credential }) => credential.id === 'A')).toHaveLength(25)
  await pool.acquire({ provider: PROVIDER })
  expect(calls).toHaveLength(1)
})

test('each provider is loaded by itself, at its first use', async () => {
  const load = vi.fn((provider: string) => rows(`${provider}-A`))
  const pool = new KeyPool({ load })
  expect(load).not.toHaveBeenCalled()
  expect((await pool.acquire({ provider: 'one' })).credential.id).toBe('one-A')
  expect((await pool.acquire({ provider: 'two' })).credential.id).toBe('two-A')
  await pool.acquire({ provider: 'one' })
  expect(load.mock.calls).toEqual([['one'], ['two']])
})

test('a loader that answers at once lets a request be served at once', () => {
  const pool = new KeyPool({ load: () => rows('A') })
  expect(refused(pool)).toMatchObject({ code: 'not_loaded', retryAfterMs: null })
  void pool.load(PROVIDER)
  expect(take(pool).credential.id).toBe('A')
})

test('a loader that rejects is told to every waiter, and nothing is cached', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const requests = Array.from({ length: 5 }, () => rejected(pool.acquire({ provider: PROVIDER })))
  const cause = new Error('the database is locked')
  calls[0]?.reject(cause)
  for (const error of await Promise.all(requests)) {
    expect(error).toMatchObject({ code: 'load_failed', provider: PROVIDER, cause })
  }
  expect(pool.explain({ provider: PROVIDER }).loaded).toBe(false)
  const again = pool.acquire({ provider: PROVIDER })
  calls[1]?.resolve(rows('A'))
  expect((await again).credential.id).toBe('A')
})

test('what was loaded before stays loaded when another provider fails', async () => {
  const pool = new KeyPool({
    load: (provider) => {
      if (provider === 'bad') throw new Error('no')
      return rows('A')
    },
  })
  await pool.load('good')
  await rejected(pool.load('bad'))
  expect(take(pool, { provider: 'good' }).credential.id).toBe('A')
})

test('a load that began before an invalidation never lands', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const before = pool.acquire({ provider: PROVIDER })
  await settle()
  pool.invalidate(PROVIDER)
  const after = pool.acquire({ provider: PROVIDER })
  await settle()
  expect(calls).toHaveLength(2)
  calls[1]?.resolve(rows('new'))
  expect((await after).credential.id).toBe('new')
  expect((await before).credential.id).toBe('new')
  calls[0]?.resolve(rows('old'))
  await settle()
  expect(pool.status(PROVIDER).map(({ id }) => id)).toEqual(['new'])
  expect(calls).toHaveLength(2)
})

test('an old load that answers first does not land either, and its waiters go on', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const before = pool.acquire({ provider: PROVIDER })
  await settle()
  pool.invalidate()
  calls[0]?.resolve(rows('old'))
  await settle()
  expect(refused(pool).code).toBe('not_loaded')
  expect(calls).toHaveLength(2)
  calls[1]?.resolve(rows('new'))
  expect((await before).credential.id).toBe('new')
})

test('after an invalidation all waiters, old and new, wait for one more call', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const requests = Array.from({ length: 10 }, () => pool.acquire({ provider: PROVIDER }))
  await settle()
  pool.invalidate(PROVIDER)
  requests.push(...Array.from({ length: 10 }, () => pool.acquire({ provider: PROVIDER })))
  await settle()
  calls[0]?.resolve(rows('old'))
  await settle()
  requests.push(pool.acquire({ provider: PROVIDER }))
  await settle()
  expect(calls).toHaveLength(2)
  calls[1]?.resolve(rows('new'))
  const leases = await Promise.all(requests)
  expect(new Set(leases.map(({ credential }) => credential.id))).toEqual(new Set(['new']))
})

test('an old load that rejects ends nobody, and lets no second call begin', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const before = pool.acquire({ provider: PROVIDER })
  await settle()
  pool.invalidate(PROVIDER)
  const after = pool.acquire({ provider: PROVIDER })
  await settle()
  calls[0]?.reject(new Error('too late'))
  await settle()
  const later = pool.acquire({ provider: PROVIDER })
  await settle()
  expect(calls).toHaveLength(2)
  calls[1]?.resolve(rows('A'))
  const leases = await Promise.all([before, after, later])
  expect(leases.map(({ credential }) => credential.id)).toEqual(['A', 'A', 'A'])
})

test('a loader that hangs is left behind by an invalidation', async () => {
  const { calls, load } = byHand()
  const pool = new KeyPool({ load })
  const waiting = pool.acquire({ provider: PROVIDER })
  await settle()
  pool.invalidate(PROVIDER)
  await settle()
  calls[1]?.resolve(rows('A'))
  expect((await waiting).credential.id).toBe('A')
})

test('an invalidation of one provider leaves the others loaded', async () => {
  const load = vi.fn((provider: string) => rows(provider))
  const pool = new KeyPool({ load })
  await Promise.all([pool.load('one'), pool.load('two')])
  pool.invalidate('one')
  await Promise.all([pool.load('one'), pool.load('two')])
  expect(load.mock.calls.flat()).toEqual(['one', 'two', 'one'])
  pool.invalidate()
  await Promise.all([pool.load('one'), pool.load('two')])
  expect(load).toHaveBeenCalledTimes(5)
})

test('an added row serves after an invalidation, a deleted one no longer', async () => {
  let list = rows('A', 'B')
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  expect(order(pool, 4)).toBe('A B A B')
  list = rows('B', 'C')
  expect(order(pool, 2), 'the rows are cached').toBe('A B')
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(new Set(order(pool, 6).split(' '))).toEqual(new Set(['B', 'C']))
  expect(pool.status(PROVIDER).map(({ id }) => id)).toEqual(['B', 'C'])
})

test('a session whose credential was deleted moves; one whose credential stays does not', async () => {
  let list = rows('A', 'B')
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  expect(take(pool, { session: 'a' }).credential.id).toBe('A')
  expect(take(pool, { session: 'b' }).credential.id).toBe('B')
  list = rows('C', 'B')
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(take(pool, { session: 'b' })).toMatchObject({ reason: 'affinity' })
  const moved = take(pool, { session: 'a' })
  expect([moved.reason, ['B', 'C'].includes(moved.credential.id)]).toEqual(['rebound', true])
})

test('an edit by hand counts with the next load: off, on, weight', async () => {
  let list: Rows = rows('A', 'B')
  const pool = new KeyPool({ load: () => list })
  const edit = async (next: Rows) => {
    list = next
    pool.invalidate(PROVIDER)
    await pool.load(PROVIDER)
  }
  await edit([row('A', { enabled: false }), row('B')])
  expect(order(pool, 2)).toBe('B B')
  expect(statusOf(pool, 'A').by).toBe('hand')
  await edit([row('A', { weight: 3 }), row('B')])
  const picks = order(pool, 8).split(' ')
  expect(picks.filter((id) => id === 'A')).toHaveLength(6)
})

test('the caller may change what he handed in; the pool has its own', async () => {
  const list = [row('A', { models: ['m'] })]
  const pool = new KeyPool({ load: () => list })
  await pool.load(PROVIDER)
  Object.assign(list[0] ?? {}, { id: 'X', secret: 'other', models: ['n'] })
  list.push(row('B'))
  const lease = take(pool, { model: 'm' })
  expect([lease.credential.id, lease.secret]).toEqual(['A', 'sk-A'])
})

test('rows of the options need no loader, and are named by provider and place', async () => {
  const pool = new KeyPool({
    credentials: { one: ['sk-1', { secret: 'sk-2', weight: 2 }, { id: 'mine', secret: 'sk-3' }] },
  })
  expect(pool.status('one').map(({ id }) => id)).toEqual(['one-1', 'one-2', 'mine'])
  expect(order(pool, 4, { provider: 'one' })).toBe('one-1 one-2 one-2 mine')
  expect(refused(pool, { provider: 'none' }).code).toBe('not_loaded')
  const error = await rejected(pool.acquire({ provider: 'none' }))
  expect(error).toMatchObject({ code: 'no_credential_available', retryAfterMs: null })
  expect(error.message).toBe("provider 'none' has no credentials")
})

test('rows of the options go before the loader, and keep their health at an invalidation', async () => {
  const load = vi.fn(() => rows('B'))
  const pool = new KeyPool({ credentials: { one: rows('A') }, load })
  expect(take(pool, { provider: 'one' }).credential.id).toBe('A')
  expect((await pool.acquire({ provider: 'two' })).credential.id).toBe('B')
  expect(load.mock.calls).toEqual([['two']])
  await take(pool, { provider: 'one' }).report({ status: 429 })
  pool.invalidate()
  await pool.load('one')
  expect(statusOf(pool, 'A', 'one').state).toBe('cooling')
})

test('two providers may not have a row of one id: the later one is passed over', async () => {
  const pool = new KeyPool({ load: (provider) => rows('shared', `${provider}-own`) })
  const heard = listen(pool, 'invalid_credential')
  await pool.load('one')
  await pool.load('two')
  expect(pool.status('one').map(({ id }) => id)).toEqual(['shared', 'one-own'])
  expect(pool.status('two').map(({ id }) => id)).toEqual(['two-own'])
  expect(heard).toEqual([
    {
      type: 'invalid_credential',
      provider: 'two',
      credential: 'shared',
      field: 'id',
      rule: 'must be unique in the pool',
    },
  ])
})

test('two pools in one process do not disturb each other', async () => {
  const [one, two] = [rows('A', 'B'), rows('A', 'B')].map(
    (list) => new KeyPool({ credentials: { [PROVIDER]: list } }),
  )
  if (one === undefined || two === undefined) throw new Error('no pools')
  const heard = listen(two, 'acquired', 'cooldown')
  take(one, { session: 's' })
  await take(one).report({ status: 429 })
  expect(heard).toEqual([])
  expect(two.status(PROVIDER)).toMatchObject([
    { picks: 0, state: 'available' },
    { picks: 0, state: 'available' },
  ])
  expect(take(two, { session: 's' }).credential.id).toBe('A')
  one.dispose()
  expect(order(two, 2)).toBe('B A')
})
