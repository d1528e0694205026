import { KeyrotaError } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'
import { afterEach, expect, test, vi } from 'vitest'
import { MINUTE, SECOND } from './support/clock.ts'
import { rejected } from './support/errors.ts'
import { deferred, settle } from './support/promises.ts'
import { entry, serviceOf } from './support/service.ts'

afterEach(() => vi.useRealTimers())

test('keys are picked in the documented order: A A A B C C', async () => {
  const { service } = serviceOf([
    entry('a', { weight: 3 }),
    entry('b', { weight: 1 }),
    entry('c', { weight: 2 }),
  ])
  const keys: string[] = []
  for (let pick = 0; pick < 12; pick++) keys.push(await service.getKey('openai'))
  const cycle = ['key-a', 'key-a', 'key-a', 'key-b', 'key-c', 'key-c']
  expect(keys).toEqual([...cycle, ...cycle])
})

test('a session keeps its key, in each provider of its own, until it is released', async () => {
  const { service, storage } = serviceOf([entry('a'), entry('b')])
  storage.put('gemini', [entry('g'), entry('h')])
  expect(await service.getKeyForSession('openai', 'one')).toBe('key-a')
  expect(await service.getKeyForSession('openai', 'two')).toBe('key-b')
  expect(await service.getKeyForSession('gemini', 'one')).toBe('key-g')
  expect(await service.getKeyForSession('gemini', 'two')).toBe('key-h')
  for (let call = 0; call < 3; call++) {
    expect(await service.getKeyForSession('openai', 'two')).toBe('key-b')
    expect(await service.getKeyForSession('gemini', 'two')).toBe('key-h')
  }
  service.releaseSession('two')
  expect(await service.getKeyForSession('openai', 'two')).toBe('key-a')
  expect(await service.getKeyForSession('gemini', 'two')).toBe('key-g')
})

test("without any key the answer is '', and a report answers null", async () => {
  const { service } = serviceOf([entry('a')])
  expect(await service.getKey('nobody')).toBe('')
  expect(await service.getKeyForSession('nobody', 's')).toBe('')
  expect(await service.reportError('nobody', 's', 429)).toBeNull()
  expect(await service.getKeyForSession('openai', 's')).toBe('key-a')
  expect(await service.reportError('openai', 's', 429)).toBeNull()
  expect(await service.getKeyForSession('openai', 's')).toBe('')
})

test('a binding survives the time in which its key cannot serve', async () => {
  const { service, clock } = serviceOf([entry('a', { enabled: true })])
  await service.getKeyForSession('openai', 's')
  await service.reportError('openai', 's', 429)
  expect(await service.getKeyForSession('openai', 's')).toBe('')
  clock.pass(MINUTE)
  // An unbound session would be answered null; this attempt began before the cooldown's end.
  expect(await service.reportError('openai', 's', 429)).toBe('key-a')
})

test.each([
  [401, 'key-b'],
  [403, 'key-b'],
  [429, 'key-b'],
  [529, 'key-b'],
  [200, null],
  [400, null],
  [404, null],
  [408, null],
  [500, null],
  [503, null],
  [0, null],
  [Number.NaN, null],
])('status %d answers %j', async (status, answer) => {
  const { service } = serviceOf([entry('a'), entry('b')])
  await service.getKeyForSession('openai', 's')
  expect(await service.reportError('openai', 's', status)).toBe(answer)
  expect(await service.getKeyForSession('openai', 's')).toBe(answer ?? 'key-a')
})

test('a session that is on no key reports nothing', async () => {
  const { service, storage } = serviceOf([entry('a'), entry('b')])
  await service.getKey('openai')
  expect(await service.reportError('openai', 'stranger', 401)).toBeNull()
  service.reportSuccess('stranger')
  service.releaseSession('stranger')
  expect(storage.disabled).toEqual([])
})

