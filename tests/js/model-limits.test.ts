// What a provider says of one model rests the credential for that model alone.

import { expect, test } from 'vitest'
import { MINUTE } from './support/clock.ts'
import {
  attempt,
  listen,
  order,
  poolOf,
  reasons,
  refused,
  row,
  rows,
  statusOf,
  take,
} from './support/pools.ts'

const M = { model: 'm' }
const N = { model: 'n' }

test('a limit of one model rests that model of that credential, and nothing else', async () => {
  // Reproducer for: https://github.com/diegosouzapw/OmniRoute/issues/14573
  const { pool, clock } = poolOf(rows('A', 'B'))
  await take(pool, M).report({ status: 429 })
  expect(reasons(pool, M)).toEqual({ A: 'model_cooling', B: 'chosen' })
  expect(reasons(pool, N)).toEqual({ A: 'available', B: 'chosen' })
  expect(order(pool, 2, M)).toBe('B B')
  expect(order(pool, 2).split(' ').sort()).toEqual(['A', 'B'])
  expect(statusOf(pool, 'A')).toMatchObject({
    state: 'available',
    models: [{ model: 'm', until: clock.at + MINUTE, level: 1, cause: 'rate_limited' }],
  })
  expect(statusOf(pool, 'B').models).toEqual([])
})

test('an invalid key is invalid for every model', async () => {
  // Reproducer for: https://github.com/router-for-me/CLIProxyAPI/pull/4881
  const { pool } = poolOf(rows('A', 'B'))
  const body = { error: { code: 'invalid_api_key' } }
  await take(pool, M).report({ status: 401, body })
  for (const request of [M, N, {}]) expect(reasons(pool, request)['A']).toBe('credential_disabled')
})

test('a refusal of an unproven kind is for every model, too', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await take(pool, M).report({ status: 401 })
  for (const request of [M, N, {}]) expect(reasons(pool, request)['A']).toBe('cooling')
})

test('the rest of a model is told with the model, in events and explanations', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const heard = listen(pool, 'cooldown', 'recovered')
  await take(pool, M).report({ status: 429, headers: { 'retry-after': '30' } })
  const rest = { scope: 'model', model: 'm', until: clock.at + 30_000, stated: true }
  expect(heard).toMatchObject([{ ...rest, type: 'cooldown', class: 'rate_limited', level: 1 }])
  const [candidate] = pool.explain({ provider: 'openai', ...M }).candidates
  expect(candidate).toMatchObject({ ...rest, reason: 'model_cooling', cause: 'rate_limited' })
  expect(candidate?.waitFrom).toBe('header:retry-after')
})

test('a model rests until its time, and its ladder is its own', async () => {
  const { pool, clock } = poolOf(rows('A'))
  for (const minutes of [1, 2, 4]) {
    await take(pool, M).report({ status: 429 })
    expect(refused(pool, M).retryAfterMs).toBe(minutes * MINUTE)
    clock.pass(minutes * MINUTE)
  }
  await take(pool, N).report({ status: 429 })
  expect(refused(pool, N).retryAfterMs).toBe(MINUTE)
})

test('a success with the model ends its ladder; one with another does not', async () => {
  const { pool, clock } = poolOf(rows('A'))
  const levels = () => statusOf(pool, 'A').models.map(({ model, level }) => [model, level])
  await take(pool, M).report({ status: 429 })
  clock.pass(MINUTE)
  await take(pool, N).report({ status: 200 })
  await take(pool, M).report({ status: 429 })
  expect(levels()).toEqual([['m', 2]])
  clock.pass(2 * MINUTE)
  await take(pool, M).report({ status: 200 })
  await take(pool, M).report({ status: 429 })
  expect(levels()).toEqual([['m', 1]])
})

test('a limit without a model is of the credential', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await attempt(pool, 'A', 429)
  for (const request of [M, N, {}]) expect(reasons(pool, request)['A']).toBe('cooling')
})

test('a model that a credential may not use is out for 15 minutes, for that credential', async () => {
  // Reproducer for: https://github.com/lidge-jun/opencodex/issues/1267
  const { pool, clock } = poolOf(rows('A', 'B'))
  const verdict = await take(pool, M).report({ status: 403 })
  expect(verdict).toMatchObject({ class: 'model_denied', scope: 'model', disable: false })
  expect(statusOf(pool, 'A')).toMatchObject({
    state: 'available',
    models: [{ model: 'm', until: clock.at + 15 * MINUTE, cause: 'model_denied' }],
  })
  expect(order(pool, 2, M)).toBe('B B')
  clock.pass(15 * MINUTE)
  expect(order(pool, 2, M).split(' ').sort()).toEqual(['A', 'B'])
})

test('a denied model without a name is passed over for the request only', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  const seen: string[] = []
  await pool.run({ provider: 'openai' }, ({ credential }) => {
    seen.push(credential.id)
    return { status: credential.id === 'A' ? 403 : 200 }
  })
  expect(seen).toEqual(['A', 'B'])
  expect(statusOf(pool, 'A')).toMatchObject({ state: 'available', models: [] })
})

test('reset and enable end the rests of models', async () => {
  for (const help of ['reset', 'enable'] as const) {
    const { pool } = poolOf(rows('A'))
    await take(pool, M).report({ status: 429 })
    pool[help]('A')
    expect(take(pool, M).ok).toBe(true)
    expect(statusOf(pool, 'A').models).toEqual([])
  }
})

test('the time of a refusal is that of the model that is asked for', async () => {
  const { pool } = poolOf(rows('A', 'B'))
  await take(pool, { ...M, tried: ['B'] }).report({ status: 429, headers: { 'retry-after': '30' } })
  await take(pool, { ...M, tried: ['A'] }).report({ status: 429, headers: { 'retry-after': '20' } })
  expect(refused(pool, M).retryAfterMs).toBe(20_000)
  expect(take(pool, N).ok).toBe(true)
})

test('a credential that does not serve the model does not recover for it', async () => {
  const { pool } = poolOf([row('A', { models: ['m'] }), row('B', { models: ['n'] })])
  await take(pool, M).report({ status: 429 })
  expect(reasons(pool, M)).toEqual({ A: 'model_cooling', B: 'model_not_exposed' })
  await take(pool, N).report({ status: 429, headers: { 'retry-after': '5' } })
  expect(refused(pool, M).retryAfterMs).toBe(MINUTE)
})

test('however many models rest, no more than 256 are kept for a credential', async () => {
  const { pool } = poolOf(rows('A'))
  for (let model = 0; model < 2_000; model++) {
    await take(pool, { model: `m${model}` }).report({ status: 429 })
  }
  expect(statusOf(pool, 'A').models.length).toBeLessThanOrEqual(256)
})
