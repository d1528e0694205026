// The two tables beside the documented algorithm in plain JavaScript.
import { getRandomValues } from 'node:crypto'
import * as make from './contestants.mjs'
import { keep, quick, race } from './measure.mjs'
import { ratio, table, time } from './print.mjs'

const { PROVIDER: provider, REGULARS, STRANGERS } = make

/** Pool sizes, and how many of the keys rest. */
const ALL = [
  [1, 0],
  [3, 0],
  [3, 1],
  [10, 0],
  [10, 2],
  [100, 0],
  [100, 5],
  [1_000, 0],
  [1_000, 10],
  [10_000, 0],
  [10_000, 10],
]
const SETTINGS = quick ? ALL.filter(([size]) => [1, 10, 1_000].includes(size)) : ALL

/** The choice alone: numbers in, a number out. Both have hashed the session ids before. */
export function rawTable() {
  return compare('The choice alone: the core in WebAssembly (wasm), called with numbers', 'wasm', {
    'no session': [key, pick],
    'known session': [keyOf(REGULARS), pickOf(REGULARS.length)],
    'new session, the oldest leaves': [keyOf(STRANGERS), pickOf(STRANGERS.length)],
  })
}

/** What an app calls. An id that was used before carries its hash; one that just arrived does not. */
export function publicTable() {
  return compare('What an app calls: tryAcquire, secret, report of a success', 'pool', {
    'no session': [key, lease],
    'known session, same string': [request(REGULARS), leaseOf(REGULARS)],
    'known session, id just arrived': [request(REGULARS, copy), leaseOf(REGULARS, copy)],
    'new session, the oldest leaves': [request(STRANGERS, copy), leaseOf(STRANGERS, copy)],
  })
}

async function compare(title, ours, cases) {
  const columns = ['plain JS', ours.padStart(7), 'ratio']
  const groups = Object.keys(cases).map((name) => ({ name, columns }))
  const lines = []
  for (const setting of SETTINGS) {
    const line = [...setting]
    for (const [theirs, mine] of Object.values(cases)) {
      const [slow, fast] = await race(theirs(setting), mine(setting))
      line.push(time(slow), time(fast), ratio(slow, fast))
    }
    lines.push(line)
  }
  table(title, [{ name: '', columns: ['keys', 'cooling'] }, ...groups], lines)
}

/** A getKey has no session to report. */
function key(setting) {
  const service = make.documented(...setting)
  return { call: () => keep(service.getKey(provider)) }
}

function keyOf(sessions) {
  return (setting) => {
    const service = make.documented(...setting)
    const call = (session) => keep(service.getKeyForSession(provider, session))
    return inTurn(sessions, call)
  }
}

function request(sessions, as) {
  return (setting) => {
    const service = make.documented(...setting)
    const call = (session) => {
      keep(service.getKeyForSession(provider, session))
      service.reportSuccess(session)
    }
    return inTurn(sessions, call, as)
  }
}

function pick(setting) {
  const { core, index } = make.rawCore(...setting)
  return { call: () => keep(core.pick(index, 0, 0)) }
}

function pickOf(count) {
  const low = getRandomValues(new Int32Array(count))
  const high = getRandomValues(new Int32Array(count))
  return (setting) => {
    const { core, index } = make.rawCore(...setting)
    const call = (at) => keep(core.pick(index, low[at], high[at]))
    return inTurn([...low.keys()], call)
  }
}

function lease(setting) {
  const pool = make.keyPool(...setting)
  const call = () => {
    const lease = pool.tryAcquire({ provider })
    keep(lease.secret)
    lease.report({ status: 200 })
  }
  return { call }
}

function leaseOf(sessions, as) {
  return (setting) => {
    const pool = make.keyPool(...setting)
    const call = (session) => {
      const lease = pool.tryAcquire({ provider, session })
      keep(lease.secret)
      lease.report({ status: 200 })
    }
    return inTurn(sessions, call, as)
  }
}

/** One session after the other, for ever. All that are few enough to be known have come before. */
function inTurn(list, call, as = (item) => item) {
  if (list.length === REGULARS.length) for (const item of list) call(item)
  let turn = 0
  const argument = () => {
    turn = (turn + 1) & (list.length - 1)
    return as(list[turn])
  }
  return { call, argument }
}

/** The same text in a string of its own, as a parser makes it. */
function copy(text) {
  return Buffer.from(text, 'latin1').latin1Slice()
}
