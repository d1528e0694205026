const keyrota = require('keyrota')

import('./scenarios.mjs').then(({ equal, play }) =>
  play('require', keyrota, {
    'the service comes by require too': () => {
      equal(typeof require('keyrota/service').ApiKeyPoolService, 'function')
    },
  }),
)