test('an attempt may be reported anew: a 400 and then a 429 make one cooldown', async () => {
  const { service } = serviceOf([entry('a'), entry('b')])
  await service.getKeyForSession('openai', 's')
  expect(await service.reportError('openai', 's', 400)).toBeNull()
  expect(await service.reportError('openai', 's', 429)).toBe('key-b')
})

test('the ladder is 60, 120, 240, 480, 900, 900 seconds, exactly', async () => {
  const { service, clock } = serviceOf([entry('a')])
  for (const seconds of [60, 120, 240, 480, 900, 900]) {
    expect(await service.getKeyForSession('openai', 's')).toBe('key-a')
    expect(await service.reportError('openai', 's', 429)).toBeNull()
    clock.pass(seconds * SECOND - 1)
    expect(await service.getKeyForSession('openai', 's'), `${seconds} s`).toBe('')
    clock.pass(1)
  }
})

test('five 429 of one burst are one step, and a success that came late changes nothing', async () => {
  const { service, clock } = serviceOf([entry('a')])
  for (const session of ['1', '2', '3', '4', '5', '6']) {
    await service.getKeyForSession('openai', session)
  }
  for (const session of ['1', '2', '3', '4', '5']) {
    await service.reportError('openai', session, 429)
  }
  service.reportSuccess('6')
  clock.pass(MINUTE - 1)
  expect(await service.getKey('openai')).toBe('')
  clock.pass(1)
  expect(await service.getKey('openai')).toBe('key-a')
})

test('a success or 15 quiet minutes take the level away; a sweep does not', async () => {
  for (const [forgets, level] of [
    ['success', 1],
    ['quiet', 1],
    ['sweep', 2],
  ] as const) {
    const { service, clock } = serviceOf([entry('a')])
    await service.getKeyForSession('openai', 's')
    await service.reportError('openai', 's', 429)
    clock.pass(MINUTE + (forgets === 'quiet' ? 15 * MINUTE : 0))
    await service.getKeyForSession('openai', 's')
    if (forgets === 'success') service.reportSuccess('s')
    if (forgets === 'sweep') service.cleanupExpiredCooldowns()
    await service.reportError('openai', 's', 429)
    clock.pass(level * MINUTE - 1)
    expect(await service.getKey('openai'), forgets).toBe('')
    clock.pass(1)
    expect(await service.getKey('openai'), forgets).toBe('key-a')
  }
})

test.each([
  ['the same secret', 'key-a'],
  ['a new secret', 'key-new'],
])(
  'a key disabled by 401 comes back, healthy, when its row is enabled again with %s',
  async (_, apiKey) => {
    const { service, storage, clock } = serviceOf([entry('a')])
    await service.getKeyForSession('openai', 's')
    await service.reportError('openai', 's', 429)
    clock.pass(MINUTE)
    await service.getKeyForSession('openai', 's')
    expect(await service.reportError('openai', 's', 401)).toBeNull()
    expect(storage.disabled).toEqual(['a'])
    expect(await service.getKey('openai')).toBe('')

    storage.put('openai', [entry('a', { apiKey })])
    expect(await service.getKey('openai'), 'the rows are cached').toBe('')
    service.invalidateCache('openai')
    expect(await service.getKeyForSession('openai', 's')).toBe(apiKey)
    await service.reportError('openai', 's', 429)
    clock.pass(MINUTE)
    expect(await service.getKey('openai'), 'the ladder begins anew').toBe(apiKey)
  },
)

test('rows are loaded once per provider, and again after every invalidation', async () => {
  const { service, storage } = serviceOf([entry('a')])
  await Promise.all([service.getKey('openai'), service.getKeyForSession('openai', 's')])
  await service.getKey('openai')
  expect(storage.loads).toEqual(['openai'])
  service.invalidateCache('openai')
  await service.getKey('openai')
  expect(storage.loads).toEqual(['openai', 'openai'])
  service.invalidateCache()
  await service.getKey('openai')
  expect(storage.loads).toHaveLength(3)
})

