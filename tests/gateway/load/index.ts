/**
 * The load test: many streams at once through a gateway whose providers fail at random, and then nothing is
 * left of them.
 * @module
 */

import { createHash, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Clients, type Tally } from './clients.ts'
import type { GatewayProcess, GatewayReport, Memory } from './gateway.ts'
import { FAULTS } from './plan.ts'
import { Other } from './process.ts'
import type { Providers, ProvidersReport } from './upstreams.ts'

const STREAMS = 200
const SECONDS = Number(process.env['KEYROTA_LOAD_SECONDS'] ?? 60)
/** With this load everything is compiled and every buffer has grown before anything is measured. */
const WARM_UP_SECONDS = 4
const SETTLE_SECONDS = 5
const SEED = Number(process.env['KEYROTA_TEST_SEED'] ?? randomInt(2 ** 31))

const MEBIBYTE = 1_048_576
/** What a garbage collection leaves differs by that much from one time to the next. */
const TOLERANCE: Memory = { heap: 4 * MEBIBYTE, external: 4 * MEBIBYTE }

/** The share of the streams that may break although their provider sent all: this machine's pauses. */
const BROKEN_SHARE = 0.02

const ACCESS_KEY = 'ak-load-0123456789abcdef'
const file = (name: string) => join(import.meta.dirname, `${name}.mjs`)
const providers = new Other<Providers>(file('upstreams'), [String(SEED)])
const gateway = new Other<GatewayProcess>(file('gateway'))
const counts = { passed: 0, failed: 0 }

try {
  console.log(`${STREAMS} streams at once for ${SECONDS} s, KEYROTA_TEST_SEED=${SEED}`)
  await test()
} catch (error) {
  counts.failed++
  console.log('FAILED', error)
} finally {
  providers.end()
  gateway.end()
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed > 0 ? 1 : 0

async function test(): Promise<void> {
  const sha256 = createHash('sha256').update(ACCESS_KEY).digest('hex')
  const port = await gateway.ask('start', { providers: await providers.ask('listen'), sha256 })
  const clients = new Clients({ seed: SEED, port, accessKey: ACCESS_KEY })
  const { sockets } = await gateway.ask('report')
  await clients.run(STREAMS, WARM_UP_SECONDS)
  await settled(clients, sockets)
  const before = await gateway.ask('memory')
  const tally = await clients.run(STREAMS, SECONDS)
  const [told, provided] = await settled(clients, sockets)
  const after = await gateway.ask('memory')
  show(tally, told, provided)
  checkStreams(tally)
  checkRest(told, provided, sockets)
  checkMemory(before, after)
  const missing = FAULTS.filter((deed) => provided.deeds[deed] === undefined)
  check('providers failed in every way', missing.length === 0, missing.join(', '))
}

/** Waits until nothing is going on any more, but not for ever. */
async function settled(
  clients: Clients,
  sockets: number,
): Promise<[GatewayReport, ProvidersReport]> {
  clients.closeIdle()
  const until = performance.now() + SETTLE_SECONDS * 1_000
  for (;;) {
    await providers.ask('closeIdle')
    const [told, provided] = await Promise.all([gateway.ask('report'), providers.ask('report')])
    const isAtRest = told.leases === 0 && told.sockets <= sockets && provided.open === 0
    if (isAtRest || performance.now() > until) return [told, provided]
    await pause(100)
  }
}

function show(tally: Tally, { peak }: GatewayReport, { deeds }: ProvidersReport): void {
  const list = (entries: Iterable<[string, number]>) => {
    const sorted = [...entries].sort(([, one], [, other]) => other - one)
    for (const [name, count] of sorted) console.log(`  ${String(count).padStart(7)}  ${name}`)
  }
  console.log(`\n${tally.requests} requests, ${peak} at once at the most; what came of them:`)
  list(tally.kinds)
  console.log('what the providers did, warm-up included:')
  list(Object.entries(deeds))
  const sorted = tally.firstByteMs.sort((one, other) => one - other)
  const at = (share: number) => `${sorted[Math.floor(sorted.length * share)]?.toFixed(0)} ms`
  console.log(`to the first byte of a complete stream: p50 ${at(0.5)}, p99 ${at(0.99)}\n`)
}

function checkStreams({ requests, kinds, flaws, broken }: Tally): void {
  const found = (...names: string[]) => flaws.filter(({ flaw }) => names.includes(flaw))
  const none = (rule: string, list: readonly unknown[]) => {
    check(rule, list.length === 0, `${list.length} times; ${list.slice(0, 3).join('; ')}`)
  }
  none('no chunk is in the stream of another', found('mixed'))
  none('every byte is the one that the provider sent', found('altered'))
  none('what is not complete ends with an error that the client sees', found('short', 'silent'))
  none('an error in place of a stream has its protocol’s shape', found('unreadable'))
  const most = requests * BROKEN_SHARE
  const examples = broken.slice(0, 3).join('; ')
  const rule = 'a stream that its provider completes is complete for its client'
  check(rule, broken.length <= most, `${broken.length} of ${requests} broke: ${examples}`)
  const complete = kinds.get('complete') ?? 0
  check('most streams are complete', complete > requests / 2, `${complete} of ${requests}`)
}

function checkRest(told: GatewayReport, provided: ProvidersReport, sockets: number): void {
  const { leases, faults, requests, requestEvents, attempts, attemptEvents } = told
  check('no lease is in flight', leases === 0, `${leases} are`)
  check('the sockets are closed', told.sockets <= sockets, `${told.sockets}, not ${sockets}`)
  check('no provider is at work for nobody', provided.open === 0, `${provided.open} requests`)
  check('no rejection is unhandled', faults.length === 0, faults.slice(0, 3).join('\n'))
  const events = `${requestEvents} of ${requests} requests, ${attemptEvents} of ${attempts} attempts`
  const isTold = requestEvents === requests && attemptEvents === attempts
  check('the log is told of each request and attempt once', isTold, events)
}

function checkMemory(before: Memory, after: Memory): void {
  for (const kind of ['heap', 'external'] as const) {
    const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`
    const facts = `${mebibytes(before[kind])} before, ${mebibytes(after[kind])} after`
    const rule = `the ${kind} memory is back to within ${mebibytes(TOLERANCE[kind])}: ${facts}`
    check(rule, after[kind] - before[kind] <= TOLERANCE[kind], 'it grew')
  }
}

function check(rule: string, holds: boolean, why: string): void {
  counts[holds ? 'passed' : 'failed']++
  console.log(holds ? `ok      ${rule}` : `FAILED  ${rule}: ${why}`)
}
