// Timing by mitata: contestants take turns in one process, so that what disturbs one disturbs all.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { do_not_optimize, measure } from 'mitata'

export { do_not_optimize as keep }

export const quick = process.argv.includes('--quick')

const ROUNDS = quick ? 3 : 5
const NS_PER_TURN = quick ? 12e6 : 25e6
const NS_PER_SAMPLE = 250_000

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')

/**
 * A call to time. Its argument, if it has one, is made outside the timing.
 * @typedef {{ call: (argument: any) => void, argument?: () => any }} Contestant
 */

/**
 * The time of one call of each contestant in ns: the median of the medians of its turns.
 * @param {...Contestant} contestants
 */
export async function race(...contestants) {
  const batches = contestants.map(warmUp)
  const turns = contestants.map(() => [])
  gc()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, contestant] of contestants.entries()) {
      turns[at].push(await time(contestant, batches[at]))
    }
  }
  return turns.map(median)
}

async function time({ call, argument }, batch) {
  const options = { gc: false, min_cpu_time: NS_PER_TURN, batch_samples: batch }
  if (argument === undefined) return (await measure(() => call(), options)).p50
  const turn = function* () {
    yield { 0: argument, bench: (made) => call(made) }
  }
  return (await measure(turn, options)).p50
}

const RUN_TURNS = quick ? 3 : 5
const MS_PER_RUN_TURN = 5
/** So many calls, or so long, until the compilers of both languages have had a say. */
const RUNS_TO_WARM_UP = 8_192
const MS_TO_WARM_UP = 30
/** How many calls to the clock of the process, which is slow, are made in a turn, at most. */
const LOOKS = 8

/**
 * The processor time of one call of each in ns, where a call is a promise that is awaited before the next:
 * the median of its turns. What collects their garbage is in it; what else the machine does is not.
 * @param {...(() => Promise<unknown>)} contestants
 */
export async function raceRuns(...contestants) {
  const batches = []
  for (const call of contestants) {
    const ns = await turnOf(call, MS_TO_WARM_UP, 64, RUNS_TO_WARM_UP)
    batches.push(Math.max(1, Math.round((MS_PER_RUN_TURN * 1e6) / ns / LOOKS)))
  }
  const turns = contestants.map(() => [])
  for (let round = 0; round < RUN_TURNS; round++) {
    for (const [at, call] of contestants.entries()) {
      turns[at].push(await turnOf(call, MS_PER_RUN_TURN, batches[at]))
    }
  }
  return turns.map(median)
}

async function turnOf(call, ms, batch, most = Number.POSITIVE_INFINITY) {
  const began = process.cpuUsage()
  let calls = 0
  let took = 0
  do {
    for (let at = 0; at < batch; at++) await call()
    calls += batch
    const { user, system } = process.cpuUsage(began)
    took = user + system
  } while (took < ms * 1e3 && calls < most)
  return (took * 1e3) / calls
}

/** Calls until the compiler has had a say; answers how many calls make a sample. */
function warmUp({ call, argument = () => undefined }) {
  const began = performance.now()
  let calls = 0
  while (calls < 20_000 && performance.now() - began < 10) {
    for (let at = 0; at < 32; at++) call(argument())
    calls += 32
  }
  const ns = ((performance.now() - began) * 1e6) / calls
  const batch = 2 ** Math.round(Math.log2(NS_PER_SAMPLE / ns))
  return Math.min(Math.max(batch, 16), 4_096)
}

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
