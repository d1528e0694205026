// The same by `require`.
const entry = require('keyrota/gateway')

async function main() {
  const { gatewayScenario } = await import('./gateway-scenario.mjs')
  console.log(`ANSWER ${JSON.stringify(await gatewayScenario(entry))}`)
}

main()
