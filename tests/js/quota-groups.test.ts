// Credentials of one account share what its provider says of it.

import { expect, test } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { thrown } from './support/errors.ts'
import {
  attempt,
  leaseOf,
  listen,
  PROVIDER,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

const GROUPED = [
  row('A', { quotaGroup: 'acme' }),
  row('B', { quotaGroup: 'acme' }),
  row('C', { quotaGroup: 'other' }),
  row('D'),
]

test('a spent quota of the account rests every credential of the group, and no other', async () => {
  const { pool, clock } = poolOf(GROUPED)
  await attempt(pool, 'A', 402)
  expect(reasons(pool)).toMatchObject({ A: 'quota_exhausted', B: 'quota_exhausted' })
  expect(statusOf(pool, 'B')).toMatchObject({ failures: 0, until: clock.at + MINUTE })
  for (let pick = 0; pick < 4; pick++) expect(['C', 'D']).toContain(take(pool).credential.id)
})

test('what is said of one credential rests that one alone', async () => {
  const { pool } = poolOf(GROUPED)
  await attempt(pool, 'A', 429)
  expect(reasons(pool)).toMatchObject({ A: 'cooling', B: 'chosen' })
})

test('a credential without a group is an account of its own', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 402)
  expect(reasons(pool)).toEqual({ A: 'quota_exhausted', B: 'chosen' })
})

test('the longest stated time of any of its credentials holds the group', async () => {
  const { pool, clock } = poolOf(GROUPED)
  const [a, b] = [leaseOf(pool, 'A'), leaseOf(pool, 'B')]
  await a.report({ status: 402, headers: { 'retry-after': '30' } })
  await b.report({ status: 402, headers: { 'retry-after': '90' } })
  for (const id of ['A', 'B']) expect(statusOf(pool, id).until).toBe(clock.at + 90 * SECOND)
})

test('a success of one that began later frees the group', async () => {
  const { pool, clock } = poolOf(GROUPED)
  await attempt(pool, 'A', 402)
  clock.pass(MINUTE)
  await attempt(pool, 'B', 200)
  await attempt(pool, 'A', 402)
  expect(statusOf(pool, 'A').until, 'the first step again').toBe(clock.at + MINUTE)
})

test('an account that is closed disables all of its credentials', async () => {
  const { pool } = poolOf(GROUPED)
  const heard = listen(pool, 'disabled')
  const body = { error: { code: 'account_deactivated', message: 'no' } }
  const verdict = await leaseOf(pool, 'A').report({ status: 401, body })
  expect(verdict).toMatchObject({ class: 'auth_failed', scope: 'account', disable: true })
  expect(reasons(pool)).toMatchObject({ A: 'credential_disabled', B: 'credential_disabled' })
  expect(reasons(pool)['C']).not.toBe('credential_disabled')
  expect(heard.map(({ credential }) => credential).sort()).toEqual(['A', 'B'])
})

test('recoverQuota ends what a spent quota caused, and lets other rests be', async () => {
  const { pool, clock } = poolOf(GROUPED)
  await attempt(pool, 'A', 402, { 'retry-after': '600' })
  pool.recoverQuota('B')
  expect(reasons(pool)).toMatchObject({ A: 'chosen', B: 'available' })
  await attempt(pool, 'A', 429)
  pool.recoverQuota('A')
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'cooling', until: clock.at + MINUTE })
})

test('recoverQuota frees the models of the credential, too', async () => {
  const effect = { class: 'quota_exhausted', scope: 'model' } as const
  const { pool } = poolOf(rows('A'), { rules: [{ status: 418, effect }] })
  await take(pool, { model: 'm' }).report({ status: 418 })
  expect(refused(pool, { model: 'm' }).retryAfterMs).toBe(MINUTE)
  pool.recoverQuota('A')
  expect(take(pool, { model: 'm' }).ok).toBe(true)
})

test('reset ends the rest of the group', async () => {
  const { pool } = poolOf(GROUPED)
  await attempt(pool, 'A', 402)
  pool.reset('B')
  expect(reasons(pool)).toMatchObject({ A: 'chosen', B: 'available' })
})

test('the rest of a group is told once, with its scope', async () => {
  const { pool } = poolOf(GROUPED)
  const heard = listen(pool, 'cooldown')
  await attempt(pool, 'A', 402)
  expect(heard).toMatchObject([{ credential: 'A', class: 'quota_exhausted', scope: 'account' }])
})

test('a group keeps its rest over a snapshot and an edit of its rows', async () => {
  let list = GROUPED
  const { pool, clock } = poolOf([], { credentials: {}, load: () => list })
  await pool.load(PROVIDER)
  await attempt(pool, 'A', 402)
  list = [...GROUPED, row('E', { quotaGroup: 'acme' })]
  pool.invalidate(PROVIDER)
  await pool.load(PROVIDER)
  expect(reasons(pool)).toMatchObject({ A: 'quota_exhausted', E: 'quota_exhausted' })
  const copy = poolOf(GROUPED)
  copy.clock.at = clock.at
  copy.pool.restore(JSON.parse(JSON.stringify(pool.snapshot())))
  expect(reasons(copy.pool)).toMatchObject({ A: 'quota_exhausted', B: 'quota_exhausted' })
})

test('recoverQuota of a credential that nobody knows is a typed error', () => {
  const { pool } = poolOf(rows('A'))
  expect(thrown(() => pool.recoverQuota('nobody'))).toMatchObject({ code: 'unknown_credential' })
})
