import * as keyrota from 'keyrota'
import { scenario } from './scenario.mjs'
import { equal, play } from './scenarios.mjs'

const worker = new Worker(new URL('./web-worker-inside.mjs', import.meta.url), { type: 'module' })
const answered = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
})
await play('Web Worker', keyrota, {
  'a worker tells what the main thread tells': async () => {
    equal(await answered, JSON.stringify(await scenario(keyrota)))
  },
})
worker.terminate()
