import * as keyrota from 'keyrota'
import { send, tellRow } from './answer.mjs'
import { faultsOf } from './fetch-story.mjs'
import { pooledFetch } from './node_modules/keyrota/pkg/fetch.js'

const failed = (name) => (error) => send(name, { message: String(error?.message ?? error) })

await tellRow('page')
await send('fetch', await faultsOf(keyrota, pooledFetch))
new Worker('worker.mjs', { type: 'module' }).onerror = failed('worker')
navigator.serviceWorker.register('service-worker.mjs', { type: 'module' }).catch(failed('service'))
