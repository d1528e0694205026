const keyrota = require('keyrota')

async function main() {
  const { equal, play } = await import('./scenarios.mjs')
  const { fetchScenarios } = await import('./fetch-story.mjs')
  await play('require', keyrota, {
    ...fetchScenarios(require('keyrota/fetch').pooledFetch),
    'the service comes by require too': () => {
      equal(typeof require('keyrota/service').ApiKeyPoolService, 'function')
    },
  })
}

main()
