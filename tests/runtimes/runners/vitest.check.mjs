import * as keyrota from 'keyrota'
import { expect, test } from 'vitest'
import recorded from './scenario.json'
import { scenario } from './scenario.mjs'

test('import', async () => {
  expect(await scenario(keyrota)).toEqual(recorded)
})