test('a report waits for the disabler, so that its answer comes from rows that know', async () => {
  const answer = deferred<boolean>()
  const { service, storage } = serviceOf([entry('a'), entry('b')], {
    disableKey: () => answer.promise,
  })
  await service.getKeyForSession('openai', 's')
  let told: string | null | undefined
  const report = service.reportError('openai', 's', 401).then((key) => {
    told = key
  })
  await settle()
  expect(told).toBeUndefined()
  storage.disable('a')
  answer.resolve(true)
  await report
  expect(told).toBe('key-b')
})

test.each([
  ['rejects', () => Promise.reject(new Error('the database is read-only'))],
  [
    'throws',
    () => {
      throw new Error('the database is gone')
    },
  ],
  ['answers false', () => false],
])(
  'a key stays off when the disabler %s, and the write is repeated every 30 s',
  async (_, disableKey) => {
    vi.useFakeTimers()
    const asked = vi.fn(disableKey)
    const log: string[] = []
    const { service } = serviceOf([entry('a'), entry('b')], {
      disableKey: asked as never,
      log: (message) => log.push(message),
    })
    await service.getKeyForSession('openai', 's')
    expect(await service.reportError('openai', 's', 403)).toBe('key-b')
    expect(asked).toHaveBeenCalledExactlyOnceWith('a')
    service.invalidateCache()
    for (let pick = 0; pick < 4; pick++) expect(await service.getKey('openai')).toBe('key-b')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(asked).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked).toHaveBeenCalledTimes(2)
    service.cleanupExpiredCooldowns()
    expect(asked).toHaveBeenCalledTimes(3)
    expect(log.join('\n')).toContain('key a of openai is off, but not in the storage')
    service.dispose()
  },
)

test('the log names keys by id and says what happened, in plain words', async () => {
  const log: string[] = []
  const { service } = serviceOf(
    [entry('a'), entry('b'), entry('c', { weight: 0 }), entry('d', { apiKey: '$KEYROTA_NO_SUCH' })],
    { log: (message) => log.push(message) },
  )
  await service.getKeyForSession('openai', 's')
  await service.reportError('openai', 's', 429)
  await service.reportError('openai', 's', 401)
  const passedOver = [
    'key d of openai is passed over: the environment variable KEYROTA_NO_SUCH is not set',
    'key c of openai is passed over: weight must be a whole number from 1 to 100',
  ]
  expect(log).toEqual([
    ...passedOver,
    'key a of openai cools until 2027-01-15T08:01:00.000Z (level 1)',
    'key b of openai was refused and is disabled',
    ...passedOver,
  ])
})

test('the sweep runs every 30 s from the first use until dispose, and keeps no process alive', async () => {
  vi.useFakeTimers()
  const { service } = serviceOf([entry('a')])
  const swept = vi.spyOn(service, 'cleanupExpiredCooldowns')
  expect(vi.getTimerCount()).toBe(0)
  await service.getKey('openai')
  await service.getKey('openai')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(60_000)
  expect(swept).toHaveBeenCalledTimes(2)
  service.dispose()
  expect(vi.getTimerCount()).toBe(0)
})

test('the sweep asks that its timer keeps no process alive', async () => {
  const interval = vi.spyOn(globalThis, 'setInterval')
  const { service } = serviceOf([entry('a')])
  await service.getKey('openai')
  const timer = interval.mock.results[0]?.value as NodeJS.Timeout
  expect(timer.hasRef()).toBe(false)
  service.dispose()
  interval.mockRestore()
})

test('a clock that fails now and then does not throw out of the sweep', async () => {
  vi.useFakeTimers()
  let time = 0
  const { service } = serviceOf([entry('a')], { now: () => time })
  await service.getKey('openai')
  time = Number.NaN
  expect(() => vi.advanceTimersByTime(90_000)).not.toThrow()
  time = 120_000
  expect(await service.getKey('openai')).toBe('key-a')
  service.dispose()
})

