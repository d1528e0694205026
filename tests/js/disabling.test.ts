import { type Credential, KeyPool } from 'keyrota'
import { afterEach, expect, test, vi } from 'vitest'
import { FakeClock, MINUTE, SECOND } from './support/clock.ts'
import { thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  order,
  PROVIDER,
  poolOf,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'
import { deferred, settle } from './support/promises.ts'

afterEach(() => vi.restoreAllMocks())

/** A classic pool over rows in a storage that the disable callback writes. */
function stored(disable: (id: string) => unknown, ids = ['A', 'B']) {
  const clock = new FakeClock()
  const storage = new Map<string, Credential>(ids.map((id) => [id, row(id)]))
  const asked = vi.fn(disable)
  const pool = new KeyPool({
    policy: 'classic',
    load: () => [...storage.values()],
    disable: asked as (id: string) => boolean,
    now: clock.now,
  })
  const edit = async (id: string, more: Partial<Credential>) => {
    storage.set(id, { ...row(id), ...storage.get(id), ...more })
    pool.invalidate(PROVIDER)
    await pool.load(PROVIDER)
  }
  return { pool, clock, storage, asked, edit }
}

test('the storage is told once, with id and reason, and the key stays off', async () => {
  const { pool, asked, storage } = stored((id) => {
    storage.set(id, row(id, { enabled: false }))
    return true
  })
  await pool.load(PROVIDER)
  const heard = listen(pool, 'disabled', 'disable_failed')
  await attempt(pool, 'A', 401)
  await settle()
  expect(asked).toHaveBeenCalledExactlyOnceWith('A', { provider: PROVIDER, class: 'auth_failed' })
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A')).toMatchObject({
    state: 'credential_disabled',
    by: 'verdict',
    cause: 'auth_failed',
  })
  expect(order(pool, 3)).toBe('B B B')
  expect(heard).toEqual([
    { type: 'disabled', provider: PROVIDER, credential: 'A', class: 'auth_failed' },
  ])
})

test('once the callback has answered true the loader is believed: enabled brings it back, clean', async () => {
  const { pool, clock, edit } = stored(() => true)
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE)
  const heard = listen(pool, 'enabled')
  await attempt(pool, 'A', 401)
  await settle()
  await edit('A', { enabled: false })
  expect(statusOf(pool, 'A').by).toBe('verdict')
  await edit('A', { enabled: true })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0, until: null })
  expect(heard).toEqual([{ type: 'enabled', provider: PROVIDER, credential: 'A' }])
})

test.each<[string, () => unknown, string]>([
  ['rejects', () => Promise.reject(new Error('read-only')), 'disable failed: read-only'],
  ['throws', () => raise(new Error('gone')), 'disable failed: gone'],
  ['throws a text', () => raise('gone'), 'disable failed: gone'],
  ['throws what has no text', () => raise(Object.create(null)), 'disable failed: '],
  ['answers false', () => false, 'disable did not answer true'],
  ['answers nothing', () => undefined, 'disable did not answer true'],
  ['answers later with false', async () => false, 'disable did not answer true'],
  ['answers something true', () => 'yes', 'disable did not answer true'],
])(
  'a key stays off though the callback %s; the write comes again every 30 s',
  async (_, disable, message) => {
    const { pool, clock, asked, edit } = stored(disable)
    await pool.load(PROVIDER)
    const heard = listen(pool, 'disable_failed')
    await attempt(pool, 'A', 403)
    await settle()
    expect(heard).toMatchObject([{ provider: PROVIDER, credential: 'A' }])
    expect(heard[0]?.['message']).toContain(message)
    await edit('A', { enabled: true })
    expect(statusOf(pool, 'A').by, 'the loader is not believed').toBe('verdict')
    clock.pass(30 * SECOND - 1)
    order(pool, 1)
    expect(asked).toHaveBeenCalledTimes(1)
    clock.pass(1)
    order(pool, 1)
    await settle()
    expect(asked).toHaveBeenCalledTimes(2)
    asked.mockReturnValue(true)
    clock.pass(30 * SECOND)
    order(pool, 1)
    await settle()
    await pool.load(PROVIDER)
    expect(statusOf(pool, 'A').state, 'now it is').toBe('available')
    clock.pass(MINUTE)
    order(pool, 1)
    expect(asked).toHaveBeenCalledTimes(3)
  },
)

test('a callback that never answers is asked once, and the pool goes on without it', async () => {
  const { pool, clock, asked } = stored(() => new Promise(() => {}))
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  for (let round = 0; round < 3; round++) {
    clock.pass(30 * SECOND)
    expect(order(pool, 2)).toBe('B B')
    await settle()
  }
  expect(asked).toHaveBeenCalledTimes(1)
})

test('rows that were read before the storage wrote bring nobody back', async () => {
  const write = deferred<boolean>()
  const { pool, edit } = stored(() => write.promise)
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  await edit('A', { enabled: true })
  expect(statusOf(pool, 'A').by).toBe('verdict')
  write.resolve(true)
  await settle()
  expect(refused(pool).code, 'the rows are read anew').toBe('not_loaded')
})

