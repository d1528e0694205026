import fc from 'fast-check'
import {
  type AcquireRequest,
  type Credential,
  classify,
  classifyStreamEvent,
  KeyPool,
  type KeyPoolOptions,
  type Lease,
  type StrategyName,
} from 'keyrota'
import { expect, test } from 'vitest'
import { DAY, FakeClock } from './support/clock.ts'
import { PROVIDER } from './support/pools.ts'
import { settle } from './support/promises.ts'
import { STRATEGIES } from './support/random-pool.ts'
import { ROWS } from './support/vectors.ts'

// Every failure prints the seed with which it comes again, and the smallest case.

const DIALECTS = [...new Set(ROWS.map(({ provider }) => provider))]
const IDS = ['k0', 'k1', 'k2', 'k3', 'k4']
const SESSIONS = ['s1', 's2', 'y'.repeat(50)]
const MODELS = ['small', 'large']
const RESPONSES = ['r1', 'r2']

const index = fc.nat({ max: 9 })
const id = fc.constantFrom(...IDS)
const orNothing = (values: readonly string[]) => fc.constantFrom(undefined, undefined, ...values)

const request = fc.record({
  session: orNothing(SESSIONS),
  model: orNothing(MODELS),
  continues: fc.constantFrom(undefined, undefined, undefined, undefined, ...RESPONSES),
  tried: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(id, { maxLength: 3 }) },
  ),
})

const passed = fc.oneof(
  fc.constantFrom(1, 250, 999, 1_000, 2_000, 5_000, 30_000, 60_000, 120_000, 900_000, 4_000_000),
  fc.integer({ min: -60_000, max: 300_000 }),
)

const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ do: fc.constant('acquire' as const), request }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      which: index,
      row: fc.nat({ max: ROWS.length - 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('succeed' as const), which: index }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which: index }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('remember' as const),
      which: index,
      response: fc.constantFrom(...RESPONSES),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: passed }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('reset' as const, 'enable' as const, 'recoverQuota' as const),
      id,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('probe' as const),
      id,
      row: fc.option(fc.nat({ max: ROWS.length - 1 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('edit' as const), id, enabled: fc.boolean() }),
  },
)

const row = fc.record({
  priority: fc.constantFrom(0, 0, 0, 1),
  models: fc.constantFrom(undefined, undefined, undefined, ['small'], ['small', 'large']),
  enabled: fc.constantFrom(true, true, true, true, false),
  quotaGroup: fc.constantFrom(undefined, undefined, 'acme', 'other'),
  refreshable: fc.constantFrom(false, false, true),
})

const scenario = fc.record({
  rows: fc.array(row, { minLength: 1, maxLength: IDS.length }),
  strategy: fc.constantFrom<(StrategyName | 'custom')[]>(...STRATEGIES, 'custom'),
  dialect: fc.constantFrom(...DIALECTS),
  exhausted: fc.constantFrom('refuse' as const, 'refuse' as const, 'fail-open' as const),
  refresh: fc.constantFrom('new', 'none', 'rejects'),
  leaseTtlMs: fc.constantFrom(600_000, 1_000 * DAY),
  steps: fc.array(step, { minLength: 20, maxLength: 100 }),
})

function credentialOf(row: Omit<Credential, 'id' | 'secret'>, at: number): Credential {
  return { id: IDS[at] ?? '', secret: `sk-${IDS[at]}`, ...row }
}

/** An outcome as it was really sent, for a lease to be ended with. */
function outcomeOf(at: number): object {
  const { status, headers, body, network } = ROWS[at] as (typeof ROWS)[number]
  if (status !== null) return { status, headers, body }
  return Object.assign(new Error('no answer'), { code: network?.code })
}

const refreshes: Record<string, KeyPoolOptions['refresh']> = {
  new: (known) => `sk-new-${known}`,
  none: () => null,
  rejects: () => Promise.reject(new Error('no')),
}

