// The contestants with the same keys, the same sessions and the same cooldowns.
import { randomUUID } from 'node:crypto'
import { Engine, KeyPool } from 'keyrota'
import { DocumentedService } from './documented.mjs'

export const PROVIDER = 'openai'

/** Session ids that return in turn. A power of two of them, so that the next one costs a mask. */
export const REGULARS = sessions(1_024)
/** More than the default capacity, so that each one was evicted before it returns. */
export const STRANGERS = sessions(16_384)

const CAPACITY = 10_000
const DAY_MS = 86_400_000
const COOLDOWN = { baseMs: DAY_MS, capMs: DAY_MS }

/** The documented service in plain JavaScript, with `cooling` of its keys at rest. */
export function documented(size, cooling, options = {}) {
  const service = new DocumentedService({ ...COOLDOWN, capacity: CAPACITY, ...options })
  service.load(PROVIDER, rows(size, 'apiKey'))
  for (let at = 0; at < cooling; at++) {
    service.getKeyForSession(PROVIDER, 'unlucky')
    service.reportError(PROVIDER, 'unlucky', 429)
    service.releaseSession('unlucky')
  }
  return service
}

/** The public pool, with `cooling` of its keys at rest. */
export function keyPool(size, cooling, options = {}) {
  const pool = new KeyPool(poolOptions(size, options))
  for (let at = 0; at < cooling; at++) {
    pool.tryAcquire({ provider: PROVIDER }).report({ status: 429 })
  }
  return pool
}

/** The core in WebAssembly as the package calls it, with the number of its provider. */
export function rawCore(size, cooling, options = {}) {
  const engine = new Engine(poolOptions(size, options))
  for (let at = 0; at < cooling; at++) {
    engine.pick(PROVIDER, 'unlucky')
    engine.reportSession(PROVIDER, 'unlucky', 429)
    engine.releaseSession('unlucky')
  }
  return { core: engine.core, index: engine.provider(PROVIDER).index }
}

/** Session ids as they come out of a parser: flat, where `randomUUID` gives ropes. */
function sessions(count) {
  return JSON.parse(JSON.stringify(Array.from({ length: count }, () => randomUUID())))
}

function poolOptions(size, options) {
  const credentials = { [PROVIDER]: rows(size, 'secret') }
  return { policy: 'classic', seed: 'bench', cooldown: COOLDOWN, credentials, ...options }
}

/** The same keys for all, apart from the name of the field that holds the secret. */
function rows(size, secret) {
  return Array.from({ length: size }, (_, at) => ({
    id: `key-${at}`,
    label: null,
    enabled: true,
    weight: 1 + (at % 5),
    [secret]: `sk-${at}`,
  }))
}
