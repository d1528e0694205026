/**
 * What must hold for every official SDK as a client of a gateway, wherever the gateway runs.
 * @module
 */

import assert from 'node:assert/strict'
import type { Fetch } from 'keyrota/fetch'
import { failure, read, soon } from '../fetch/scene.ts'
import type { Client, Sdk } from '../fetch/sdk.ts'
import {
  cutAfter,
  drop,
  errorFirst,
  errorLater,
  forbiddenPage,
  limited,
  PIECES,
  type Providers,
  refuse,
  type Step,
  stall,
  stallAfter,
  TEXT,
} from '../support/providers/index.ts'

/** The access key that every SDK sends. */
export const ACCESS_KEY = 'pooled'

/** A gateway that is served, with one group of two credentials, `a` and `b`, of which `a` goes first. */
export interface Stage {
  readonly providers: Providers
  readonly url: string
  /** How a client reaches it. */
  readonly fetch: Fetch
  readonly secret: (id: string) => string
  readonly script: (id: string, ...steps: Step[]) => void
  /** How many requests came with each credential: `a1 b0`. */
  readonly traffic: string
  /** Whether a client sees that a chunked answer was broken off. */
  readonly tellsCuts: boolean
  /** Waits until no lease is in flight. */
  readonly rest: () => Promise<void>
}

/** A rule, and the check of it. */
export interface Scenario {
  readonly rule: string
  readonly check: (client: Client, stage: Stage, sdk: Sdk) => Promise<void>
}

const BEGUN = PIECES.slice(0, 3).join('')
const WHOLE = { text: TEXT, error: undefined }

/** Plays a scenario with a client of the SDK that never tries again by itself. */
export async function play({ check }: Scenario, sdk: Sdk, stage: Stage): Promise<void> {
  await check(sdk.connect({ url: stage.url, fetch: stage.fetch, retries: 0 }), stage, sdk)
  await stage.rest()
}

export const scenarios: readonly Scenario[] = [
  {
    rule: 'is answered in one piece and as a stream',
    async check(client, stage) {
      assert.equal(await client.ask(), TEXT)
      assert.deepEqual(await read(client.stream()), WHOLE)
      assert.equal(stage.traffic, 'a2 b0')
    },
  },
  ...failedOver('a limit', limited(30)),
  ...failedOver('a dead key', refuse('unauthorized')),
  ...failedOver('an overload', refuse('overloaded')),
  {
    rule: 'does not see an error before the content of a stream',
    async check(client, stage) {
      stage.script('a', errorFirst('limited'))
      assert.deepEqual(await read(client.stream()), WHOLE)
      assert.equal(stage.traffic, 'a1 b1')
    },
  },
  {
    rule: 'throws its own error for a limit when every key rests, and knows when to come back',
    async check(client, stage, sdk) {
      for (const id of ['a', 'b']) stage.script(id, limited(30))
      const first = await failure(client.ask())
      assert(sdk.isLimit(first), String(first))
      const error = await failure(client.ask())
      assert(sdk.isLimit(error), String(error))
      const seconds = sdk.secondsIn(error)
      assert(seconds > 0 && seconds <= 30, `${seconds} s`)
      assert.equal(stage.traffic, 'a1 b1')
    },
  },
  ...thrown(400, refuse('bad')),
  ...thrown(403, forbiddenPage),
  ...thrown(502, drop),
  ...brokenOff('an error', errorLater('overloaded')),
  ...brokenOff('a cut', cutAfter(3), true),
  {
    rule: 'that gives up before an answer closes the connection to the provider',
    check: (client, stage) => giveUp(client, stage, stall),
  },
  {
    rule: 'that gives up within a stream closes the connection to the provider',
    check: (client, stage) => giveUp(client, stage, stallAfter(3)),
  },
]

function failedOver(what: string, step: Step): Scenario[] {
  return [
    {
      rule: `does not see ${what} that another key makes up for`,
      async check(client, stage) {
        stage.script('a', step)
        assert.equal(await client.ask(), TEXT)
        assert.equal(stage.traffic, 'a1 b1')
      },
    },
    {
      rule: `does not see ${what} before a stream`,
      async check(client, stage) {
        stage.script('a', step)
        assert.deepEqual(await read(client.stream()), WHOLE)
        assert.equal(stage.traffic, 'a1 b1')
      },
    },
  ]
}

function thrown(status: number, step: Step): Scenario[] {
  return [
    {
      rule: `throws its own error with the status ${status}`,
      async check(client, stage, sdk) {
        stage.script('a', step)
        assert.equal(sdk.statusOf(await failure(client.ask())), status)
        assert.equal(stage.traffic, 'a1 b0')
      },
    },
  ]
}

function brokenOff(what: string, step: Step, isCut = false): Scenario[] {
  return [
    {
      rule: `sees ${what} after the content of a stream, and nothing is sent again`,
      async check(client, stage) {
        stage.script('a', step)
        const { text, error } = await read(client.stream())
        assert.equal(text, BEGUN)
        assert(error !== undefined || (isCut && !stage.tellsCuts))
        assert.equal(stage.traffic, 'a1 b0')
      },
    },
  ]
}

async function giveUp(client: Client, stage: Stage, step: Step): Promise<void> {
  stage.script('a', step)
  const controller = new AbortController()
  let text = ''
  const reading = (async () => {
    for await (const piece of client.stream({ signal: controller.signal })) {
      text += piece
      if (text === BEGUN) controller.abort()
    }
  })().catch(() => {})
  const exchange = await soon(stage.providers.arrival(stage.secret('a')))
  if (step === stall) controller.abort()
  await soon(exchange.closed)
  await soon(reading)
}
