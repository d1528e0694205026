// One attempt that finds out whether a rest can end.

import { KeyPool } from 'keyrota'
import { expect, test, vi } from 'vitest'
import { FakeClock, MINUTE } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import {
  attempt,
  leaseOf,
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
import { settle } from './support/promises.ts'

const DEAD = { status: 401, body: { error: { code: 'invalid_api_key', message: 'no' } } }
const OK = () => ({ status: 200 })

/** A credential whose window of level 2 has just ended. */
async function due(pool: KeyPool, clock: FakeClock, id = 'A'): Promise<void> {
  await attempt(pool, id, 429)
  clock.pass(MINUTE)
  await attempt(pool, id, 429)
  clock.pass(2 * MINUTE)
}

test('a window of level 1 needs no probe when it ends', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 429)
  clock.pass(MINUTE)
  expect(take(pool).ok).toBe(true)
  expect(take(pool).ok).toBe(true)
})

test('after a window of level 2 one lease is the probe, and the others pass the credential over', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  await due(pool, clock)
  const probe = take(pool)
  expect(probe.credential.id).toBe('A')
  expect(order(pool, 3)).toBe('B B B')
  expect(reasons(pool)).toEqual({ A: 'probe_pending', B: 'chosen' })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'probe_pending', until: clock.at + MINUTE })
  await probe.report({ status: 200 })
  expect(order(pool, 2)).toBe('A A')
  expect(statusOf(pool, 'A').level).toBe(0)
})

test('a probe that fails climbs, and the next one comes when its window ends', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await due(pool, clock)
  await take(pool).report({ status: 429 })
  expect(statusOf(pool, 'A')).toMatchObject({ level: 3, until: clock.at + 4 * MINUTE })
})

test('a probe that is released says nothing: the next lease is the probe', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  await due(pool, clock)
  take(pool).release()
  expect(take(pool).credential.id).toBe('A')
  expect(take(pool).credential.id).toBe('B')
})

test('a probe that is never reported holds the others back for a minute', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  await due(pool, clock)
  take(pool)
  clock.pass(MINUTE - 1)
  expect(take(pool).credential.id).toBe('B')
  clock.pass(1)
  expect(take(pool).credential.id).toBe('A')
})

test('while a window is over and its probe under way, others use it only if nobody else can', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  await due(pool, clock)
  take(pool)
  expect(take(pool).credential.id).toBe('B')
  await attempt(pool, 'B', 429)
  expect(take(pool).credential.id).toBe('A')
})

test('while a long stated window runs, nobody but its probe uses it', async () => {
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 429, { 'retry-after': '7980' })
  clock.pass(15 * MINUTE)
  take(pool)
  expect(refused(pool).retryAfterMs).toBe(MINUTE)
  expect(reasons(pool), 'its rest is not over').toEqual({ A: 'cooling' })
})

test('how long a probe holds and when long waits are probed can be chosen', async () => {
  const { pool, clock } = poolOf(rows('A'), {
    probe: { ttlMs: 5_000, everyMs: 20_000, longerThanMs: 30_000 },
  })
  await attempt(pool, 'A', 429, { 'retry-after': '30' })
  expect(refused(pool).retryAfterMs).toBe(30_000)
  pool.reset('A')
  await attempt(pool, 'A', 429, { 'retry-after': '31' })
  expect(refused(pool).retryAfterMs).toBe(20_000)
  clock.pass(20_000)
  take(pool)
  expect(refused(pool).retryAfterMs).toBe(5_000)
})

test('probe goes to the credential that it names, with its secret, and changes no other', async () => {
  // Reproducer for: https://github.com/CherryHQ/cherry-studio/issues/9139
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const before = [statusOf(pool, 'A'), statusOf(pool, 'C')]
  const seen: string[] = []
  const verdict = await pool.probe('B', (lease) => {
    seen.push(lease.secret, lease.credential.id, lease.reason)
    return { status: 429, headers: { 'retry-after': '9' } }
  })
  expect(verdict).toMatchObject({ class: 'rate_limited', waitMs: 9_000 })
  expect(seen).toEqual(['sk-B', 'B', 'probe'])
  expect(statusOf(pool, 'B')).toMatchObject({
    state: 'cooling',
    picks: 1,
    failures: 1,
    inFlight: 0,
  })
  expect([statusOf(pool, 'A'), statusOf(pool, 'C')]).toEqual(before)
})

test('probe reaches a credential that rests, and a success ends all of its rests', async () => {
  const { pool } = poolOf(rows('A'))
  const heard = listen(pool, 'recovered', 'acquired')
  await take(pool, { model: 'm' }).report({ status: 429 })
  await attempt(pool, 'A', 429, { 'retry-after': '7980' })
  expect(refused(pool).ok).toBe(false)
  expect(await pool.probe('A', OK)).toMatchObject({ class: 'ok' })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  expect(heard.filter(({ type }) => type === 'recovered')).toHaveLength(1)
  expect(heard.filter(({ type }) => type === 'acquired').at(-1)).toMatchObject({ reason: 'probe' })
})

test('probe brings back what a verdict disabled, with counters and ladder as new', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/3537
  const { pool } = poolOf(rows('A', 'B'))
  const heard = listen(pool, 'disabled', 'enabled')
  await leaseOf(pool, 'A').report(DEAD)
  expect(statusOf(pool, 'A').by).toBe('verdict')
  await pool.probe('A', OK)
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0, until: null })
  expect(heard.map(({ type }) => type)).toEqual(['disabled', 'enabled'])
  expect(leaseOf(pool, 'A').credential.id).toBe('A')
})

