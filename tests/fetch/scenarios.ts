/**
 * What must hold for every SDK, whichever release of it and of Node.
 * @module
 */

import assert from 'node:assert/strict'
import {
  cutAfter,
  echo,
  endAfter,
  errorFirst,
  errorLater,
  forbiddenPage,
  limited,
  PIECES,
  type Providers,
  refuse,
  stall,
  stallAfter,
  TEXT,
} from '../support/providers/index.ts'
import { failure, read, Scene, type SceneOptions, soon } from './scene.ts'
import type { Sdk } from './sdk.ts'

/** A rule, and the check of it. */
export interface Scenario {
  readonly rule: string
  readonly check: (sdk: Sdk, providers: Providers) => Promise<void>
}

const BEGUN = PIECES.slice(0, 3).join('')

export const scenarios: readonly Scenario[] = [
  ...refusals(),
  ...streams(),
  ...aborts(),
  ...sessions(),
  ...requests(),
]

function scenario(
  rule: string,
  check: (scene: Scene, sdk: Sdk) => Promise<void>,
  options: SceneOptions = {},
): Scenario {
  return {
    rule,
    check: (sdk, providers) => check(new Scene(providers, sdk.dialect, options), sdk),
  }
}

function refusals(): Scenario[] {
  return [
    scenario('a 429 goes to the next key, and the caller sees a 200', async (scene, sdk) => {
      scene.script('a', limited(30))
      assert.equal(await scene.client(sdk).ask(), TEXT)
      assert.equal(scene.traffic, 'a1 b1')
      assert.deepEqual(scene.verdicts, ['rate_limited', 'ok'])
      assert.equal(scene.kinds, 'cooldown')
    }),
    scenario('when all keys rest the SDK throws its own rate limit error', async (scene, sdk) => {
      for (const id of ['a', 'b']) scene.script(id, limited(30))
      const client = scene.client(sdk)
      // First the provider's own 429, then the pool's, which asks nobody.
      const first = await failure(client.ask())
      assert(sdk.isLimit(first), String(first))
      for (const second of [await failure(client.ask()), (await read(client.stream())).error]) {
        assert(sdk.isLimit(second), String(second))
        const seconds = sdk.secondsIn(second)
        assert(seconds > 0 && seconds <= 30, `${seconds} s`)
      }
      assert.equal(scene.traffic, 'a1 b1')
    }),
    scenario(
      'a key that is proven dead is disabled, and the next one serves',
      async (scene, sdk) => {
        scene.script('a', refuse('unauthorized'))
        assert.equal(await scene.client(sdk).ask(), TEXT)
        assert.equal(scene.status('a').by, 'verdict')
        assert.equal(scene.kinds, 'disabled')
        assert.equal(scene.traffic, 'a1 b1')
      },
    ),
    scenario('a 403 that is a page disables nobody and is handed over', async (scene, sdk) => {
      scene.script('a', forbiddenPage)
      const error = await failure(scene.client(sdk).ask())
      assert.equal(sdk.statusOf(error), 403)
      assert.deepEqual(scene.verdicts, ['egress_blocked'])
      await scene.assertNobodyBlamed()
    }),
    scenario('an overload tries the next key, and no key is blamed', async (scene, sdk) => {
      scene.script('a', refuse('overloaded'))
      assert.equal(await scene.client(sdk).ask(), TEXT)
      assert.equal(scene.traffic, 'a1 b1')
      // Gemini's 503 is about one model, a 529 is about all that the provider has.
      const isOfModel = sdk.dialect === 'gemini'
      const told = scene.told.map(({ type, class: kind, scope }) => [type, kind, scope].join(' '))
      assert.deepEqual(told, [
        isOfModel ? 'cooldown overloaded model' : 'paused overloaded provider',
      ])
      const causes = ['a', 'b'].map((id) => scene.status(id).models.map(({ cause }) => cause))
      assert.deepEqual(causes, [isOfModel ? ['overloaded'] : [], []])
      await scene.assertNobodyBlamed()
    }),
    scenario('a 400 is returned once, and no key is blamed', async (scene, sdk) => {
      scene.script('a', refuse('bad'))
      const error = await failure(scene.client(sdk).ask())
      assert.equal(sdk.statusOf(error), 400)
      assert.equal(scene.traffic, 'a1 b0')
      assert.deepEqual(scene.verdicts, ['client_error'])
      await scene.assertNobodyBlamed()
    }),
  ]
}

