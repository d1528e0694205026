// npm run bench:fetch: what pooledFetch costs beside plain fetch, in one process, against a server on
// this machine that runs in another. --quick makes fewer calls. Nothing here is a test.
import { cpus, loadavg } from 'node:os'
import { KeyPool } from 'keyrota'
import { pooledFetch } from 'keyrota/fetch'
import { CHUNKS, events, JSON_ANSWER, request } from './fetch-data.mjs'
import { median, quick } from './measure.mjs'
import { table, time } from './print.mjs'
import * as turns from './turns.mjs'

const CALLS = quick ? 400 : 4_000
const STREAMS = quick ? 20 : 100
const AT_ONCE = 10
const NS = 1e6 // of a millisecond
const AIM = 60_000 // ns that a call may cost more

const credentials = { openai: Array.from({ length: 10 }, (_, at) => `sk-${at}`) }
const { thread: server, told: url } = await turns.startServer('fetch-server.mjs')

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
  const calls = await medians(contestants, CALLS, call)
  const busy = await medians(contestants, CALLS / AT_ONCE, callsAtOnce)
  const chunks = await medians(contestants, STREAMS, chunk)
  pool.dispose()
  return [
    line(`${where}: a call`, calls),
    line(`${where}: a call, ${AT_ONCE} at once`, busy),
    line(`${where}: a chunk of a stream`, chunks),
  ]
}

async function medians(contestants, rounds, measure) {
  return (await turns.race(contestants, rounds, measure)).map(median)
}

function call(send) {
  return turns.call(send, `${url}/json`, request(false))
}

/** A process that has more to do than to wait. */
async function callsAtOnce(send) {
  const began = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, () => call(send)))
  return ((performance.now() - began) * NS) / AT_ONCE
}

async function chunk(send) {
  return (await turns.stream(send, `${url}/stream`, request(true))) / CHUNKS
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
