import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import * as keyrota from 'keyrota'
import { scenario } from './scenario.mjs'
import { equal, play } from './scenarios.mjs'

if (isMainThread) {
  const told = JSON.stringify(await scenario(keyrota))
  await play('worker_threads', keyrota, {
    'two workers at once tell what the main thread tells': async () => {
      for (const answer of await Promise.all([fromWorker(), fromWorker()])) equal(answer, told)
    },
  })
} else {
  parentPort.postMessage(JSON.stringify(await scenario(keyrota)))
}

function fromWorker() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url))
    worker.once('message', resolve).once('error', reject)
  })
}
