import * as keyrota from 'keyrota'
import { expect, test } from 'vitest'
import recorded from './scenario.json'
import { prepare, scenario, tell } from './scenario.mjs'

const early = prepare(keyrota)

test('in workerd', () => {
  expect(navigator.userAgent).toBe('Cloudflare-Workers')
})

test('pool in global scope', async () => {
  expect(await tell(early)).toEqual(recorded)
})

test('pool in a test', async () => {
  expect(await scenario(keyrota)).toEqual(recorded)
})
