import fc from 'fast-check'
import { type ApiKeyEntry, ApiKeyPoolService } from 'keyrota/service'
import { expect, test } from 'vitest'
import { FakeClock } from './support/clock.ts'
import { NaiveService } from './support/naive-service.ts'
import { Storage } from './support/service.ts'

const PROVIDERS = ['openai', 'gemini'] as const
const provider = fc.constantFrom(...PROVIDERS)
const session = fc.constantFrom('s1', 's2', 's3', 's4', 'x'.repeat(60))
const status = fc.constantFrom(401, 403, 429, 429, 429, 529, 200, 400, 500, 503)

const list = fc
  .array(fc.record({ enabled: fc.boolean(), weight: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 5,
  })
  .chain((rows) => fc.shuffledSubarray(rows, { minLength: Math.min(1, rows.length) }))

/** What may happen, with how much time passes before it. */
const operation = fc.record({
  wait: fc.oneof(
    fc.constant(0),
    fc.constantFrom(1, 59_999, 60_000, 60_001, 120_000, 480_000, 900_000, 1_800_000),
    fc.integer({ min: 0, max: 100_000 }),
    fc.integer({ min: -3_600_000, max: -1 }),
  ),
  step: fc.oneof(
    { weight: 6, arbitrary: fc.record({ op: fc.constant('getKeyForSession'), provider, session }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('getKey'), provider }) },
    {
      weight: 6,
      arbitrary: fc.record({ op: fc.constant('reportError'), provider, session, status }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('reportSuccess'), session }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('releaseSession'), session }) },
    {
      weight: 2,
      arbitrary: fc.record({ op: fc.constant('edit'), provider, list, told: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('invalidate') }) },
  ),
})

type Step = {
  readonly op: string
  readonly provider?: string
  readonly session?: string
  readonly status?: number
  readonly told?: boolean
  readonly list?: readonly { enabled: boolean; weight: number }[]
}

type Moment = { readonly wait: number; readonly step: Step }

/** A key that is refused again and again: it climbs the ladder to its top. */
const climb = fc.record({ provider, session }).map((who): readonly Moment[] =>
  [60, 120, 240, 480, 900, 900].flatMap((seconds) => [
    { wait: 0, step: { op: 'getKeyForSession', ...who } },
    { wait: 0, step: { op: 'reportError', ...who, status: 429 } },
    { wait: seconds * 1_000 - 1, step: { op: 'getKey', provider: who.provider } },
    { wait: 1, step: { op: 'getKey', provider: who.provider } },
  ]),
)

const run = fc
  .array(
    fc.oneof(
      { weight: 30, arbitrary: operation.map((one): readonly Moment[] => [one]) },
      { weight: 1, arbitrary: climb },
    ),
    { minLength: 200, maxLength: 300 },
  )
  .map((parts) => parts.flat())

/** Service, model and storage, to which the same things happen. */
class Pair {
  readonly #clock = new FakeClock()
  readonly #storage = new Storage()
  readonly #naive = new NaiveService()
  readonly #service: ApiKeyPoolService

  constructor() {
    this.#service = new ApiKeyPoolService({
      loadKeys: this.#storage.load,
      disableKey: this.#storage.disable,
      now: this.#clock.now,
    })
    for (const name of PROVIDERS) {
      this.#put(name, [
        { enabled: true, weight: 3 },
        { enabled: true, weight: 1 },
        { enabled: true, weight: 2 },
      ])
    }
  }

  pass(ms: number): void {
    // A step back counts from the last moment that the service has seen, so it must have seen it.
    if (ms < 0) this.#service.cleanupExpiredCooldowns()
    this.#clock.pass(ms)
    if (ms < 0) this.#service.cleanupExpiredCooldowns()
    this.#naive.observe(this.#clock.at)
  }

  /** What both answer. */
  async perform(step: Step): Promise<[unknown, unknown]> {
    const { op, provider = '', session = '', status = 0 } = step
    const [service, naive] = [this.#service, this.#naive]
    switch (op) {
      case 'getKey':
        return [await service.getKey(provider), naive.getKey(provider)]
      case 'getKeyForSession': {
        const answer = await service.getKeyForSession(provider, session)
        return [answer, naive.getKeyForSession(provider, session)]
      }
      case 'reportError': {
        const answer = await service.reportError(provider, session, status)
        return [answer, naive.reportError(provider, session, status)]
      }
      case 'reportSuccess':
        return [service.reportSuccess(session), naive.reportSuccess(session)]
      case 'releaseSession':
        return [service.releaseSession(session), naive.releaseSession(session)]
      case 'edit':
        this.#put(provider, step.list ?? [])
        if (step.told === false) return [null, null] // the rows that are cached still count
        return [service.invalidateCache(provider), naive.invalidateCache(provider)]
      default:
        return [service.invalidateCache(), naive.invalidateCache()]
    }
  }

  dispose(): void {
    this.#service.dispose()
  }

  #put(provider: string, list: readonly { enabled: boolean; weight: number }[]): void {
    const rows = list.map(
      (row, at): ApiKeyEntry => ({
        ...row,
        id: `${provider}-${at}`,
        providerId: provider,
        apiKey: `key-${provider}-${at}`,
      }),
    )
    this.#storage.put(provider, rows)
    this.#naive.storage.set(provider, structuredClone(rows))
  }
}

// A failure prints the seed, and the shortest run that fails.
test('the service agrees with a naive one over random operations', {
  timeout: 60_000,
}, async () => {
  let operations = 0
  await fc.assert(
    fc.asyncProperty(run, async (moments) => {
      const pair = new Pair()
      for (const [number, { wait, step }] of moments.entries()) {
        pair.pass(wait)
        const [answer, expected] = await pair.perform(step)
        expect(answer, `operation ${number}: ${JSON.stringify(step)}`).toEqual(expected)
        operations += 1
      }
      pair.dispose()
    }),
    { numRuns: 500 },
  )
  expect(operations).toBeGreaterThan(100_000)
})
