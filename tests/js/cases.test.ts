// Reports from people who run key pools, each with the case that must hold here.

import { expect, test } from 'vitest'
import { SECOND } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  order,
  PROVIDER,
  poolOf,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

test('a key without money is asked at most twice in a minute; others fail fast and typed', async () => {
  // Reproducer for: https://github.com/openclaw/openclaw/issues/39807
  const { pool, clock } = poolOf(rows('A'))
  let upstream = 0
  for (let call = 0; call < 10; call++) {
    const run = pool.run({ provider: PROVIDER }, () => {
      upstream += 1
      return { status: 402 }
    })
    await run.catch((error) => expect(error).toMatchObject({ code: 'no_credential_available' }))
    clock.pass(6 * SECOND - 1)
  }
  expect(upstream).toBeLessThanOrEqual(2)
  expect(statusOf(pool, 'A').state, 'a status alone proves no key dead').not.toMatch(/disabled/)
})

test('fifty overloads disable nobody', async () => {
  // Reproducer for: https://github.com/tbphp/gpt-load/issues/278
  const { pool, clock } = poolOf(rows('A', 'B'))
  for (let call = 0; call < 50; call++) {
    await take(pool).report({ status: 503 })
    clock.pass(60 * SECOND)
  }
  expect(pool.status(PROVIDER).map(({ state }) => state)).toEqual(['available', 'available'])
})

test.each<[string, unknown]>([
  ['404 of an unknown model', { status: 404 }],
  ['429', { status: 429 }],
  ['529', { status: 529 }],
  ['200 whose body was cut', { status: 200 }],
  ['a reset connection', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
  ['an HTML 403 of an edge', { status: 403, headers: { 'content-type': 'text/html' } }],
])('%s disables nobody', async (_, outcome) => {
  // Reproducer for: https://github.com/songquanpeng/one-api/issues/90
  const { pool } = poolOf(rows('A', 'B'))
  expect((await leaseOf(pool, 'A').report(outcome)).disable).toBe(false)
  expect(statusOf(pool, 'A').state).not.toMatch(/disabled/)
})

test('a cooldown of one key leaves the others of its provider alone', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3975
  const { pool } = poolOf(rows('A', 'B', 'C'))
  await attempt(pool, 'A', 429)
  expect(order(pool, 4).split(' ').sort()).toEqual(['B', 'B', 'C', 'C'])
})

test('keys are spent evenly, not one until it fails', () => {
  // Reproducer for: https://github.com/p32929/rotato/issues/21
  const { pool } = poolOf(rows('A', 'B', 'C'))
  const picks = order(pool, 9).split(' ')
  for (const id of ['A', 'B', 'C']) expect(picks.filter((pick) => pick === id)).toHaveLength(3)
})

test('a session stays though another key would have less to do', () => {
  // Reproducer for: https://github.com/can1357/oh-my-pi/issues/12034
  const { pool } = poolOf(rows('A', 'B'), { strategy: 'least-busy' })
  const { credential } = take(pool, { session: 's' })
  for (let busy = 0; busy < 5; busy++) leaseOf(pool, credential.id)
  expect(take(pool, { session: 's' }).credential.id).toBe(credential.id)
})

test('a wait that never was one does not stop the pool', async () => {
  // Reproducer for: https://github.com/anomalyco/opencode/issues/33728
  for (const stated of ['-5', 'inf', 'NaN', '1e99', '', 'soon', '99999999999999999999']) {
    const { pool } = poolOf(rows('A'))
    await attempt(pool, 'A', 429, { 'retry-after': stated })
    const error = await rejected(pool.acquire({ provider: PROVIDER }))
    expect(error.retryAfterMs, stated).toBe(60 * SECOND)
  }
})

test('the ladder is kept while the cooldown ends and begins again', async () => {
  // Reproducer for: https://github.com/NousResearch/hermes-agent/issues/15296
  const { pool, clock } = poolOf(rows('A'), { cooldown: { baseMs: 30 * SECOND } })
  const began = clock.at
  for (const [at, until] of [
    [0, 30],
    [31, 91],
    [92, 212],
  ] as const) {
    clock.at = began + at * SECOND
    await attempt(pool, 'A', 429)
    expect(statusOf(pool, 'A').until).toBe(began + until * SECOND)
  }
})

test('a retry has nothing of the attempt before it but the list of who was tried', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/issues/3317
  const { pool } = poolOf([row('A', { secret: 'sk-A' }), row('B', { secret: 'sk-B' })])
  const sent: string[] = []
  await pool.run({ provider: PROVIDER }, (lease) => {
    sent.push(`Bearer ${lease.secret}`)
    return { status: lease.credential.id === 'A' ? 429 : 200 }
  })
  expect(sent).toEqual(['Bearer sk-A', 'Bearer sk-B'])
})
