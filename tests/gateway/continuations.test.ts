// Whose stored responses an access key reaches.

import { Router } from 'keyrota'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Providers } from '../support/providers/index.ts'
import { bodyOf, digestOf, newKey, Scene } from './scene.ts'

let providers: Providers
beforeAll(async () => {
  providers = await Providers.start()
})
afterAll(() => providers.stop())

/** A gateway with two access keys, and a response that the first has made. */
async function made(continuations?: 'own' | 'any') {
  const scene = new Scene(providers)
  const key = newKey('ak-')
  const accessKeys = [...scene.config.accessKeys, { id: 'other', sha256: digestOf(key) }]
  scene.gateway.reload({ ...scene.config, accessKeys, continuations })
  const { id } = (await (await scene.ask('openai-responses')).json()) as { id: string }
  const ask = (path: string, body?: object, init: RequestInit = {}) =>
    scene.gateway.fetch(scene.request(path, body, init))
  return { scene, id, ask, byOther: { headers: { authorization: `Bearer ${key}` } } }
}

/** What a client that may not have it is told. */
async function expectNone(response: Response) {
  expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([
    404,
    'response_not_found',
  ])
  expect(await response.json()).toMatchObject({ error: { code: 'response_not_found' } })
}

describe('with continuations of its own alone an access key', () => {
  test('continues, reads and deletes what it made', async () => {
    const { id, ask } = await made('own')
    const body = bodyOf('openai-responses', { previous_response_id: id })
    expect((await ask('/v1/responses', body)).status).toBe(200)
    expect((await ask(`/v1/responses/${id}`)).status).toBe(200)
    expect((await ask(`/v1/responses/${id}`, undefined, { method: 'DELETE' })).status).toBe(200)
  })

  test('is told that there is nothing of what another one made, and nothing is sent', async () => {
    const { scene, id, ask, byOther } = await made('own')
    const before = scene.traffic
    const body = bodyOf('openai-responses', { previous_response_id: id })
    await expectNone(await ask('/v1/responses', body, byOther))
    await expectNone(await ask(`/v1/responses/${id}`, undefined, byOther))
    await expectNone(await ask(`/v1/responses/${id}`, undefined, { ...byOther, method: 'DELETE' }))
    await expectNone(await ask(`/v1/responses/${id}/input_items`, undefined, byOther))
    expect(scene.traffic).toBe(before)
    const query = { accessKey: 'other', protocol: 'openai-responses', continues: id } as const
    expect(scene.gateway.inspect(query).accessKey.reason).toBe('continuation_unknown')
    expect(scene.gateway.inspect({ ...query, accessKey: 'team' }).accessKey.reason).toBe(
      'available',
    )
  })

  test('reaches nothing by an id of another shape, nor by a second one in its body', async () => {
    const { scene, id, ask } = await made('own')
    const before = scene.traffic
    await expectNone(await ask('/v1/responses/whatever'))
    const conversation = bodyOf('openai-responses', { conversation: { id: 'conv_1' } })
    await expectNone(await ask('/v1/responses', conversation))
    const both = { previous_response_id: id, conversation: 'conv_1' }
    const response = await ask('/v1/responses', bodyOf('openai-responses', both))
    expect([response.status, response.headers.get('x-keyrota-code')]).toEqual([
      400,
      'invalid_request',
    ])
    expect(scene.traffic).toBe(before)
  })

  test('is served as ever when it continues nothing', async () => {
    const { ask, byOther } = await made('own')
    expect((await ask('/v1/responses', bodyOf('openai-responses'), byOther)).status).toBe(200)
  })
})

test.each(['any', undefined] as const)(
  'with continuations %s it is the provider who says',
  async (which) => {
    const { id, ask, byOther } = await made(which)
    expect((await ask(`/v1/responses/${id}`, undefined, byOther)).status).toBe(200)
  },
)

test('a router refuses to continue what it does not know the access key to have made', async () => {
  const router = new Router({
    accessKeys: [{ id: 'app' }, { id: 'other' }],
    groups: [{ id: 'g', protocols: ['gemini'], credentials: [{ id: 'a', secret: 'sk-a' }] }],
    continuations: 'own',
  })
  const ask = { accessKey: 'app', protocol: 'gemini' } as const
  await router.run(ask, (lease) => lease.remember('resp_1'))
  const seen: string[] = []
  await router.run({ ...ask, continues: 'resp_1' }, ({ reason }) => seen.push(reason))
  const by = (accessKey: string, continues: string) =>
    router.run({ ...ask, accessKey, continues }, () => seen.push('sent'))
  const refused = { code: 'access_denied', reason: 'continuation_unknown' }
  await expect(by('other', 'resp_1')).rejects.toMatchObject(refused)
  await expect(by('app', 'resp_2')).rejects.toMatchObject(refused)
  expect(seen).toEqual(['continuation'])
})
