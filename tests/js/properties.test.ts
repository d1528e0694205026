import fc from 'fast-check'
import { KeyPool, type StrategyName } from 'keyrota'
import { expect, test } from 'vitest'
import { listen, order, PROVIDER, poolOf, row, rows, statusOf, take } from './support/pools.ts'
import { RandomPool, scenario } from './support/random-pool.ts'

// Every failure prints the seed with which it comes again, and the smallest case.

const RANDOM: readonly StrategyName[] = ['weighted-random']

test('no lease is granted on a credential that is not available, and explain agrees', {
  timeout: 60_000,
}, async () => {
  let leases = 0
  await fc.assert(
    fc.asyncProperty(scenario, async ({ list, strategy, policy, actions }) => {
      const random = new RandomPool(list, strategy, policy)
      const { pool } = random
      for (const action of actions) {
        if (action.do !== 'acquire') {
          await random.perform(action)
          continue
        }
        const asked = { provider: PROVIDER, ...action.request }
        const before = new Map(pool.status(PROVIDER).map((known) => [known.id, known.state]))
        const explanation = pool.explain(asked)
        const reasons = new Map(explanation.candidates.map(({ id, reason }) => [id, reason]))
        const answer = pool.tryAcquire(asked)
        if (answer.ok) {
          const { id } = answer.credential
          random.leases.push(answer)
          leases += 1
          // While its probe is under way it serves others only if nobody else can.
          if (before.get(id) !== 'available') {
            expect(before.get(id)).toBe('probe_pending')
            expect([...reasons.values()]).not.toContain('available')
          }
          expect(asked.tried ?? []).not.toContain(id)
          const models = random.list.find((known) => known.id === id)?.models
          if (asked.model !== undefined && models != null) expect(models).toContain(asked.model)
          expect(answer.secret).toBe(`sk-${id.slice(4)}`)
          if (!RANDOM.includes(strategy) && (strategy !== 'rendezvous' || asked.session)) {
            expect(explanation.choice).toBe(id)
          }
          expect(['chosen', 'available']).toContain(reasons.get(id))
        } else {
          expect(answer.code).toBe('no_credential_available')
          expect(explanation).toMatchObject({ choice: null, retryAfterMs: answer.retryAfterMs })
          expect([...reasons.values()]).not.toContain('available')
        }
      }
      pool.dispose()
    }),
    { numRuns: 400 },
  )
  expect(leases).toBeGreaterThan(2_000)
})

test('a pool restored from its snapshot, over JSON, behaves as the one it was taken of', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      scenario,
      fc.nat({ max: 119 }),
      fc.boolean(),
      async ({ list, strategy, policy, actions }, cut, isLoadedFirst) => {
        const original = new RandomPool(list, strategy, policy)
        for (const action of actions.slice(0, cut)) await original.perform(action)
        // Leases do not outlive a process, nor does an `enable` that the rows contradict.
        for (const lease of original.leases.splice(0)) lease.release()
        original.pool.invalidate()
        await original.pool.load(PROVIDER)
        // Nor do suspicions against the provider, which last for 5 s.
        original.clock.pass(5_001)
        const copy = new RandomPool(original.list, strategy, policy)
        copy.clock.at = original.clock.at
        if (!isLoadedFirst) copy.pool.invalidate()
        copy.pool.restore(JSON.parse(JSON.stringify(original.pool.snapshot())))
        await copy.pool.load(PROVIDER)
        for (const [number, action] of actions.slice(cut).entries()) {
          const context = `${strategy}, ${number}: ${JSON.stringify(action)}`
          expect(await copy.perform(action), context).toEqual(await original.perform(action))
          // A success reads the time only if there is something to clear, a suspicion perhaps.
          for (const { pool, list } of [copy, original]) {
            pool.tryAcquire({ provider: PROVIDER, tried: list.map(({ id }) => id) })
          }
          expect(copy.pool.status(PROVIDER), context).toEqual(original.pool.status(PROVIDER))
        }
        copy.pool.dispose()
        original.pool.dispose()
      },
    ),
    { numRuns: 300 },
  )
})

