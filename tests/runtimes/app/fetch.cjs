// The same by `require`, and with the pool of `keyrota/slim`, which has classes of its own.
const { readFileSync } = require('node:fs')
const slim = require('keyrota/slim')
const entry = require('keyrota/fetch')

async function main() {
  const { prepareFetch, tellFetch } = await import('./fetch-scenario.mjs')
  slim.initSync(readFileSync(require.resolve('keyrota/keyrota.wasm')))
  const answer = await tellFetch(prepareFetch(slim, entry), process.argv[2])
  console.log(`ANSWER ${JSON.stringify(answer)}`)
}

main()
