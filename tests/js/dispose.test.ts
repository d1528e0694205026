import { KeyPool } from 'keyrota'
import { expect, test, vi } from 'vitest'
import { FakeClock } from './support/clock.ts'
import { rejected, thrown } from './support/errors.ts'
import { attempt, leaseOf, PROVIDER, poolOf, row, rows, take } from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'

test('after a dispose every call is a typed error', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const snapshot = pool.snapshot()
  const remove = pool.on('acquired', () => {})
  pool.dispose()
  const calls: Record<string, () => unknown> = {
    tryAcquire: () => pool.tryAcquire({ provider: PROVIDER }),
    tryAcquireOther: () => pool.tryAcquire({ provider: 'never seen' }),
    explain: () => pool.explain({ provider: PROVIDER }),
    status: () => pool.status(PROVIDER),
    reset: () => pool.reset('A'),
    enable: () => pool.enable('A'),
    recover: () => pool.recover('A'),
    invalidate: () => pool.invalidate(),
    invalidateOne: () => pool.invalidate(PROVIDER),
    releaseSession: () => pool.releaseSession('s'),
    on: () => pool.on('acquired', () => {}),
    snapshot: () => pool.snapshot(),
    restore: () => pool.restore(snapshot),
  }
  for (const [name, call] of Object.entries(calls)) {
    expect(thrown(call), name).toMatchObject({ code: 'disposed' })
  }
  const attempt = vi.fn()
  const promises = {
    acquire: pool.acquire({ provider: PROVIDER }),
    load: pool.load(PROVIDER),
    run: pool.run({ provider: PROVIDER }, attempt),
  }
  for (const [name, promise] of Object.entries(promises)) {
    expect(await rejected(promise), name).toMatchObject({ code: 'disposed' })
  }
  expect(attempt).not.toHaveBeenCalled()
  remove()
})

test('a pool may be disposed twice, and by `using`', () => {
  const { pool } = poolOf(rows('A'))
  pool.dispose()
  pool.dispose()
  pool[Symbol.dispose]()
  let inside: KeyPool | undefined
  {
    using scoped = new KeyPool({ credentials: { [PROVIDER]: rows('A') } })
    inside = scoped
    expect(take(scoped).credential.id).toBe('A')
  }
  expect(thrown(() => inside?.status(PROVIDER))).toMatchObject({ code: 'disposed' })
})

test('a lease outlives its pool: it shows what it has, and ends quietly', async () => {
  const { pool } = poolOf(rows('A'))
  const [one, two, three] = [take(pool), take(pool), take(pool)]
  pool.dispose()
  await settle()
  expect([one.credential.id, one.secret, one.reason]).toEqual(['A', 'sk-A', 'strategy'])
  one.release()
  await two[Symbol.asyncDispose]()
  for (const status of [200, 429]) {
    expect(await rejected(three.report({ status }))).toMatchObject({ code: 'disposed' })
  }
})

test('a load that is under way ends in a typed error and touches nothing', async () => {
  const answer = deferred<ReturnType<typeof rows>>()
  const pool = new KeyPool({ load: () => answer.promise })
  const loading = pool.acquire({ provider: PROVIDER })
  await settle()
  pool.dispose()
  expect(await rejected(loading)).toMatchObject({ code: 'disposed' })
  answer.resolve(rows('A'))
  await settle()
})

test('a storage callback that answers after the dispose is not listened to', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const answer = deferred<boolean>()
    const pool = new KeyPool({
      policy: 'classic',
      load: () => rows('A', 'B'),
      disable: () => answer.promise,
    })
    await pool.load(PROVIDER)
    const heard = vi.fn()
    pool.on('disable_failed', heard)
    await attempt(pool, 'A', 401)
    pool.dispose()
    if (end === 'resolve') answer.resolve(true)
    else answer.reject(new Error('late'))
    await settle()
    expect(heard).not.toHaveBeenCalled()
  }
})

test('listeners hear nothing after the dispose', async () => {
  const clock = new FakeClock()
  const pool = new KeyPool({ load: () => [row('A')], now: clock.now })
  await pool.load(PROVIDER)
  const heard = vi.fn()
  pool.on('cooldown', heard)
  const lease = leaseOf(pool, 'A')
  pool.dispose()
  await rejected(lease.report({ status: 429 }))
  expect(heard).not.toHaveBeenCalled()
})

test('disposed pools give their memory back', async () => {
  const cycle = async (pools: number) => {
    for (let count = 0; count < pools; count++) {
      const { pool } = poolOf(rows('A', 'B'), { affinity: { capacity: 10_000 } })
      for (let session = 0; session < 200; session++) take(pool, { session: `s${session}` })
      pool.dispose()
      await settle()
    }
  }
  await cycle(50)
  const before = process.memoryUsage()
  await cycle(400)
  const after = process.memoryUsage()
  // What a pool of 200 sessions and leases has: 400 of them would be beyond 8 MB.
  expect(after.external - before.external).toBeLessThan(2_000_000)
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(2_000_000)
})
