import { send, tellRow } from './answer.mjs'

const failed = (name) => (error) => send(name, { message: String(error?.message ?? error) })

await tellRow('page')
new Worker('worker.mjs', { type: 'module' }).onerror = failed('worker')
navigator.serviceWorker.register('service-worker.mjs', { type: 'module' }).catch(failed('service'))
