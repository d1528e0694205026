/**
 * Every rule with every SDK of a folder, without a test runner: for releases of Node that the other tests do
 * not run under. Node reads TypeScript by itself since 22.18.
 * @module
 */

// @ts-expect-error: plain JavaScript, which the rows use
import { check, finish } from '../runtimes/row.mjs'
import { Providers } from '../support/providers/index.ts'
import { endpoints } from './endpoints.ts'
import { scenarios } from './scenarios.ts'
import { sdksOf } from './sdk.ts'

const [, , loader = '', where = ''] = process.argv
const { load } = await import(loader)
const providers = await Providers.start()
for (const sdk of await sdksOf(load)) {
  await Promise.all(
    scenarios.map(({ rule, check: rules }) =>
      check(where, `${sdk.name}: ${rule}`, () => rules(sdk, providers)),
    ),
  )
}
for (const { sdk, rule, check: rules } of endpoints) {
  await check(where, `${sdk}: ${rule}`, () => rules(load, providers))
}
providers.stop()
finish()