test('a cooldown only ever ends early by a success, a stated time, a reset or an enable', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ list, strategy, policy, actions }) => {
      const random = new RandomPool(list, strategy, policy)
      const left = () => {
        random.pool.snapshot() // a look alone does not count as having seen the time
        const known = random.pool.status(PROVIDER).map(({ id, until, state }) => {
          // How long a probe holds the others back is no rest.
          const isProbe = state === 'probe_pending'
          return [id, isProbe ? null : until === null ? 0 : until - random.clock.at] as const
        })
        return new Map(known)
      }
      for (const action of actions) {
        const before = left()
        const passed = action.do === 'pass' ? Math.max(0, action.ms) : 0
        await random.perform(action)
        // An edit may switch a credential off, and then no time is shown.
        if (['report', 'reset', 'enable', 'edit'].includes(action.do)) continue
        for (const [id, now] of left()) {
          const was = before.get(id) ?? null
          if (now === null || was === null) continue
          const expected = Math.max(0, was - passed)
          expect(now, `${id} after ${JSON.stringify(action)}`).toBe(expected)
        }
      }
      random.pool.dispose()
    }),
    { numRuns: 200 },
  )
})

test('over a full cycle each credential serves exactly its weight', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(
      weights,
      fc.constantFrom('weighted-round-robin' as const, 'smooth' as const),
      fc.nat({ max: 300 }),
      (given, strategy, offset) => {
        const { pool } = poolOf(
          given.map((weight, at) => row(`k${at}`, { weight })),
          { strategy },
        )
        const total = given.reduce((sum, weight) => sum + weight, 0)
        // From any point of the slot walk on; of smooth, from the beginning of a cycle.
        if (offset > 0) order(pool, strategy === 'smooth' ? total : offset)
        const picks = order(pool, total).split(' ')
        for (const [at, weight] of given.entries()) {
          expect(picks.filter((id) => id === `k${at}`)).toHaveLength(weight)
        }
      },
    ),
    { numRuns: 150 },
  )
})

test('smooth never serves one of equals twice in a row, after the first round', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 100 }), (n, weight) => {
      const ids = Array.from({ length: n }, (_, at) => row(`k${at}`, { weight }))
      const { pool } = poolOf(ids, { strategy: 'smooth' })
      order(pool, n)
      const picks = order(pool, n * 5).split(' ')
      for (const [at, id] of picks.entries()) expect(picks[at + 1]).not.toBe(id)
    }),
    { numRuns: 50 },
  )
})

test('rendezvous: removing one credential moves only its own sessions', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }).filter(isId), {
    minLength: 2,
    maxLength: 8,
  })
  const sessions = fc.array(fc.string(), { minLength: 10, maxLength: 40 })
  fc.assert(
    fc.property(ids, sessions, fc.nat({ max: 7 }), (all, asked, nth) => {
      const gone = all[nth % all.length] ?? ''
      const strategy = 'rendezvous'
      const { pool } = poolOf(
        all.map((id) => row(id, { secret: 'sk' })),
        { strategy },
      )
      const less = poolOf(
        all.filter((id) => id !== gone).map((id) => row(id, { secret: 'sk' })),
        { strategy },
      ).pool
      for (const session of asked) {
        const before = take(pool, { session }).credential.id
        if (before !== gone) expect(take(less, { session }).credential.id).toBe(before)
      }
    }),
    { numRuns: 100 },
  )
})

function isId(text: string): boolean {
  return text.trim() === text && text !== '' && !text.includes('\0')
}

test('rendezvous spreads sessions by weight', () => {
  const { pool } = poolOf([row('A', { weight: 3 }), row('B', { weight: 1 })], {
    strategy: 'rendezvous',
  })
  let onA = 0
  for (let session = 0; session < 4_000; session++) {
    if (take(pool, { session: `chat-${session}` }).credential.id === 'A') onA += 1
  }
  // Six standard deviations around 3,000.
  expect(Math.abs(onA - 3_000)).toBeLessThan(165)
})

