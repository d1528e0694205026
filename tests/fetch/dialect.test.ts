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

test.each([
  ['claude', 'x-api-key'],
  ['Anthropic', 'x-api-key'],
  ['anthropic-team-a', 'x-api-key'],
  ['google', 'x-goog-api-key'],
])('%s gets its key and its refusals as the dialect that it names', async (provider, header) => {
  const seen: (string | null)[] = []
  const pool = new KeyPool({ credentials: { [provider]: ['sk-1234567890'] } })
  const upstream = async (_: unknown, init?: RequestInit) => {
    seen.push(new Headers(init?.headers).get(header))
    return Response.json({}, { status: 429, headers: { 'retry-after': '60' } })
  }
  const send = pooledFetch(pool, { provider, fetch: upstream })
  await send('http://127.0.0.1/v1')
  expect(seen).toEqual(['sk-1234567890'])
  const refusal = await (await send('http://127.0.0.1/v1')).json()
  expect(refusal).toMatchObject(
    header === 'x-api-key' ? { type: 'error' } : { error: { status: 'RESOURCE_EXHAUSTED' } },
  )
})
