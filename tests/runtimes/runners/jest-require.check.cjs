const keyrota = require('keyrota')
const recorded = require('./scenario.json')
const { scenario } = require('./scenario.cjs')

test('require', async () => {
  expect(await scenario(keyrota)).toEqual(recorded)
})
