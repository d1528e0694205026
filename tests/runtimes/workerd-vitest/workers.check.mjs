import * as keyrota from 'keyrota'
import { expect, test } from 'vitest'
import recorded from './scenario.json'
import { prepare, scenario, tell } from './scenario.mjs'

const early = prepare(keyrota)

test('it runs in workerd', () => {
  expect(navigator.userAgent).toBe('Cloudflare-Workers')
})

test('a pool that was made outside of any test tells the recorded story', async () => {
  expect(await tell(early)).toEqual(recorded)
})

test('a pool that was made in a test tells it too', async () => {
  expect(await scenario(keyrota)).toEqual(recorded)
})
