import { isKeyrotaError, type KeyrotaError } from 'keyrota'
import { createGateway, type GatewayConfig } from 'keyrota/gateway'
import { describe, expect, test, vi } from 'vitest'
import { digestOf } from './scene.ts'

const KEY = { id: 'team', sha256: digestOf('ak-1') }
const CREDENTIAL = { id: 'a', secret: 'sk-1' }
const GROUP = {
  id: 'main',
  baseUrl: 'https://api.openai.com/v1',
  protocols: ['openai-chat'],
  credentials: [CREDENTIAL],
}
const CONFIG = { accessKeys: [KEY], groups: [GROUP] }

/** What is wrong with a configuration. */
function errorOf(config: unknown): KeyrotaError {
  try {
    createGateway(config as GatewayConfig).dispose()
  } catch (error) {
    expect(isKeyrotaError(error)).toBe(true)
    return error as KeyrotaError
  }
  throw new Error('nothing is wrong with it')
}

const withKey = (more: object) => ({ ...CONFIG, accessKeys: [{ ...KEY, ...more }] })
const withGroup = (more: object) => ({ ...CONFIG, groups: [{ ...GROUP, ...more }] })
const withCredential = (more: object) => withGroup({ credentials: [{ ...CREDENTIAL, ...more }] })

describe('a wrong field is named with its path and the rule', () => {
  test.each<[string, unknown, RegExp]>([
    ['config', null, /must be an object/],
    ['config', 'x', /must be an object/],
    ['accessKeys', { groups: [] }, /must be a list/],
    ['groups', { accessKeys: [] }, /must be a list/],
    ['accessKeys[0]', { ...CONFIG, accessKeys: ['ak-1'] }, /must be an object/],
    ['accessKeys[0].id', withKey({ id: '' }), /not empty/],
    ['accessKeys[0].sha256', withKey({ sha256: 'ak-1' }), /64 hexadecimal digits/],
    ['accessKeys[0].sha256', withKey({ sha256: `${KEY.sha256}0` }), /64 hexadecimal digits/],
    ['accessKeys[0].sha256', withKey({ sha256: undefined }), /64 hexadecimal digits/],
    ['accessKeys[0].enabled', withKey({ enabled: 'no' }), /true or false/],
    ['accessKeys[0].expiresAt', withKey({ expiresAt: 'tomorrow' }), /must be a date/],
    ['accessKeys[0].expiresAt', withKey({ expiresAt: '2027-13-01' }), /must be a date/],
    ['accessKeys[0].expiresAt', withKey({ expiresAt: -1 }), /must be a date/],
    ['accessKeys[0].protocols', withKey({ protocols: 'gemini' }), /must be a list/],
    [
      'accessKeys[0].protocols[0]',
      withKey({ protocols: ['openai'] }),
      /did you mean 'openai-chat'/,
    ],
    ['accessKeys[0].groups[0]', withKey({ groups: [''] }), /not empty/],
    ['accessKeys[0].groups[0]', withKey({ groups: ['mian'] }), /does not exist/],
    ['accessKeys[0].models[0]', withKey({ models: [1] }), /must be a text/],
    ['groups[0].id', withGroup({ id: 1 }), /must be a text/],
    ['groups[0].baseUrl', withGroup({ baseUrl: 'api.openai.com' }), /address with http/],
    ['groups[0].baseUrl', withGroup({ baseUrl: 'ftp://x.example' }), /address with http/],
    ['groups[0].baseUrl', withGroup({ baseUrl: 'https://u:p@x.example' }), /without user/],
    ['groups[0].baseUrl', withGroup({ baseUrl: 'https://x.example/#a' }), /fragment/],
    ['groups[0].enabled', withGroup({ enabled: 1 }), /true or false/],
    ['groups[0].priority', withGroup({ priority: 0.5 }), /whole number/],
    ['groups[0].weight', withGroup({ weight: 0 }), /set enabled to false/],
    ['groups[0].weight', withGroup({ weight: 101 }), /from 1 to 100/],
    ['groups[0].protocols', withGroup({ protocols: undefined }), /must be a list/],
    ['groups[0].protocols', withGroup({ protocols: [] }), /one at least/],
    ['groups[0].models[0]', withGroup({ models: [{ name: 'm' }] }), /\{ name, upstream \}/],
    [
      'groups[0].models[1].name',
      withGroup({ models: ['m', { name: 'm', upstream: 'x' }] }),
      /unique/,
    ],
    ['groups[0].maxConcurrent', withGroup({ maxConcurrent: 0 }), /whole number from 1/],
    ['groups[0].dialect', withGroup({ dialect: '' }), /not empty/],
    ['groups[0].credentials', withGroup({ credentials: {} }), /must be a list/],
    ['groups[0].credentials[0]', withGroup({ credentials: ['sk-1'] }), /must be an object/],
    ['groups[0].credentials[0].id', withCredential({ id: '' }), /not empty/],
    ['groups[0].credentials[0].secret', withCredential({ secret: 'sk 1' }), /visible ASCII/],
    ['groups[0].credentials[0].secret', withCredential({ secret: undefined }), /must be a text/],
    ['groups[0].credentials[0].label', withCredential({ label: 1 }), /must be a text/],
    ['groups[0].credentials[0].enabled', withCredential({ enabled: null }), /true or false/],
    ['groups[0].credentials[0].weight', withCredential({ weight: 0 }), /set enabled to false/],
    ['groups[0].credentials[0].order', withCredential({ order: 'x' }), /whole number/],
    ['groups[0].credentials[0].priority', withCredential({ priority: 1.5 }), /whole number/],
    ['groups[0].credentials[0].models', withCredential({ models: 'm' }), /must be a list/],
    ['groups[0].credentials[0].quotaGroup', withCredential({ quotaGroup: 1 }), /must be a text/],
    ['groups[0].credentials[0].refreshable', withCredential({ refreshable: 1 }), /true or false/],
    [
      'groups[0].credentials[0].secretVersion',
      withCredential({ secretVersion: 1 }),
      /must be a text/,
    ],
    ['groups[0].validatePath', withGroup({ validatePath: 'v1/key' }), /begins with a slash/],
    ['groups[0].rules', withGroup({ rules: {} }), /must be a list/],
    ['groups[0].cooldown', withGroup({ cooldown: 60 }), /must be an object/],
    ['strategy', { ...CONFIG, strategy: 'round-robin' }, /did you mean 'weighted-round-robin'/],
    ['continuations', { ...CONFIG, continuations: 'owned' }, /one of 'any', 'own'/],
    ['affinity', { ...CONFIG, affinity: true }, /must be an object/],
    ['retry', { ...CONFIG, retry: 3 }, /must be an object/],
    ['retry.maxAttempts', { ...CONFIG, retry: { maxAttempts: 0 } }, /from 1 to 100/],
    ['retry.emptyResponses', { ...CONFIG, retry: { emptyResponses: 1 } }, /true or false/],
    ['retry.unanswered', { ...CONFIG, retry: { unanswered: 1 } }, /true or false/],
    ['retry.budget.share', { ...CONFIG, retry: { budget: { share: -1 } } }, /from 0 to 10/],
    ['retry.budget.reserve', { ...CONFIG, retry: { budget: { reserve: 0.5 } } }, /whole number/],
    ['exhausted.maxWaitMs', { ...CONFIG, exhausted: { maxWaitMs: -1 } }, /whole number from 0/],
    ['timeouts.bodyMs', { ...CONFIG, timeouts: { bodyMs: 0 } }, /whole number from 1/],
    ['timeouts.firstByteMs', { ...CONFIG, timeouts: { firstByteMs: '9' } }, /whole number/],
    ['timeouts.totalMs', { ...CONFIG, timeouts: { totalMs: 0.5 } }, /whole number/],
    ['timeouts.idleMs', { ...CONFIG, timeouts: { idleMs: 2 ** 31 } }, /to 2147483647/],
    ['limits.bodyBytes', { ...CONFIG, limits: { bodyBytes: 0 } }, /whole number from 1/],
    ['cooldown.baseMs', { ...CONFIG, cooldown: { baseMs: -1 } }, /whole number/],
    [
      'rules[0].effect',
      { ...CONFIG, rules: [{ status: 418, effect: 'teapot' }] },
      /must be one of/,
    ],
    ['probe', { ...CONFIG, probe: 1 }, /must be an object/],
    ['rollback', { ...CONFIG, rollback: 1 }, /must be an object/],
    ['blacklist', { ...CONFIG, blacklist: 1 }, /must be an object/],
  ])('%s', (path, config, rule) => {
    const { code, issues } = errorOf(config)
    expect(code).toBe('invalid_config')
    expect(issues?.map((issue) => issue.path)).toEqual([path])
    expect(issues?.[0]?.rule).toMatch(rule)
  })
})