test('a disposed service refuses every call and starts no timer', async () => {
  vi.useFakeTimers()
  for (const isUsed of [false, true]) {
    const { service } = serviceOf([entry('a')])
    if (isUsed) await service.getKey('openai')
    service.dispose()
    service.dispose()
    expect(await rejected(service.getKey('openai'))).toMatchObject({ code: 'disposed' })
    const asked = service.getKeyForSession('openai', 's')
    expect(await rejected(asked)).toMatchObject({ code: 'disposed' })
    const told = service.reportError('openai', 's', 429)
    expect(await rejected(told)).toMatchObject({ code: 'disposed' })
    expect(() => service.reportSuccess('s')).toThrow(KeyrotaError)
    expect(() => service.releaseSession('s')).toThrow(KeyrotaError)
    expect(() => service.invalidateCache()).toThrow(KeyrotaError)
    expect(() => service.cleanupExpiredCooldowns()).toThrow(KeyrotaError)
    expect(vi.getTimerCount()).toBe(0)
  }
})

test('a loader that fails is told to the caller, and asked again by the next one', async () => {
  let fails = true
  const { service } = serviceOf([], {
    loadKeys: async () => {
      if (fails) throw new Error('locked')
      return [entry('a')]
    },
  })
  expect(await rejected(service.getKey('openai'))).toMatchObject({ code: 'load_failed' })
  fails = false
  expect(await service.getKey('openai')).toBe('key-a')
})

test('rows that are no rows are passed over, and what is no list is refused', async () => {
  const { service } = serviceOf([], {
    loadKeys: () => [null, 'key', 7, entry('a'), {}] as never,
  })
  expect(await service.getKey('openai')).toBe('key-a')
  const wrong = new ApiKeyPoolService({ loadKeys: () => null as never, disableKey: () => true })
  expect(await rejected(wrong.getKey('openai'))).toMatchObject({ code: 'invalid_rows' })
  wrong.dispose()
})

test('keys are resolved by resolveKey, whether it answers at once or later', async () => {
  for (const resolveKey of [
    (raw: string) => raw.toUpperCase(),
    async (raw: string) => raw.toUpperCase(),
  ]) {
    const { service } = serviceOf([entry('a')], { resolveKey })
    expect(await service.getKey('openai')).toBe('KEY-A')
  }
})

test('the cooldown can be tuned', async () => {
  const { service, clock } = serviceOf([entry('a')], {
    cooldown: { baseMs: 30_000, capMs: 300_000 },
  })
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    await service.getKeyForSession('openai', 's')
    await service.reportError('openai', 's', 529)
    clock.pass(seconds * SECOND - 1)
    expect(await service.getKey('openai')).toBe('')
    clock.pass(1)
    expect(await service.getKey('openai')).toBe('key-a')
  }
})

test('classes are one, whichever entry they come from', async () => {
  const { service } = serviceOf([entry('a')])
  service.dispose()
  await expect(service.getKey('openai')).rejects.toBeInstanceOf(KeyrotaError)
})

test('an option of the service that is none is named when the service is made', () => {
  const loadKeys = async () => []
  const disableKey = async () => true
  const wrong: [Record<string, unknown> | undefined, string][] = [
    [undefined, 'loadKeys'],
    [{ disableKey }, 'loadKeys'],
    [{ loadKeys, disableKey: true }, 'disableKey'],
    [{ loadKeys, disableKey, resolveKey: null }, 'resolveKey'],
    [{ loadKeys, disableKey, now: 0 }, 'now'],
    [{ loadKeys, disableKey, log: console }, 'log'],
    [{ loadKeys, disableKey, cooldown: { baseMs: -1 } }, 'cooldown.baseMs'],
    [{ loadKeys, disableKey, cooldown: { base: 1 } }, 'cooldown.base'],
  ]
  for (const [options, path] of wrong) {
    expect(() => new ApiKeyPoolService(options as never), path).toThrow(
      expect.objectContaining({ name: 'KeyrotaError', path }),
    )
  }
})
