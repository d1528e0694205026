/**
 * The official SDKs as clients of the gateway, over HTTP. The row `gateway-worker` of the matrix plays the same with
 * a gateway in workerd.
 * @module
 */

import { afterAll, beforeAll, describe, test, vi } from 'vitest'
// @ts-expect-error: plain JavaScript, which the runners use too
import { hasSdks, loaderOf } from '../fetch/install.mjs'
import { type Sdk, sdksOf } from '../fetch/sdk.ts'
import { Providers } from '../support/providers/index.ts'
import { digestOf, Scene } from './scene.ts'
import { ACCESS_KEY, play, type Scenario, scenarios } from './sdk-scenarios.ts'
import { Served } from './served.ts'

const sdks: Sdk[] = hasSdks('node20')
  ? await sdksOf((await import(/* @vite-ignore */ loaderOf('node20'))).load)
  : []

let providers: Providers
beforeAll(async () => {
  // The server prints what breaks off.
  vi.spyOn(console, 'error').mockImplementation(() => {})
  providers = await Providers.start()
})
afterAll(() => {
  vi.restoreAllMocks()
  providers.stop()
})

/** Plays it with a gateway of its own. */
async function playInNode(scenario: Scenario, sdk: Sdk): Promise<void> {
  const accessKeys = [{ id: 'sdk', sha256: digestOf(ACCESS_KEY) }]
  const scene = new Scene(providers, { config: { accessKeys } })
  const server = await Served.start(scene.gateway)
  try {
    await play(scenario, sdk, {
      providers,
      url: server.url,
      fetch: (input, init) => globalThis.fetch(input, init),
      secret: (id) => scene.secret(id),
      script: (id, ...steps) => scene.script(id, ...steps),
      get traffic() {
        return scene.traffic
      },
      tellsCuts: true,
      rest: () => scene.rest(),
    })
  } finally {
    server.stop()
  }
}

describe.skipIf(sdks.length === 0).for(sdks.map((sdk) => [sdk.name, sdk] as const))(
  '%s',
  ([, sdk]) => {
    test.for(scenarios)('$rule', (scenario) => playInNode(scenario, sdk))
  },
)
