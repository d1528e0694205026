// What happens less often than a choice: failures, beginnings, and the memory of many sessions.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { documented, keyPool, PROVIDER as provider } from './contestants.mjs'
import { keep, median, quick, race } from './measure.mjs'
import { ratio, table, time } from './print.mjs'

const CHILD = join(import.meta.dirname, 'child.mjs')
const MS = 1e6

export async function restTable() {
  const lines = []
  for (const size of [10, 1_000]) {
    const [theirs, ours] = await raceOfFailures(size)
    const what = `429, and another key: ${size.toLocaleString('en')} keys`
    lines.push([what, time(ours), time(theirs), ratio(theirs, ours)])
  }
  const [theirs, ours] = await race(brief(documented(10, 0)), briefLease(keyPool(10, 0)))
  lines.push([
    'a session of one request, then released',
    time(ours),
    time(theirs),
    ratio(theirs, ours),
  ])
  const [made] = await race({ call: () => keep(keyPool(10, 0).dispose()) })
  lines.push(['a further new KeyPool of 10 keys, dispose', time(made), '', ''])
  lines.push(...coldStart())
  lines.push(['memory of a session, among 1,000,000', `${child('sessions')} bytes`, '', ''])
  table('The rest', [{ name: '', columns: ['', 'Keyrota', 'plain JS', 'ratio'] }], lines)
}

/** Each failure comes an hour after the last, so that nobody rests any more when it comes. */
async function raceOfFailures(size) {
  const dateNow = Date.now
  let now = dateNow()
  Date.now = () => now
  const service = documented(size, 0, { baseMs: 60_000 })
  const pool = keyPool(size, 0, { cooldown: { baseMs: 60_000 }, now: () => now })
  const session = 'a chat'
  const request = { provider, session }
  const theirs = () => {
    now += 3_600_000
    keep(service.getKeyForSession(provider, session))
    keep(service.reportError(provider, session, 429))
  }
  const ours = () => {
    now += 3_600_000
    const lease = pool.tryAcquire(request)
    keep(lease.secret)
    lease.report({ status: 429 })
    const next = pool.tryAcquire(request)
    keep(next.secret)
    next.release()
  }
  try {
    return await race({ call: theirs }, { call: ours })
  } finally {
    Date.now = dateNow
  }
}

function brief(service) {
  let count = 0
  const call = () => {
    const session = `chat ${count++}`
    keep(service.getKeyForSession(provider, session))
    service.reportSuccess(session)
    service.releaseSession(session)
  }
  return { call }
}

function briefLease(pool) {
  let count = 0
  const call = () => {
    const session = `chat ${count++}`
    const lease = pool.tryAcquire({ provider, session })
    keep(lease.secret)
    lease.report({ status: 200 })
    pool.releaseSession(session)
  }
  return { call }
}

/** New processes, one after the other: what the first choice costs an app that starts. */
function coldStart() {
  const starts = Array.from({ length: quick ? 5 : 20 }, () => child('start').split(' ').map(Number))
  const names = [
    'import in a new process',
    'first new KeyPool, which starts the core',
    'first tryAcquire',
  ]
  return names.map((name, at) => {
    const took = median(starts.map((start) => start[at]))
    return [`${name} (median of ${starts.length})`, time(took * MS), '', '']
  })
}

function child(task) {
  return execFileSync(process.execPath, [CHILD, task], { encoding: 'utf8' }).trim()
}
