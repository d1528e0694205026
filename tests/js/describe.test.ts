import { describe as inWords, KeyPool, type Rest } from 'keyrota'
import { expect, test } from 'vitest'
import { PROVIDER, rows } from './support/pools.ts'

const NOON = Date.parse('2026-10-20T12:00:00Z')
const LIMITED = { error: { code: 'rate_limit_exceeded', type: 'tokens', message: 'Rate limit' } }

function pooled(): KeyPool {
  return new KeyPool({ credentials: { [PROVIDER]: rows('A', 'B') }, now: () => NOON, seed: 1 })
}

async function told(answer: object, model = 'gpt-5'): Promise<string> {
  const pool = pooled()
  const lease = await pool.acquire({ provider: PROVIDER, model })
  await lease.report(answer)
  const { candidates } = pool.explain({ provider: PROVIDER, model })
  return inWords(candidates.find(({ id }) => id === lease.credential.id) ?? (undefined as never))
}

test('a rest is told with its model, its end and where the end was read', async () => {
  const headers = { 'retry-after': '200' }
  expect(await told({ status: 429, headers, body: LIMITED })).toBe(
    'cooling for gpt-5 until 2026-10-20 12:03:20Z, stated by Retry-After',
  )
  const message = 'Rate limit reached. Please try again in 6s.'
  expect(await told({ status: 429, body: { error: { ...LIMITED.error, message } } })).toBe(
    "cooling for gpt-5 until 2026-10-20 12:00:06Z, stated by the words 'Please try again in'",
  )
})

test('a rest without a stated end is told with its cause', async () => {
  expect(await told({ status: 429, body: LIMITED })).toBe(
    'cooling for gpt-5 until 2026-10-20 12:01:00Z, after rate_limited',
  )
  expect(await told({ status: 402 })).toBe('quota exhausted until 2026-10-20 12:01:00Z')
})

test('who does not rest is told in a word, and a broken row with its rule', () => {
  const pool = pooled()
  const { candidates } = pool.explain({ provider: PROVIDER })
  expect(candidates.map(inWords)).toEqual(['chosen', 'available'])
})

test('an event is told as a candidate is', async () => {
  const pool = pooled()
  const paused: Rest[] = []
  pool.on('paused', (event) => paused.push(event))
  await (await pool.acquire({ provider: PROVIDER })).report({ status: 529 })
  expect(paused.map(inWords)).toEqual(['paused until 2026-10-20 12:00:00Z, after overloaded'])
})