/** A request is asked for; what the explanation said before must come true. */
function acquire(
  pool: KeyPool,
  asked: AcquireRequest,
  strategy: StrategyName | 'custom',
): Lease | number | null {
  const before = new Map(pool.status(PROVIDER).map((known) => [known.id, known.state]))
  const explanation = pool.explain(asked)
  const reasons = new Map(explanation.candidates.map((known) => [known.id, known.reason]))
  const answer = pool.tryAcquire(asked)
  if (!answer.ok) {
    expect(answer.code).toBe('no_credential_available')
    expect(explanation).toMatchObject({ choice: null, retryAfterMs: answer.retryAfterMs })
    expect([...reasons.values()]).not.toContain('available')
    return answer.retryAfterMs
  }
  const chosen = answer.credential.id
  expect(before.get(chosen)).not.toMatch(/disabled|unresolved|invalid/)
  expect(asked.tried).not.toContain(chosen)
  if (answer.reason === 'fail_open') {
    // Of a strategy of one's own an explanation says who is left to it.
    if (strategy !== 'custom') expect([...reasons.values()]).not.toContain('available')
  } else {
    expect(before.get(chosen)).toMatch(/^(available|probe_pending)$/)
  }
  const isRandom = strategy === 'weighted-random' || (strategy === 'rendezvous' && !asked.session)
  if (strategy !== 'custom' && !isRandom) expect(explanation.choice).toBe(chosen)
  return answer
}

test('whatever providers answer, no disabled key is handed out, and explanations come true', {
  timeout: 100_000,
}, async () => {
  let leases = 0
  let refusals = 0
  await fc.assert(
    fc.asyncProperty(
      scenario,
      async ({ rows, strategy, dialect, exhausted, refresh, leaseTtlMs, steps }) => {
        const clock = new FakeClock()
        let list = rows.map(credentialOf)
        const pool = new KeyPool({
          load: () => list,
          now: clock.now,
          seed: 'fixed',
          strategy: strategy === 'custom' ? (candidates) => candidates.at(-1)?.id ?? '' : strategy,
          dialect,
          exhausted: { policy: exhausted },
          refresh: refreshes[refresh],
          disable: () => false,
          leaseTtlMs,
        })
        await pool.load(PROVIDER)
        const open: Lease[] = []
        const pick = (which: number) => open.splice(which % (open.length || 1), 1)[0]
        const known = (name: string) => list.some((one) => one.id === name)
        for (const one of steps) {
          switch (one.do) {
            case 'acquire': {
              const asked = { provider: PROVIDER, ...one.request }
              const answer = acquire(pool, asked, strategy)
              if (typeof answer === 'object' && answer !== null) {
                leases += 1
                open.push(answer)
              } else if (answer !== null) {
                refusals += 1
                expect(answer).toBeGreaterThan(0)
                const reasons = pool.explain(asked).candidates.map(({ reason }) => reason)
                clock.pass(answer - 1)
                // Nothing changes before the time that was stated, unless a probe ends.
                if (!reasons.includes('probe_pending') && leaseTtlMs > DAY) {
                  expect(pool.tryAcquire(asked)).toMatchObject({ ok: false, retryAfterMs: 1 })
                }
                clock.pass(1)
                const later = acquire(pool, asked, strategy)
                if (typeof later === 'object' && later !== null) open.push(later)
              }
              break
            }
            case 'report':
              await pick(one.which)?.report(outcomeOf(one.row))
              break
            case 'succeed':
              await pick(one.which)?.report({ status: 200 })
              break
            case 'release':
              pick(one.which)?.release()
              break
            case 'remember':
              open.at(one.which % (open.length || 1))?.remember(one.response)
              break
            case 'pass':
              clock.pass(one.ms)
              break
            case 'probe':
              if (known(one.id)) {
                await pool.probe(one.id, () => (one.row === null ? 'fine' : outcomeOf(one.row)))
              }
              break
            case 'edit':
              list = list.map((old) => (old.id === one.id ? { ...old, enabled: one.enabled } : old))
              pool.invalidate(PROVIDER)
              await pool.load(PROVIDER)
              break
            default:
              if (known(one.id)) pool[one.do](one.id)
          }
          await settle()
        }
        pool.dispose()
      },
    ),
    { numRuns: 300 },
  )
  expect(leases).toBeGreaterThan(1_000)
  expect(refusals).toBeGreaterThan(100)
})

