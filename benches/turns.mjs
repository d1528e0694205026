// Contestants that take turns in one process, so that what disturbs one disturbs all.
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

const NS = 1e6 // of a millisecond

/** Starts a server of this folder in a thread of its own; answers it with what it says first. */
export async function startServer(file, workerData) {
  const thread = new Worker(join(import.meta.dirname, file), { workerData })
  const [told] = await once(thread, 'message')
  return { thread, told }
}

/**
 * The times of each contestant in ns, each round with another one first. A quarter as many rounds go before.
 * @param {(contestant: any) => Promise<number | number[]>} measure answers the times of one turn
 * @returns {Promise<number[][]>}
 */
export async function race(contestants, rounds, measure) {
  const turns = contestants.map(() => [])
  for (let round = -Math.ceil(rounds / 4); round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const at = (Math.abs(round) + turn) % contestants.length
      const times = await measure(contestants[at])
      if (round >= 0) turns[at].push(...[times].flat())
    }
  }
  return turns
}

/** How long a call takes whose answer comes in one piece, in ns. */
export async function call(send, url, asked) {
  const began = performance.now()
  const response = await send(url, asked)
  const { choices } = await response.json()
  const ns = (performance.now() - began) * NS
  if (choices.length !== 1) throw new Error('no answer')
  return ns
}

/** How long a stream takes from its request to its end, in ns. */
export async function stream(send, url, asked) {
  const began = performance.now()
  const response = await send(url, asked)
  let bytes = 0
  const reader = response.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
  }
  const ns = (performance.now() - began) * NS
  if (!response.ok || bytes === 0) throw new Error('no answer')
  return ns
}