test('enable brings back what a verdict disabled, too', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/3537
  const { pool } = poolOf(rows('A', 'B'))
  await leaseOf(pool, 'A').report(DEAD)
  pool.enable('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0, cause: null })
})

test('a pool whose credentials are all disabled can still be probed', async () => {
  // Reproducer for: https://github.com/QuantumNous/new-api/issues/7040
  const { pool } = poolOf(rows('A', 'B'))
  for (const id of ['A', 'B']) await leaseOf(pool, id).report(DEAD)
  expect(refused(pool).retryAfterMs).toBeNull()
  await pool.probe('A', OK)
  expect(take(pool).credential.id).toBe('A')
})

test('a probe that fails leaves what is disabled as it is', async () => {
  const { pool } = poolOf(rows('A'))
  await leaseOf(pool, 'A').report(DEAD)
  for (const outcome of [DEAD, { status: 429 }, { status: 400 }, { status: 503 }]) {
    await pool.probe('A', () => outcome)
    expect(statusOf(pool, 'A').by).toBe('verdict')
  }
})

test('what a person switched off stays off, however well its probe went', async () => {
  const { pool } = poolOf([row('A', { enabled: false }), row('B')])
  expect(await pool.probe('A', OK)).toMatchObject({ class: 'ok' })
  expect(statusOf(pool, 'A').by).toBe('hand')
})

test('probe reads a Response and a thrown error as run does, and throws neither', async () => {
  const { pool } = poolOf(rows('A'))
  const response = new Response(JSON.stringify(DEAD.body), { status: 401 })
  expect(await pool.probe('A', () => response)).toMatchObject({ disable: true })
  const refusedConnection = Object.assign(new Error('no'), { code: 'ECONNREFUSED' })
  const verdict = await pool.probe('A', () => {
    throw refusedConnection
  })
  expect(verdict).toMatchObject({ class: 'server_error', scope: 'provider' })
  expect(await pool.probe('A', () => 'anything')).toMatchObject({ class: 'ok' })
})

test('probe works while the provider pauses, and a success ends the pause', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 503)
  expect(reasons(pool)).toEqual({ A: 'provider_paused', B: 'provider_paused' })
  await pool.probe('B', OK)
  expect(take(pool).ok).toBe(true)
})

test('probe takes the caller at his word if he reports himself', async () => {
  const { pool } = poolOf(rows('A'))
  const verdict = await pool.probe('A', async (lease) => {
    await lease.report({ status: 429 })
  })
  expect(verdict).toMatchObject({ class: 'rate_limited' })
})

test('probe of a credential that nobody knows, or without a secret, is a typed error', async () => {
  const { pool } = poolOf([row('A', { secret: '$KEYROTA_TEST_UNSET' })])
  const send = vi.fn(OK)
  expect(await rejected(pool.probe('nobody', send))).toMatchObject({ code: 'unknown_credential' })
  expect(await rejected(pool.probe('A', send))).toMatchObject({ code: 'no_credential_available' })
  expect(await rejected(pool.probe(7 as never, send))).toMatchObject({ path: 'id' })
  expect(await rejected(pool.probe('A', undefined as never))).toMatchObject({ path: 'send' })
  expect(send).not.toHaveBeenCalled()
})

test('a probe that fails does not make the storage be told again', async () => {
  const clock = new FakeClock()
  const disable = vi.fn(async () => true)
  const pool = new KeyPool({ credentials: { [PROVIDER]: rows('A', 'B') }, now: clock.now, disable })
  await leaseOf(pool, 'A').report(DEAD)
  await settle()
  await pool.probe('A', () => DEAD)
  clock.pass(MINUTE)
  take(pool)
  await settle()
  expect(disable).toHaveBeenCalledTimes(1)
  await pool.probe('A', OK)
  await leaseOf(pool, 'A').report(DEAD)
  await settle()
  expect(disable, 'a new death is told').toHaveBeenCalledTimes(2)
})

test('a key without money is probed within 15 minutes, and healthy at once when it is paid', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/21574
  const { pool, clock } = poolOf(rows('A'))
  await attempt(pool, 'A', 402)
  expect(statusOf(pool, 'A').state).toBe('quota_exhausted')
  const { retryAfterMs } = refused(pool)
  expect(retryAfterMs).toBeLessThanOrEqual(15 * MINUTE)
  clock.pass(retryAfterMs ?? 0)
  await take(pool).report({ status: 200 })
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', level: 0 })
  await attempt(pool, 'A', 402)
  pool.reset('A')
  expect(take(pool).ok).toBe(true)
})

test('a probe belongs to the model that is asked for', async () => {
  const { pool, clock } = poolOf(rows('A', 'B'), { strategy: 'fill-first' })
  const limited = async () => take(pool, { model: 'm', tried: ['B'] }).report({ status: 429 })
  await limited()
  clock.pass(MINUTE)
  await limited()
  clock.pass(2 * MINUTE)
  expect(take(pool, { model: 'm' }).credential.id).toBe('A')
  expect(take(pool, { model: 'm' }).credential.id).toBe('B')
  expect(take(pool, { model: 'n' }).credential.id).toBe('A')
})
