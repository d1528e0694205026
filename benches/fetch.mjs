// npm run bench:fetch: what pooledFetch costs beside plain fetch, in one process, against a server on
// this machine that runs in another. --quick makes fewer calls. Nothing here is a test.
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { KeyPool } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { CHUNKS, events, JSON_ANSWER, request } from './fetch-data.mjs'
import { median, quick } from './measure.mjs'
import { table, time } from './print.mjs'

const CALLS = quick ? 400 : 4_000
const STREAMS = quick ? 20 : 100
const AT_ONCE = 10
const NS = 1e6 // of a millisecond
const AIM = 60_000 // ns that a call may cost more

const credentials = { openai: Array.from({ length: 10 }, (_, at) => `sk-${at}`) }
const server = new Worker(join(import.meta.dirname, 'fetch-server.mjs'))
const url = await new Promise((resolve) => server.once('message', resolve))

console.log(`Node ${process.version}, ${cpus()[0]?.model.trim()}`)
const lines = [
  ...(await compare('loopback', fetch)),
  // Without a network, what is left is the pool's own work and that of a Response.
  ...(await compare('in memory', inMemory)),
]
const columns = ['', 'plain', 'again', 'pooled', 'more', 'ratio']
table('pooledFetch beside plain fetch: medians', [{ name: '', columns }], lines)
const [load] = loadavg()
console.log(`\n"again" is plain fetch a second time: how far it is from "plain" is noise.`)
console.log(`Aim: a call costs less than ${time(AIM)} more. Load ${load.toFixed(1)}.`)
await server.terminate()

/** A call and a chunk of a stream, by this `fetch` and through a pool. */
async function compare(where, send) {
  const pool = new KeyPool({ credentials })
  const pooled = pooledFetch(pool, { provider: 'openai', fetch: send })
  const contestants = [send, send, pooled]
  const calls = await race(contestants, CALLS, call)
  const busy = await race(contestants, CALLS / AT_ONCE, callsAtOnce)
  const chunks = await race(contestants, STREAMS, stream)
  pool.dispose()
  return [
    line(`${where}: a call`, calls),
    line(`${where}: a call, ${AT_ONCE} at once`, busy),
    line(`${where}: a chunk of a stream`, chunks),
  ]
}

/** The medians of contestants that take turns, each time another one first. */
async function race(contestants, times, measure) {
  const turns = contestants.map(() => [])
  for (let round = -times / 4; round < times; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const at = (Math.abs(round) + turn) % contestants.length
      const ns = await measure(contestants[at])
      if (round >= 0) turns[at].push(ns)
    }
  }
  return turns.map(median)
}

async function call(send) {
  const began = performance.now()
  const response = await send(`${url}/json`, request(false))
  const { choices } = await response.json()
  const ns = (performance.now() - began) * NS
  if (choices.length !== 1) throw new Error('no answer')
  return ns
}

/** A process that has more to do than to wait. */
async function callsAtOnce(send) {
  const began = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, () => call(send)))
  return ((performance.now() - began) * NS) / AT_ONCE
}

async function stream(send) {
  const began = performance.now()
  const response = await send(`${url}/stream`, request(true))
  let bytes = 0
  const reader = response.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
  }
  const ns = (performance.now() - began) * NS
  if (bytes === 0) throw new Error('no answer')
  return ns / CHUNKS
}

/** A `fetch` that answers at once. */
async function inMemory(address) {
  if (address.endsWith('/json')) {
    return new Response(JSON_ANSWER, { headers: { 'content-type': 'application/json' } })
  }
  const chunks = events()
  const body = new ReadableStream(
    {
      pull(controller) {
        const { done, value } = chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function line(what, [plain, again, pooled]) {
  const more = pooled - plain
  const ratio = `x${(pooled / plain).toFixed(2)}`
  return [what, time(plain), time(again), time(pooled), `${(more / 1e3).toFixed(1)} µs`, ratio]
}
