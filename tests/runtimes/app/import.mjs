import { createRequire } from 'node:module'
import * as keyrota from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { ApiKeyPoolService } from 'keyrota/service'
import { fetchScenarios } from './fetch-story.mjs'
import { equal, play } from './scenarios.mjs'

await play('import', keyrota, {
  ...fetchScenarios(pooledFetch),
  'import and require give one class': () => {
    equal(createRequire(import.meta.url)('keyrota').KeyPool, keyrota.KeyPool)
  },
  'the documented service gives keys in turn': async () => {
    const service = new ApiKeyPoolService({
      loadKeys: (providerId) => [
        { id: 'one', providerId, apiKey: 'sk-one', enabled: true, weight: 1 },
        { id: 'two', providerId, apiKey: 'sk-two', enabled: true, weight: 1 },
      ],
      disableKey: () => true,
      resolveKey: (key) => key,
    })
    equal(await service.getKey('openai'), 'sk-one')
    equal(await service.getKey('openai'), 'sk-two')
    service.dispose()
  },
})
