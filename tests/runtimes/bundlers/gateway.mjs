// The gateway with hono and zod, all in one file.
import * as entry from 'keyrota/gateway'
import { gatewayScenario } from './gateway-scenario.mjs'

gatewayScenario(entry).then((answer) => console.log(`ANSWER ${JSON.stringify(answer)}`))
