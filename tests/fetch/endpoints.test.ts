/**
 * What the SDKs do besides talking, in the newest release that Node 20 can run.
 * @module
 */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { Providers } from '../support/providers/index.ts'
import { endpoints, type Load } from './endpoints.ts'
// @ts-expect-error: plain JavaScript, which the runners use too
import { hasSdks, loaderOf } from './install.mjs'

const load: Load | undefined = hasSdks('node20')
  ? (await import(/* @vite-ignore */ loaderOf('node20'))).load
  : undefined
let providers: Providers

beforeAll(async () => {
  providers = await Providers.start()
})

afterAll(() => providers.stop())

test('the SDKs have rules', () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(7)
})

test.skipIf(load === undefined).for(endpoints)('$sdk $rule', async ({ check }) => {
  if (load !== undefined) await check(load, providers)
})
