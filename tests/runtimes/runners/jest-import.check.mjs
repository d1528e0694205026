import * as keyrota from 'keyrota'
import { scenario } from './scenario.mjs'

test('import', async () => {
  const { default: recorded } = await import('./scenario.json', { with: { type: 'json' } })
  expect(await scenario(keyrota)).toEqual(recorded)
})