test('several keys are disabled by calls of their own, each once', async () => {
  const { pool, asked } = stored(() => new Promise(() => {}), ['A', 'B', 'C'])
  await pool.load(PROVIDER)
  const leases = ['A', 'A', 'A', 'B', 'B'].map((id) => leaseOf(pool, id))
  for (const lease of leases) await lease.report({ status: 401 })
  await settle()
  expect(asked.mock.calls.map(([id]) => id)).toEqual(['A', 'B'])
})

test('without a callback a key is off until somebody enables it', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/3537
  const { pool, clock } = poolOf(rows('A', 'B'), { policy: 'classic' })
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE)
  await attempt(pool, 'A', 401)
  pool.invalidate()
  await pool.load(PROVIDER)
  clock.pass(24 * 60 * MINUTE)
  expect(order(pool, 2)).toBe('B B')
  const heard = listen(pool, 'enabled')
  pool.enable('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  expect(heard).toHaveLength(1)
  expect(new Set(order(pool, 4).split(' '))).toEqual(new Set(['A', 'B']))
})

test('a session is never led back to a disabled key', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/65041
  const { pool } = poolOf(rows('A', 'B', 'C'), { policy: 'classic' })
  expect(take(pool, { session: 's' }).credential.id).toBe('A')
  await attempt(pool, 'A', 401)
  await attempt(pool, 'B', 429)
  await attempt(pool, 'C', 429)
  expect(refused(pool, { session: 's' }).retryAfterMs).toBe(MINUTE)
})

test('a row that is off by hand serves after enable, until the next load says otherwise', async () => {
  const load = () => [row('A', { enabled: false }), row('B')]
  const pool = new KeyPool({ load })
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').by).toBe('hand')
  pool.enable('A')
  expect(statusOf(pool, 'A').state).toBe('available')
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').by).toBe('hand')
})

test('enable ends the cooldowns of a key that is not off', async () => {
  const { pool } = poolOf(rows('A'))
  await attempt(pool, 'A', 429)
  pool.enable('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
})

test('reset does not bring back what is disabled', async () => {
  const { pool } = poolOf(rows('A', 'B'), { policy: 'classic' })
  await attempt(pool, 'A', 401)
  pool.reset('A')
  expect(statusOf(pool, 'A').by).toBe('verdict')
})

test('a new secret clears a disabling by verdict, never one by hand', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3368
  const { pool, edit } = stored(() => false)
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 401)
  await edit('A', { secret: 'new' })
  expect(statusOf(pool, 'A').state).toBe('available')
  expect(leaseOf(pool, 'A').secret).toBe('new')
  await edit('A', { enabled: false })
  await edit('A', { secret: 'newer' })
  expect(statusOf(pool, 'A').by).toBe('hand')
})

test.each(['nobody', '', 'a'])('there is no credential %j to reset or enable', (id) => {
  const { pool } = poolOf(rows('A'))
  for (const act of [() => pool.reset(id), () => pool.enable(id)]) {
    expect(thrown(act)).toMatchObject({ code: 'unknown_credential', credential: id })
  }
})

test.each([undefined, null, 7, 7n, Symbol('A'), {}, Object.create(null)])(
  'what is no text names no credential: case %#',
  (id) => {
    const { pool } = poolOf(rows('A'))
    for (const act of [() => pool.reset(id as never), () => pool.enable(id as never)]) {
      expect(thrown(act)).toMatchObject({ code: 'invalid_option', path: 'id' })
    }
  },
)

test('a key of the options is written once, and stays off through an invalidation', async () => {
  const disable = vi.fn(() => true)
  const { pool, clock } = poolOf(rows('A', 'B'), { policy: 'classic', disable })
  await attempt(pool, 'A', 401)
  await settle()
  for (let sweep = 0; sweep < 3; sweep++) {
    clock.pass(30 * SECOND)
    order(pool, 1)
    await settle()
  }
  expect(disable).toHaveBeenCalledTimes(1)
  pool.invalidate()
  await pool.load(PROVIDER)
  expect(statusOf(pool, 'A').by).toBe('verdict')
  expect(order(pool, 2)).toBe('B B')
})

test('a key of the options that was enabled by hand and is refused again is written again', async () => {
  const disable = vi.fn(() => true)
  const { pool } = poolOf(rows('A', 'B'), { policy: 'classic', disable })
  for (let refusal = 1; refusal <= 2; refusal++) {
    await attempt(pool, 'A', 401)
    await settle()
    expect(disable).toHaveBeenCalledTimes(refusal)
    pool.enable('A')
  }
})

test('the provider-level key is not written to a storage that does not know it', async () => {
  const disable = vi.fn(() => true)
  const pool = new KeyPool({
    policy: 'classic',
    load: () => [],
    disable,
    fallbackSecret: () => 'sk-provider',
  })
  await pool.load(PROVIDER)
  await take(pool).report({ status: 401 })
  await settle()
  expect(disable).not.toHaveBeenCalled()
  expect(refused(pool).retryAfterMs).toBeNull()
})

function raise(error: unknown): never {
  throw error
}
