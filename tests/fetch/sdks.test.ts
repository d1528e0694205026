/**
 * Every rule with every SDK, in the newest release that Node 20 can run.
 * @module
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Providers } from '../support/providers/index.ts'
// @ts-expect-error: plain JavaScript, which the runners use too
import { hasSdks, loaderOf } from './install.mjs'
import { scenarios } from './scenarios.ts'
import { type Sdk, sdksOf } from './sdk.ts'

const sdks: Sdk[] = hasSdks('node20')
  ? await sdksOf((await import(/* @vite-ignore */ loaderOf('node20'))).load)
  : []
let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

test.skipIf(sdks.length === 0)('every SDK is there', () => {
  expect(sdks.length).toBe(7)
})

describe.skipIf(sdks.length === 0).for(sdks.map((sdk) => [sdk.name, sdk] as const))(
  '%s',
  ([, sdk]) => {
    test.concurrent.for(scenarios)('$rule', ({ check }) => check(sdk, providers))
  },
)
