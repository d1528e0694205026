// Writes scenario.json, fetch-scenario.json and gateway-scenario.json anew from the built package under this Node: for
// when the algorithm was changed on purpose. Look at the difference before you commit it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as keyrota from 'keyrota'
import * as entry from 'keyrota/fetch'
import * as gateway from 'keyrota/gateway'
import { prepareFetch, tellFetch } from './fetch-scenario.mjs'
import { gatewayScenario } from './gateway-scenario.mjs'
import { startProvider } from './provider.mjs'
import { scenario } from './scenario.mjs'

const provider = await startProvider()
write('scenario.json', await scenario(keyrota))
write('fetch-scenario.json', await tellFetch(prepareFetch(keyrota, entry), provider.url))
write('gateway-scenario.json', await gatewayScenario(gateway))
provider.close()

function write(file, answer) {
  writeFileSync(join(import.meta.dirname, file), `${JSON.stringify(answer, null, 2)}\n`)
}
