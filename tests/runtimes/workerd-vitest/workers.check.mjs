import * as keyrota from 'keyrota'
import * as gateway from 'keyrota/gateway'
import { expect, test } from 'vitest'
import recordedGateway from './gateway-scenario.json'
import { gatewayScenario, prepareGateway, tellGateway } from './gateway-scenario.mjs'
import recorded from './scenario.json'
import { prepare, scenario, tell } from './scenario.mjs'

const early = prepare(keyrota)
const earlyGateway = prepareGateway(gateway)

test('in workerd', () => {
  expect(navigator.userAgent).toBe('Cloudflare-Workers')
})

test('pool in global scope', async () => {
  expect(await tell(early)).toEqual(recorded)
})

test('pool in a test', async () => {
  expect(await scenario(keyrota)).toEqual(recorded)
})

test('keyrota/gateway, made in global scope', async () => {
  expect(await tellGateway(earlyGateway)).toEqual(recordedGateway)
})

test('keyrota/gateway, made in a test', async () => {
  expect(await gatewayScenario(gateway)).toEqual(recordedGateway)
})