test('a pool restored over JSON explains every request as the one it was taken of, now and later', {
  timeout: 100_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ rows, dialect, exhausted, steps }) => {
      const clock = new FakeClock()
      // A refresh under way does not outlive a process.
      const list = rows.map((row, at) => credentialOf({ ...row, refreshable: false }, at))
      const made = () =>
        new KeyPool({
          load: () => list,
          now: clock.now,
          seed: 'fixed',
          dialect,
          exhausted: { policy: exhausted },
          disable: () => false,
        })
      const pool = made()
      await pool.load(PROVIDER)
      const open: Lease[] = []
      const pick = (which: number) => open.splice(which % (open.length || 1), 1)[0]
      for (const one of steps) {
        if (one.do === 'acquire') {
          const answer = pool.tryAcquire({ provider: PROVIDER, ...one.request })
          if (answer.ok) open.push(answer)
        } else if (one.do === 'report') await pick(one.which)?.report(outcomeOf(one.row))
        else if (one.do === 'succeed') await pick(one.which)?.report({ status: 200 })
        else if (one.do === 'pass') clock.pass(one.ms)
        else if (one.do === 'remember') {
          open.at(one.which % (open.length || 1))?.remember(one.response)
        }
      }
      // Nor do leases.
      for (const lease of open) lease.release()
      const copy = made()
      copy.restore(JSON.parse(JSON.stringify(pool.snapshot())))
      await copy.load(PROVIDER)
      for (const ms of [0, 250, 1_000, 58_000, 240_000, 600_000, 4_000_000]) {
        clock.pass(ms)
        expect(copy.status(PROVIDER)).toEqual(pool.status(PROVIDER))
        for (const session of [undefined, ...SESSIONS]) {
          for (const model of [undefined, ...MODELS]) {
            for (const continues of [undefined, ...RESPONSES]) {
              const asked = { provider: PROVIDER, session, model, continues }
              expect(copy.explain(asked)).toEqual(pool.explain(asked))
            }
          }
        }
      }
      copy.dispose()
      pool.dispose()
    }),
    { numRuns: 100 },
  )
})

test('any facts have a verdict, and the same facts the same one', () => {
  const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json())
  const body = fc.oneof(anyText, fc.uint8Array(), fc.anything(), fc.jsonValue())
  const input = fc.record({
    provider: fc.constantFrom(...DIALECTS, 'nobody'),
    status: fc.option(fc.integer({ min: 100, max: 999 })),
    headers: fc.dictionary(fc.constantFrom('retry-after', 'content-type', 'date', 'x'), anyText),
    body: body.filter((value) => !isUnread(value)),
    networkCode: fc.option(anyText),
    model: fc.option(anyText),
    now: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  })
  fc.assert(
    fc.property(input, (facts) => {
      const verdict = classify(facts)
      expect(classify(facts)).toEqual(verdict)
      if (verdict.waitMs !== null) expect(verdict.waitMs).toBeGreaterThan(0)
      if (verdict.class === 'ok') expect(verdict).toMatchObject({ scope: 'none', disable: false })
      const { status: _, body: event, networkCode: __, ...rest } = facts
      if (event !== undefined) classifyStreamEvent({ ...rest, event })
    }),
    { numRuns: 2_000 },
  )
})

/** What `classify` refuses, since it is still to come. */
function isUnread(value: unknown): boolean {
  const { then, getReader, pipe } = (value ?? {}) as Record<string, unknown>
  return [then, getReader, pipe].some((method) => typeof method === 'function')
}
