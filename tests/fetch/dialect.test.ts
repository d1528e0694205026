import { KeyPool } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { expect, test } from 'vitest'

test('the dialect of a provider is the one that the pool has for it', async () => {
  const seen: (string | null)[] = []
  const pool = new KeyPool({
    credentials: { 'team-a': ['sk-team-a'], other: ['sk-other'], gemini: ['sk-gemini'] },
    dialect: 'openai',
    providers: { 'team-a': { dialect: 'anthropic' }, gemini: { strategy: 'smooth' } },
  })
  const upstream = async (_: unknown, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    seen.push(headers.get('x-api-key'), headers.get('authorization'))
    return Response.json({})
  }
  for (const provider of ['team-a', 'other']) {
    await pooledFetch(pool, { provider, fetch: upstream })('http://127.0.0.1/v1')
  }
  expect(seen).toEqual(['sk-team-a', null, null, 'Bearer sk-other'])
  expect(pool.dialectOf('gemini')).toBe('openai')
})
