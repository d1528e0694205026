// What the packed package must do in every runtime that has a command line.
import { scenario } from './scenario.mjs'

const credentials = {
  openai: [
    { id: 'one', secret: 'sk-one' },
    { id: 'two', secret: 'sk-two' },
  ],
}

/** Each scenario is given an entry of the package, and throws when it does not do its work. */
const scenarios = {
  'the first pick is the first credential, the second the second': async ({ KeyPool }) => {
    const pool = new KeyPool({ credentials })
    equal((await picked(pool)).secret, 'sk-one')
    equal((await picked(pool)).secret, 'sk-two')
    pool.dispose()
  },
  'a rate limit sends the next request elsewhere, and the explanation says so': async ({
    KeyPool,
  }) => {
    const pool = new KeyPool({ credentials })
    const lease = await pool.acquire({ provider: 'openai' })
    await lease.report({ status: 429, headers: { 'retry-after': '60' }, body: null })
    for (let i = 0; i < 3; i++) equal((await picked(pool)).secret, 'sk-two')
    pool.dispose()
  },
  'a refusal is a KeyrotaError with a date': async ({ KeyPool, KeyrotaError }) => {
    const pool = new KeyPool({ credentials: { openai: ['sk-only'] } })
    const lease = await pool.acquire({ provider: 'openai' })
    await lease.report({ status: 429, headers: { 'retry-after': '60' }, body: null })
    const error = await pool.acquire({ provider: 'openai' }).then(
      () => null,
      (reason) => reason,
    )
    equal(error instanceof KeyrotaError, true)
    equal(error.code, 'no_credential_available')
    equal(error.retryAfterMs > 0 && error.retryAfterMs <= 60_000, true)
    pool.dispose()
  },
}

async function picked(pool) {
  const lease = await pool.acquire({ provider: 'openai' })
  lease.release()
  return lease
}

export function equal(actual, expected) {
  if (!Object.is(actual, expected)) throw new Error(`expected ${expected}, got ${actual}`)
}

/**
 * Plays all scenarios, and those of the row, and prints how they went.
 * @param {string} entry which import this is, for the reader
 * @param {object} keyrota the entry of the package
 * @param {Record<string, (keyrota: object) => unknown>} [more]
 */
export async function play(entry, keyrota, more = {}) {
  let [passed, failed] = [0, 0]
  for (const [name, scenario] of Object.entries({ ...scenarios, ...more })) {
    try {
      await scenario(keyrota)
      passed++
    } catch (error) {
      failed++
      console.log(`FAILED ${entry}: ${name}: ${error?.stack ?? error}`)
    }
  }
  console.log(`ANSWER ${JSON.stringify(await scenario(keyrota))}`)
  console.log(`${passed} passed, ${failed} failed`)
}