function streams(): Scenario[] {
  return [
    scenario('a stream says all that the provider says', async (scene, sdk) => {
      assert.deepEqual(await read(scene.client(sdk).stream()), { text: TEXT, error: undefined })
      await scene.assertNobodyBlamed()
      assert.deepEqual(scene.verdicts, ['ok'])
    }),
    scenario('an error before content fails over without a second start', async (scene, sdk) => {
      scene.script('a', errorFirst('limited'))
      assert.deepEqual(await read(scene.client(sdk).stream()), { text: TEXT, error: undefined })
      assert.equal(scene.traffic, 'a1 b1')
      assert.equal(scene.kinds, 'cooldown')
      await scene.rest()
    }),
    scenario(
      'an error after content reaches the reader, and nothing is sent again',
      async (scene, sdk) => {
        scene.script('a', errorLater('overloaded'))
        const { text, error } = await read(scene.client(sdk).stream())
        assert.equal(text, BEGUN)
        assert(error !== undefined)
        assert.equal(scene.traffic, 'a1 b0')
        await scene.assertNobodyBlamed()
      },
    ),
    ...[cutAfter(0), endAfter(0)].map((step, at) =>
      scenario(
        `a stream that ${at ? 'ends' : 'is cut'} before content fails over if that is harmless`,
        async (scene, sdk) => {
          scene.script('a', step)
          assert.deepEqual(await read(scene.client(sdk).stream()), { text: TEXT, error: undefined })
          assert.equal(scene.traffic, 'a1 b1')
          await scene.assertNobodyBlamed()
        },
        { fetch: { idempotent: true } },
      ),
    ),
    scenario(
      'a stream that is cut before content is an error if it may have cost',
      async (scene, sdk) => {
        scene.script('a', cutAfter(0))
        const { text, error } = await read(scene.client(sdk).stream())
        assert.equal(text, '')
        assert(error !== undefined)
        assert.equal(scene.traffic, 'a1 b0')
        await scene.assertNobodyBlamed()
      },
    ),
    ...[cutAfter(3), endAfter(3)].map((step, at) =>
      scenario(
        `a stream that ${at ? 'ends' : 'is cut'} after content reads as an error, and nobody is blamed`,
        async (scene, sdk) => {
          scene.script('a', step)
          const { text, error } = await read(scene.client(sdk).stream())
          assert.equal(text, BEGUN)
          assert(error !== undefined)
          assert.equal(scene.traffic, 'a1 b0')
          await scene.assertNobodyBlamed()
          assert.deepEqual(scene.verdicts, ['unknown_outcome'])
        },
        { fetch: { idempotent: true } },
      ),
    ),
  ]
}

function aborts(): Scenario[] {
  return [
    scenario('who gives up before an answer closes the connection', async (scene, sdk) => {
      scene.script('a', stall)
      const controller = new AbortController()
      const answer = failure(scene.client(sdk).ask({ signal: controller.signal }))
      const exchange = await soon(scene.providers.arrival(scene.secret('a')))
      controller.abort()
      await soon(answer)
      await soon(exchange.closed)
      await scene.assertNobodyBlamed()
      assert.deepEqual(scene.verdicts, ['client_aborted'])
      assert.equal(scene.traffic, 'a1 b0')
    }),
    scenario('who gives up within a stream closes the connection', async (scene, sdk) => {
      scene.script('a', stallAfter(3))
      const controller = new AbortController()
      let text = ''
      const reading = failure(
        (async () => {
          for await (const piece of scene.client(sdk).stream({ signal: controller.signal })) {
            text += piece
            if (text === BEGUN) controller.abort()
          }
        })(),
      ).catch(() => {}) // some SDKs end quietly
      const exchange = await soon(scene.providers.arrival(scene.secret('a')))
      await soon(exchange.closed)
      await soon(reading)
      await scene.assertNobodyBlamed()
      assert.deepEqual(scene.verdicts, ['client_aborted'])
      assert.equal(text, BEGUN)
    }),
  ]
}

