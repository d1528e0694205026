// npm run bench:gateway: what the gateway costs beside a bare reverse proxy on the same server library, both in
// one thread and taking turns; the provider runs in another. --quick makes fewer calls. Nothing here is a test.
import { cpus, loadavg } from 'node:os'
import { request } from './fetch-data.mjs'
import { quick } from './measure.mjs'
import { table, time } from './print.mjs'
import { call, race, startServer, stream } from './turns.mjs'

const CALLS = quick ? 100 : 1_500
const STREAMS = quick ? 50 : 400
const CHUNKS = 100
const AT_ONCE = 50
const PATH = '/v1/chat/completions'

const upstream = await startServer('fetch-server.mjs')
const servers = await startServer('gateway-server.mjs', upstream.told)
const { bare, gateway } = servers.told
const contestants = [bare, bare, gateway]

const oneCall = (url) => call(fetch, url + PATH, request(false))
const oneStream = (url) => stream(fetch, url + PATH, request(true, CHUNKS))
const atOnce = (one) => (url) => Promise.all(Array.from({ length: AT_ONCE }, () => one(url)))

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`)
const lines = [
  line('a call', await race(contestants, CALLS, oneCall)),
  line(`a call, ${AT_ONCE} at once`, await race(contestants, CALLS / AT_ONCE, atOnce(oneCall))),
  line('a stream', await race(contestants, STREAMS, oneStream)),
  line(
    `a stream, ${AT_ONCE} at once`,
    await race(contestants, STREAMS / AT_ONCE, atOnce(oneStream)),
  ),
]
const columns = ['bare', 'again', 'gateway', 'more', 'ratio']
const groups = [
  { name: '', columns: [''] },
  { name: 'p50', columns },
  { name: 'p99', columns },
]
table(`the gateway beside a bare reverse proxy; a stream has ${CHUNKS} chunks`, groups, lines)
const [load] = loadavg()
console.log('\n"again" is the bare proxy a second time: how far it is from "bare" is noise.')
console.log(
  `Client, servers and provider share this machine with whatever else runs: load ${load.toFixed(1)}.`,
)
await Promise.all([servers.thread.terminate(), upstream.thread.terminate()])

function line(what, times) {
  return [what, ...[0.5, 0.99].flatMap((share) => compared(...times.map((of) => at(of, share))))]
}

function compared(bare, again, gateway) {
  const more = gateway - bare
  const sign = more < 0 ? '-' : ''
  const ratio = `x${(gateway / bare).toFixed(2)}`
  return [time(bare), time(again), time(gateway), sign + time(Math.abs(more)), ratio]
}

function at(times, share) {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
}
