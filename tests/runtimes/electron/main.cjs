// What a main process does, from an app.asar: `require` of the package inside the archive. The stand-in
// for Electron's reader of archives knows `main` but not `exports`, so the service comes by its file.
const keyrota = require('keyrota')
const { ApiKeyPoolService } = require('./node_modules/keyrota/pkg/service.cjs')
const { scenario } = require('./scenario.cjs')

if (typeof ApiKeyPoolService !== 'function') throw new Error('the service is not there')
scenario(keyrota).then((answer) => console.log(`ANSWER ${JSON.stringify(answer)}`))
