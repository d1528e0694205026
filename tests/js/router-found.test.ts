// Faults that were found by trying to break the router, each as the rule that it broke.

import { type Group, Router, type RouterOptions } from 'keyrota'
import { expect, test, vi } from 'vitest'

const ask = { accessKey: 'app', protocol: 'openai-chat' } as const
const dead = { status: 401, body: '{"error": {"code": "invalid_api_key"}}' }

function options(id: string, credentials: Group['credentials']): RouterOptions {
  return {
    accessKeys: [{ id: 'app' }],
    groups: [{ id, protocols: ['openai-chat'], credentials }],
    resolveSecret: (secret) => (secret === '$NONE' ? undefined : secret),
  }
}

const states = (router: Router) =>
  router.status().flatMap(({ credentials }) => credentials.map(({ id, state }) => [id, state]))

test('a credential whose group was renamed is brought back where it is now', async () => {
  const credentials = [{ id: 'one', secret: 'sk-one' }]
  const router = new Router(options('old', credentials))
  router.reload(options('new', credentials))
  await router.run(ask, () => dead)
  expect(states(router)).toEqual([['one', 'credential_disabled']])
  router.recover('one')
  expect(states(router)).toEqual([['one', 'available']])
})

test('a credential that went away with its group is not known any more', () => {
  const router = new Router(options('old', [{ id: 'one', secret: 'sk-one' }]))
  router.reload(options('new', [{ id: 'two', secret: 'sk-two' }]))
  expect(() => router.recover('one')).toThrow("no loaded credential has the id 'one'")
  router.reload(options('old', [{ id: 'one', secret: 'sk-one' }]))
  router.recover('one')
})

test('what an attempt is judged by stays, when its group goes away meanwhile', async () => {
  const old = options('old', [{ id: 'one', secret: 'sk-one' }])
  const rules = [{ status: 418, effect: 'overloaded' }] as const
  const router = new Router({ ...old, groups: old.groups.map((group) => ({ ...group, rules })) })
  const kind = await router.run({ ...ask, maxAttempts: 1 }, async (lease) => {
    router.reload(options('new', [{ id: 'two', secret: 'sk-two' }]))
    return (await lease.report({ status: 418 })).class
  })
  expect(kind).toBe('overloaded')
})

test('what is wrong with credentials is told to those who listen right after the constructor', async () => {
  const router = new Router(
    options('main', [
      { id: 'light', secret: 'sk-one', weight: 0 },
      { id: 'unset', secret: '$NONE' },
    ]),
  )
  const told: string[] = []
  router.on('invalid_credential', ({ credential, field }) => told.push(`${credential} ${field}`))
  router.on('secret_unresolved', ({ credential }) => told.push(`${credential} unresolved`))
  await router.ready()
  expect(told).toEqual(['unset unresolved', 'light weight'])
})

test('a secret that is never resolved holds requests up for ten seconds once, and then the others serve', async () => {
  vi.useFakeTimers()
  try {
    const never = new Promise<string>(() => {})
    const groups = ['stuck', 'well'].map((id) => {
      return { id, protocols: ['openai-chat'], credentials: [{ id, secret: id }] } as const
    })
    const router = new Router({
      accessKeys: [{ id: 'app' }],
      groups,
      resolveSecret: (secret) => (secret === 'stuck' ? never : Promise.resolve(secret)),
    })
    let served = ''
    const first = router.run(ask, (lease) => {
      served = lease.group
    })
    await vi.advanceTimersByTimeAsync(9_999)
    expect(served).toBe('')
    await vi.advanceTimersByTimeAsync(1)
    await first
    expect(served).toBe('well')
    await router.run(ask, (lease) => {
      expect(lease.group).toBe('well')
    })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
