import { readFileSync } from 'node:fs'
import { type ApiKeyEntry, ApiKeyPoolService } from 'keyrota/service'
import { afterEach, expect, test } from 'vitest'
import { FakeClock } from './support/clock.ts'
import { Storage } from './support/service.ts'

interface Step {
  readonly at: number
  readonly op: string
  readonly provider: string
  readonly session: string
  readonly status: number
  readonly keys: readonly ApiKeyEntry[]
  readonly expect?: string | null
}

interface Script {
  readonly name: string
  readonly keys: Readonly<Record<string, readonly ApiKeyEntry[]>>
  readonly steps: readonly Step[]
}

const file = new URL('../vectors/service-vectors.json', import.meta.url)
const scripts: readonly Script[] = JSON.parse(readFileSync(file, 'utf8'))

/** How an app may write its disabler. */
const disablers = {
  'at once': (storage: Storage) => storage.disable,
  'as a promise': (storage: Storage) => async (id: string) => storage.disable(id),
  'after a while': (storage: Storage) => async (id: string) => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
    return storage.disable(id)
  },
}

let services: ApiKeyPoolService[] = []

afterEach(() => {
  for (const service of services) service.dispose()
  services = []
})

test('there are 120 recorded scripts, with thousands of answers', () => {
  expect(scripts).toHaveLength(120)
  const answers = scripts.flatMap(({ steps }) => steps.filter((step) => step.expect !== undefined))
  expect(answers.length).toBeGreaterThan(5_000)
})

for (const [how, disabler] of Object.entries(disablers)) {
  test(`every recorded script gets its recorded answers when keys are disabled ${how}`, async () => {
    for (const script of scripts) {
      const clock = new FakeClock()
      const storage = new Storage(script.keys)
      const service = new ApiKeyPoolService({
        loadKeys: storage.load,
        disableKey: disabler(storage),
        resolveKey: (raw) => raw,
        now: clock.now,
      })
      services.push(service)
      for (const [number, step] of script.steps.entries()) {
        clock.at = step.at
        const answer = await perform(service, storage, step)
        const context = `${script.name} step ${number}: ${JSON.stringify(step)}`
        if (step.expect !== undefined) expect(answer, context).toBe(step.expect)
      }
    }
  })
}

async function perform(
  service: ApiKeyPoolService,
  storage: Storage,
  { op, provider, session, status, keys }: Step,
): Promise<string | null | undefined> {
  switch (op) {
    case 'getKey':
      return service.getKey(provider)
    case 'getKeyForSession':
      return service.getKeyForSession(provider, session)
    case 'reportError':
      return service.reportError(provider, session, status)
    case 'reportSuccess':
      service.reportSuccess(session)
      return
    case 'releaseSession':
      service.releaseSession(session)
      return
    case 'edit':
      storage.put(provider, keys)
      service.invalidateCache(provider)
      return
    default:
      throw new Error(`unknown step ${op}`)
  }
}
