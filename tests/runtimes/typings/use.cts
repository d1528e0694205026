// The same package by require: its types must be those that import gives.
import keyrota = require('keyrota')
import gateway = require('keyrota/gateway')
import service = require('keyrota/service')
import slim = require('keyrota/slim')

const options: keyrota.KeyPoolOptions = { credentials: { openai: ['sk-a'] } }
const pool = new keyrota.KeyPool(options)

export async function use(): Promise<string> {
  const { KeyPool } = await import('keyrota')
  const imported: InstanceType<typeof KeyPool> = pool
  const lease: keyrota.Lease = await imported.acquire({ provider: 'openai' })
  return lease.secret
}

export const made: InstanceType<typeof service.ApiKeyPoolService> = new service.ApiKeyPoolService({
  loadKeys: () => [],
  disableKey: () => true,
})
const config: gateway.GatewayConfig = { accessKeys: [], groups: [] }
export const served: Promise<Response> = gateway
  .createGateway(config)
  .fetch(new Request('http://localhost'))
export const slimPool = new slim.KeyPool(options)