describe('a name that does not exist is told with the nearest that does', () => {
  test.each<[string, string, unknown]>([
    ['acessKeys', 'accessKeys', { ...CONFIG, acessKeys: [] }],
    ['accessKeys[0].sha265', 'sha256', withKey({ sha265: '' })],
    ['groups[0].baseURL', 'baseUrl', withGroup({ baseURL: '' })],
    ['groups[0].credentials[0].wieght', 'weight', withCredential({ wieght: 1 })],
    ['retry.budget.shares', 'share', { ...CONFIG, retry: { budget: { shares: 1 } } }],
    ['timeouts.idle', 'idleMs', { ...CONFIG, timeouts: { idle: 1 } }],
    ['cooldown.baseMS', 'baseMs', { ...CONFIG, cooldown: { baseMS: 1 } }],
    ['accessKeys[0].groups[0]', 'main', withKey({ groups: ['mian'] })],
  ])('%s: %s', (path, nearest, config) => {
    expect(errorOf(config).issues).toEqual([expect.objectContaining({ path, nearest })])
  })

  test('and the known ones, when none is near', () => {
    expect(errorOf({ ...CONFIG, zzzzzzzz: 1 }).message).toMatch(/known are accessKeys, groups/)
  })
})

describe('fields that contradict each other', () => {
  test.each<[string, unknown]>([
    ['accessKeys[1].id', { ...CONFIG, accessKeys: [KEY, { ...KEY, sha256: digestOf('x') }] }],
    [
      'accessKeys[1].sha256',
      { ...CONFIG, accessKeys: [KEY, { id: 'b', sha256: KEY.sha256.toUpperCase() }] },
    ],
    ['groups[1].id', { ...CONFIG, groups: [GROUP, { ...GROUP, credentials: [] }] }],
    ['groups[1].credentials[0].id', { ...CONFIG, groups: [GROUP, { ...GROUP, id: 'other' }] }],
  ])('%s', (path, config) => {
    expect(errorOf(config).issues?.map((issue) => issue.path)).toEqual([path])
  })
})

