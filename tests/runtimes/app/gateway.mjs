// The story of `keyrota/gateway`, with hono and zod beside the package.
import * as entry from 'keyrota/gateway'
import { gatewayScenario } from './gateway-scenario.mjs'

console.log(`ANSWER ${JSON.stringify(await gatewayScenario(entry))}`)