function sessions(): Scenario[] {
  const ids = ['a', 'b', 'c', 'd']
  const pool = { strategy: 'weighted-round-robin' } as const
  return [
    scenario(
      'ten calls of one session at once stay on one key, and all their leases end',
      async (scene, sdk) => {
        const client = scene.client(sdk)
        const texts = await Promise.all(ids.concat(ids, 'x', 'y').map(() => client.ask()))
        assert.deepEqual(new Set(texts), new Set([TEXT]))
        assert.deepEqual(
          scene.counts.sort((one, other) => one - other),
          [0, 0, 0, 10],
        )
        await scene.assertNobodyBlamed()
      },
      { ids, pool },
    ),
    scenario(
      'a conversation of 20 turns without a session id stays on one key',
      async (scene, sdk) => {
        const client = scene.client(sdk)
        const used = new Set<string>()
        for (let turn = 1; turn <= 20; turn++) {
          const turns = Array.from({ length: turn }, (_, at) => `Question ${at}?`)
          const before = scene.pool.status(sdk.dialect)
          assert.equal(await client.ask({ turns }), TEXT)
          const after = scene.pool.status(sdk.dialect)
          for (const [at, { id, picks }] of after.entries()) {
            if (picks !== before[at]?.picks) used.add(id)
          }
          await client.ask({ turns: [`Something else, ${turn}`] })
        }
        assert.equal(used.size, 1)
        assert.equal(scene.kinds, '')
      },
      { ids, pool },
    ),
  ]
}

function requests(): Scenario[] {
  return [
    scenario(
      'the second attempt differs from the first in the secret alone',
      async (scene, sdk) => {
        scene.script('a', limited(30))
        await scene.client(sdk).ask()
        const [first, second] = ['a', 'b'].map((id) => {
          const [exchange] = scene.providers.received(scene.secret(id))
          return exchange?.raw.toString('latin1').replaceAll(scene.secret(id), 'SECRET')
        })
        assert(first?.includes('SECRET') && !first.includes('pooled'))
        assert.equal(second, first)
      },
    ),
    scenario(
      'an SDK that tries again by itself is counted as often as it asks',
      async (scene, sdk) => {
        scene.script('a', refuse('limited', { 'retry-after-ms': '1' }))
        assert.equal(await scene.client(sdk, 2).ask(), TEXT)
        const rows = scene.pool.status(sdk.dialect)
        const sum = (field: 'picks' | 'successes' | 'failures') =>
          rows.reduce((total, row) => total + row[field], 0)
        assert.deepEqual([sum('picks'), sum('failures'), sum('successes')], [2, 1, 1])
        await scene.rest()
      },
      { fetch: { maxAttempts: 1 } },
    ),
    scenario(
      'what a provider repeats is handed over, and kept nowhere else',
      async (scene, sdk) => {
        scene.script('a', echo)
        const error = await failure(scene.client(sdk).ask())
        assert.equal(sdk.statusOf(error), 400)
        const { pool } = scene
        const kept = JSON.stringify([
          ...[scene.told, scene.verdicts, pool.status(sdk.dialect), pool.snapshot()],
          pool.explain({ provider: sdk.dialect }),
        ])
        for (const secret of scene.secrets) {
          for (const part of [secret.slice(3), secret.slice(3, 11), secret.slice(-8)]) {
            assert(!kept.includes(part))
          }
        }
        assert(!JSON.stringify([error.message, error.stack, error]).includes(scene.secret('b')))
      },
    ),
  ]
}