test('all that is wrong is told at once, and the message has every path', () => {
  const error = errorOf({
    accessKeys: [{ ...KEY, sha256: 'x' }],
    groups: [{ ...GROUP, weight: 0, foo: 1 }],
  })
  const paths = ['accessKeys[0].sha256', 'groups[0].weight', 'groups[0].foo']
  expect(error.issues?.map(({ path }) => path)).toEqual(paths)
  for (const path of paths) expect(error.message).toContain(path)
  expect(structuredClone(error.toJSON())).toEqual(error.toJSON())
})

test('making a gateway needs neither chance nor timers, which a Worker has only for requests', () => {
  const spies = [
    vi.spyOn(globalThis, 'setTimeout'),
    vi.spyOn(globalThis, 'setInterval'),
    vi.spyOn(Math, 'random'),
    vi.spyOn(crypto, 'getRandomValues'),
    vi.spyOn(crypto, 'randomUUID'),
    vi.spyOn(globalThis, 'fetch'),
  ]
  for (const strategy of ['smooth', 'weighted-random', 'rendezvous']) {
    createGateway({ ...CONFIG, strategy } as GatewayConfig)
  }
  for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

test('no error shows a value that may be a secret', () => {
  const error = errorOf(withCredential({ secret: 'sk-marked secret', id: 7, weight: 'sk-marked' }))
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain('marked')
})

test('a configuration of literals alone has the type', () => {
  const gateway = createGateway({
    accessKeys: [
      {
        id: 'team',
        sha256: KEY.sha256,
        expiresAt: '2099-01-31',
        protocols: ['openai-chat', 'gemini'],
      },
      {
        id: 'ci',
        sha256: digestOf('ci'),
        expiresAt: 4_000_000_000_000,
        models: ['fast'],
        groups: ['main'],
      },
    ],
    groups: [
      {
        id: 'main',
        baseUrl: 'https://api.openai.com',
        protocols: ['openai-chat', 'openai-responses'],
        priority: -1,
        weight: 10,
        models: ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini' }],
        rules: [{ status: 418, effect: { class: 'overloaded', waitMs: 1_000 } }],
        credentials: [{ id: 'a', secret: '$OPENAI_KEY', weight: 3, models: ['gpt-5'] }],
      },
    ],
    strategy: 'rendezvous',
    affinity: { ttlMs: 60_000, capacity: 100 },
    retry: { maxAttempts: 3, emptyResponses: true, budget: { share: 0.1, reserve: 5 } },
    exhausted: { maxWaitMs: 0 },
    timeouts: { bodyMs: 1_000, firstByteMs: 1_000, totalMs: 9_000, idleMs: 1_000 },
    limits: { bodyBytes: 1_000_000 },
    cooldown: { baseMs: 1_000 },
  })
  gateway.dispose()
})

test('what stands across fields is told together with what is wrong in others', () => {
  const credentials = [{ id: 'a', secret: 'sk-a' }]
  const group = { id: 'g', baseUrl: 'https://api.example', protocols: ['openai-chat'], credentials }
  const config = { accessKeys: [], groups: [group, group], timeout: {} }
  const paths = errorOf(config).issues?.map(({ path }) => path)
  expect(paths).toEqual(['timeout', 'groups[1].id', 'groups[1].credentials[0].id'])
})

test('a model that nobody could ever be asked for is named', () => {
  const models = ['m', { name: 'fast', upstream: 'real' }]
  const credentials = [{ id: 'a', secret: 'sk-a', models: ['m', 'fast'] }]
  const groups = [
    { id: 'g', baseUrl: 'https://api.example', protocols: ['openai-chat'], models, credentials },
  ]
  const sha256 = 'a'.repeat(64)
  const config = { accessKeys: [{ id: 'team', sha256, models: ['fsat'] }], groups }
  expect(errorOf(config)).toMatchObject({
    code: 'invalid_config',
    issues: [
      { path: 'groups[0].credentials[0].models[1]' },
      { path: 'accessKeys[0].models[0]', nearest: 'fast' },
    ],
  })
})