test('however leases interleave, each outcome lands on its own credential', async () => {
  const step = fc.record({
    take: fc.boolean(),
    which: fc.nat({ max: 50 }),
    status: fc.constantFrom(200, 429, 402, 503, 400, 'release' as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
      const { pool, clock } = poolOf(rows('A', 'B', 'C', 'D'))
      const heard = listen(pool, 'cooldown', 'paused')
      const open: ReturnType<typeof take>[] = []
      const expected = new Map<string, { failures: number; successes: number }>()
      for (const { take: takes, which, status } of steps) {
        if (takes || open.length === 0) {
          const answer = pool.tryAcquire({ provider: PROVIDER })
          if (answer.ok) open.push(answer)
          else clock.pass(60_000)
          continue
        }
        const lease = open.splice(which % open.length, 1)[0]
        if (lease === undefined) continue
        const { id } = lease.credential
        const told = heard.length
        if (status === 'release') lease.release()
        else await lease.report({ status })
        const counts = expected.get(id) ?? { failures: 0, successes: 0 }
        if (status === 200) counts.successes += 1
        // A 503 is the provider's, and nobody's failure.
        if (status === 429 || status === 402) counts.failures += 1
        expected.set(id, counts)
        for (const event of heard.slice(told)) expect(event['credential']).toBe(id)
      }
      for (const [id, counts] of expected) expect(statusOf(pool, id)).toMatchObject(counts)
      const inFlight = pool.status(PROVIDER).reduce((sum, known) => sum + known.inFlight, 0)
      expect(inFlight).toBe(open.length)
    }),
    { numRuns: 200 },
  )
})

test('the sessions that are remembered are those used last, exactly as many as the capacity', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.record({ session: fc.nat({ max: 14 }), released: fc.boolean() }), {
        maxLength: 200,
      }),
      (capacity, uses) => {
        const { pool } = poolOf(rows('A', 'B'), { affinity: { capacity } })
        let known: string[] = []
        for (const { session, released } of uses) {
          const name = `${session}`
          if (released) {
            expect(pool.releaseSession(name)).toBe(known.includes(name))
            known = known.filter((other) => other !== name)
            continue
          }
          const { reason } = take(pool, { session: name })
          expect(reason).toBe(known.includes(name) ? 'affinity' : 'strategy')
          known = [...known.filter((other) => other !== name), name].slice(-capacity)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('a request is refused until the instant that its refusal stated, and served at it', async () => {
  const failure = fc.record({
    status: fc.constantFrom(401, 402, 429, 500, 503, 529),
    wait: fc.option(fc.integer({ min: 1, max: 5_000_000 }), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(failure, { minLength: 1, maxLength: 6 }), async (failures) => {
      const { pool, clock } = poolOf(failures.map((_, at) => row(`k${at}`)))
      const leases = failures.map((failure) => ({ ...failure, lease: take(pool) }))
      for (const { lease, status, wait } of leases) {
        const headers = wait === undefined ? {} : { 'retry-after-ms': `${wait}` }
        await lease.report({ status, headers })
      }
      const answer = pool.tryAcquire({ provider: PROVIDER })
      const retryAfterMs = answer.ok ? 0 : (answer.retryAfterMs ?? 0)
      expect(retryAfterMs).toBeGreaterThan(0)
      clock.pass(retryAfterMs - 1)
      expect(pool.tryAcquire({ provider: PROVIDER })).toMatchObject({ ok: false, retryAfterMs: 1 })
      clock.pass(1)
      expect(pool.tryAcquire({ provider: PROVIDER }).ok).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('whatever a loader answers, the pool stands', async () => {
  const anything = fc.anything({ withBigInt: true, withDate: true, withSet: true, withMap: true })
  const field = fc.constantFrom('id', 'secret', 'weight', 'models', 'label', 'order', 'priority')
  const broken = fc.tuple(field, anything).map(([name, value]) => ({ ...row('x'), [name]: value }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anything, broken), { maxLength: 8 }), async (answer) => {
      const pool = new KeyPool({ load: () => [row('A'), ...answer] as never })
      const lease = await pool.acquire({ provider: PROVIDER })
      expect(lease.secret.length).toBeGreaterThan(0)
      expect(statusOf(pool, 'A').state).toBe('available')
      pool.dispose()
    }),
    { numRuns: 300 },
  )
})
