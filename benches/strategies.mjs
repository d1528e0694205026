// The other strategies, which the documented service does not have.
import { keyPool, PROVIDER as provider, rawCore } from './contestants.mjs'
import { keep, quick, race } from './measure.mjs'
import { table, time } from './print.mjs'

const STRATEGIES = [
  'weighted-round-robin',
  'smooth',
  'weighted-random',
  'least-busy',
  'fill-first',
  'rendezvous',
]
const SIZES = quick ? [1, 10, 1_000] : [1, 3, 10, 100, 1_000, 10_000]

export async function strategyTable() {
  const lines = []
  for (const strategy of STRATEGIES) {
    const picks = await race(...SIZES.map((size) => pick(size, strategy)))
    const leases = await race(...SIZES.map((size) => lease(size, strategy)))
    lines.push([strategy, ...picks.map(time), ...leases.map(time)])
  }
  const columns = SIZES.map((size) => size.toLocaleString('en').padStart(7))
  table(
    'Strategies, nothing cooling, no session but for rendezvous',
    [
      { name: '', columns: ['keys'] },
      { name: 'the choice alone', columns },
      { name: 'tryAcquire, secret, report', columns },
    ],
    lines,
  )
}

function pick(size, strategy) {
  const { core, index } = rawCore(size, 0, { strategy })
  // A session of rendezvous is no memory: each number leads to its own key.
  const most = strategy === 'rendezvous' ? 0xffff : 0
  let session = 0
  const call = () => {
    session = (session + 1) & most
    keep(core.pick(index, session, session))
  }
  return { call }
}

function lease(size, strategy) {
  const pool = keyPool(size, 0, { strategy })
  const sessions = Array.from({ length: 64 }, (_, at) =>
    strategy === 'rendezvous' ? `chat-${at}` : undefined,
  )
  let turn = 0
  const call = () => {
    turn = (turn + 1) & 63
    const lease = pool.tryAcquire({ provider, session: sessions[turn] })
    keep(lease.secret)
    lease.report({ status: 200 })
  }
  return { call }
}
