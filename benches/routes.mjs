// What a routed choice costs as groups and credentials grow, beside a rival that walks over all of them.
// One call is Router.run with an attempt that answers 200 at once: checks, choice, lease, report, session.
// The row of one group with one credential is what of that has nothing to do with choosing.
import { Router } from 'keyrota'
import { keep, quick, raceRuns } from './measure.mjs'
import { ratio, table, time } from './print.mjs'
import { ScanningRouter } from './scanning.mjs'

/** Groups, and credentials in each. */
const ALL = [
  [1, 1],
  [1, 10],
  [10, 10],
  [100, 10],
  [1_000, 10],
  [10, 1_000],
  [1, 10_000],
]
const SIZES = quick ? ALL.filter(([groups]) => [1, 1_000].includes(groups)) : ALL
const WEIGHTS = quick ? ['mixed'] : ['equal', 'mixed']
const SESSIONS = 1_024
const REST_MS = 3_000_000 // so long that nobody is back, so short that nobody is probed
const PLAIN = { accessKey: 'app', protocol: 'openai-chat', model: 'common' }
const OK = { status: 200 }

export async function routeTable() {
  const lines = []
  await line(10, 10, 'equal') // to warm up
  for (const weights of WEIGHTS) {
    for (const [groups, each] of SIZES) lines.push(await line(groups, each, weights))
  }
  const columns = ['plain JS', ' router', 'ratio']
  const cases = [
    'a model of all groups',
    'a model of one group in ten',
    'a known session',
    '1 in 10 rests',
    '1 in 10 rests for the model',
  ]
  table(
    'Router.run, an attempt that succeeds at once: choice, lease, report',
    [
      { name: '', columns: ['groups', 'credentials', 'weights'] },
      ...cases.map((name) => ({ name, columns })),
    ],
    lines,
  )
}

async function line(count, each, weights) {
  const groups = groupsOf(count, each, weights)
  const rare = { ...PLAIN, model: 'rare' }
  const cells = [count, count * each, weights]
  const compare = async (request, sessions, pair) => {
    const [slow, fast] = await raceRuns(
      scan(pair.theirs, request, sessions),
      run(pair.ours, request, sessions),
    )
    cells.push(time(slow), time(fast), ratio(slow, fast))
  }
  const pair = pairOf(groups)
  await compare(PLAIN, undefined, pair)
  await compare(rare, undefined, pair)
  const sessions = Array.from({ length: SESSIONS }, (_, at) => `session ${at}`)
  await learn(pair, sessions)
  await compare(PLAIN, sessions, pair)
  pair.ours.dispose()
  for (const model of [undefined, PLAIN.model]) {
    const resting = pairOf(groups)
    if (each > 1) await rest(resting, Math.floor((count * each) / 10), model)
    await compare(PLAIN, undefined, resting)
    resting.ours.dispose()
  }
  return cells
}

function pairOf(groups) {
  const rules = [
    { status: 418, effect: { class: 'rate_limited', scope: 'credential', waitMs: REST_MS } },
    { status: 419, effect: { class: 'rate_limited', scope: 'model', waitMs: REST_MS } },
  ]
  const accessKeys = [{ id: 'app' }]
  const ours = new Router({ accessKeys, groups, rules, seed: 'bench' })
  return { ours, theirs: new ScanningRouter(groups) }
}

/** Every tenth group exposes one more model. */
function groupsOf(count, each, weights) {
  const weight = (at, most) => (weights === 'equal' ? 50 : 1 + (at % most))
  return Array.from({ length: count }, (_, at) => ({
    id: `group-${at}`,
    dialect: 'openai',
    enabled: true,
    priority: 0,
    weight: weight(at, 100),
    protocols: ['openai-chat'],
    models: at % 10 === 0 ? ['common', 'rare'] : ['common'],
    credentials: Array.from({ length: each }, (_, place) => ({
      id: `key-${at}-${place}`,
      secret: `sk-${at}-${place}`,
      enabled: true,
      weight: weight(place, 7),
    })),
  }))
}

/** Whoever is chosen rests, until so many do. */
async function rest({ ours, theirs }, count, model) {
  const { protocol } = PLAIN
  const failed = { status: model === undefined ? 418 : 419 }
  for (let at = 0; at < count; at++) {
    await ours.run({ ...PLAIN, maxAttempts: 1 }, () => failed)
    theirs.fail(theirs.choose(protocol, PLAIN.model), REST_MS, model)
  }
}

/** Each session has been served once. */
async function learn({ ours, theirs }, sessions) {
  const { protocol, model } = PLAIN
  for (const session of sessions) {
    await ours.run({ ...PLAIN, session }, () => OK)
    theirs.succeed(theirs.choose(protocol, model), session)
  }
}

function run(router, request, sessions) {
  const attempt = (lease) => {
    keep(lease.secret)
    return OK
  }
  let turn = 0
  return () => {
    if (sessions === undefined) return router.run(request, attempt)
    turn = (turn + 1) & (SESSIONS - 1)
    return router.run({ ...request, session: sessions[turn] }, attempt)
  }
}

/** It waits for its attempt as `run` does. */
function scan(router, { protocol, model }, sessions) {
  const attempt = async ({ secret }) => {
    keep(secret)
    return OK
  }
  let turn = 0
  return async () => {
    turn = (turn + 1) & (SESSIONS - 1)
    const session = sessions?.[turn]
    const chosen = router.choose(protocol, model, session)
    const { status } = await attempt(chosen)
    if (status === 200) router.succeed(chosen, session)
  }
}
