// Compiled by `npm run typecheck`, never run: what users may write, and what they may not.

import {
  type AcquireOptions,
  type ChoiceReason,
  type ClassifyInput,
  type Credential,
  classify,
  classifyStreamEvent,
  EmptyAnswer,
  type ErrorData,
  type ErrorRule,
  type Explanation,
  type InlineCredential,
  isKeyrotaError,
  KeyPool,
  type KeyPoolEvents,
  type KeyPoolOptions,
  KeyrotaError,
  type Lease,
  type Refusal,
  type RunOptions,
  type Snapshot,
  type StatusRow,
  type StrategyFunction,
  type Verdict,
} from 'keyrota'
import { type ApiKeyEntry, ApiKeyPoolService, type ApiKeyPoolServiceOptions } from 'keyrota/service'
import { initSync, KeyPool as SlimPool } from 'keyrota/slim'

/** Fails to compile unless both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <A, B>(_: Same<A, B>): void => {}

export async function pools(pool: KeyPool, controller: AbortController): Promise<void> {
  await using lease = await pool.acquire({
    provider: 'openai',
    session: 'chat',
    model: 'gpt-5',
    tried: ['a'],
    signal: controller.signal,
    maxWaitMs: 1_000,
    continues: 'resp_1',
  })
  same<typeof lease, Lease>(true)
  lease.remember('resp_2')
  // @ts-expect-error the id of a response is a text
  lease.remember(undefined)
  same<typeof lease.secret, string>(true)
  same<typeof lease.reason, ChoiceReason>(true)
  same<typeof lease.credential.label, string | null>(true)
  same<ReturnType<typeof lease.report>, Promise<Verdict>>(true)
  await lease.report(new Response())
  // @ts-expect-error what a lease shows cannot be changed
  lease.credential.id = 'other'

  using other = await pool.acquire({ provider: 'openai' })
  other.release()

  const said = await pool.run({ provider: 'openai', retryEmptyResponses: true }, () =>
    Math.random() < 0.5 ? 'text' : new EmptyAnswer('nothing'),
  )
  same<typeof said, string>(true)
  // @ts-expect-error it is wanted or not
  await pool.run({ provider: 'openai', retryEmptyResponses: 'yes' }, () => 1)

  const answer = pool.tryAcquire({ provider: 'openai' })
  same<typeof answer, Lease | Refusal>(true)
  if (answer.ok) answer.release()
  else {
    same<typeof answer.retryAfterMs, number | null>(true)
    same<typeof answer.atCapacity, boolean>(true)
    same<(typeof answer.explanation.candidates)[number]['by'], 'hand' | 'verdict' | null>(true)
    same<typeof answer.explanation, Explanation>(true)
    // @ts-expect-error a refusal has no secret
    answer.secret
  }

  const text = await pool.run({ provider: 'openai', idempotent: true }, async (one, attempt) => {
    same<typeof attempt, number>(true)
    return one.secret
  })
  same<typeof text, string>(true)
  same<ReturnType<typeof pool.status>, StatusRow[]>(true)
  pool.restore(JSON.parse(JSON.stringify(pool.snapshot())) as Snapshot)

  const verdict = await pool.probe('a', ({ secret }) => fetch(secret))
  same<typeof verdict, Verdict>(true)
  // @ts-expect-error a probe needs what sends it
  await pool.probe('a')
  pool.recoverQuota('a')
  same<ReturnType<typeof pool.recover>, void>(true)

  // @ts-expect-error a provider is needed
  await pool.acquire({})
  // @ts-expect-error the option is maxWaitMs
  await pool.acquire({ provider: 'openai', maxWait: 5 })
  pool.restore(JSON.parse('{}'))
}

export function events(pool: KeyPool): void {
  const remove = pool.on('cooldown', ({ credential, until, level, stated }) => {
    same<typeof credential, string>(true)
    same<typeof until, number>(true)
    same<typeof level, number>(true)
    same<typeof stated, boolean>(true)
  })
  remove()
  pool.on('paused', ({ scope, model, evidence, waitFrom }) => {
    same<typeof scope, Verdict['scope']>(true)
    same<typeof model, string | null>(true)
    same<typeof evidence, Verdict['evidence'] | null>(true)
    same<typeof waitFrom, string | null>(true)
  })
  pool.on('refresh_failed', ({ message }) => same<typeof message, string>(true))
  pool.on('blacklisted', ({ class: kind }) => same<typeof kind, Verdict['class']>(true))
  // @ts-expect-error a refresh tells no secret
  pool.on('refreshed', ({ secret }) => secret)
  pool.on('secret_unresolved', ({ variable }) => same<typeof variable, string | null>(true))
  // @ts-expect-error there is no such event
  pool.on('cooled', () => {})
  // @ts-expect-error an acquisition has no end
  pool.on('acquired', ({ until }) => until)
  const heard: KeyPoolEvents['rebound'] = { provider: 'p', credential: 'b', from: 'a' }
  // @ts-expect-error what is told cannot be changed
  heard.from = 'c'
}

export function options(): KeyPool[] {
  const strategy: StrategyFunction = (candidates) => candidates[0]?.id ?? ''
  const inline: InlineCredential[] = [
    'sk',
    { secret: '$NAME', weight: 2 },
    { id: 'a', secret: 'b' },
  ]
  const all: KeyPoolOptions = {
    load: async (provider) => [{ id: provider, secret: 'sk' }],
    credentials: { openai: inline },
    disable: (id, why) => `${id} ${why.provider} ${why.class}` !== '',
    fallbackSecret: () => null,
    now: Date.now,
    resolveSecret: async (secret) => secret,
    policy: 'classic',
    strategy,
    cooldown: {
      baseMs: 1,
      multiplier: 2,
      capMs: 3,
      forgetAfterMs: 4,
      overload: { baseMs: 1 },
      denied: { baseMs: 1 },
      pause: { baseMs: 1 },
      jitter: 0,
      aloneMs: 1,
    },
    refresh: async (id) => id,
    dialect: 'openai',
    rules: [{ status: 418, effect: 'overloaded' }],
    exhausted: { policy: 'wait', maxWaitMs: 1 },
    probe: { ttlMs: 1, everyMs: 1, longerThanMs: 1 },
    rollback: { credentials: 3, requests: 2, withinMs: 1 },
    affinity: { capacity: 1, ttlMs: 2, homeMs: 3 },
    seed: 'text',
    leaseTtlMs: 1,
    maxConcurrent: 5,
    blacklist: { threshold: 1, validateEveryMs: 1 },
    validate: ({ secret, credential, provider }) => fetch(secret + credential.id + provider),
    providers: {
      other: { maxConcurrent: null, blacklist: null },
      openai: { strategy: 'smooth', policy: 'adaptive', cooldown: {} },
    },
  }
  const row: Credential = {
    id: 'a',
    secret: 'b',
    label: null,
    models: ['m'],
    secretVersion: '1',
    quotaGroup: 'acme',
    refreshable: true,
    maxConcurrent: 5,
    kind: 'subscription',
    authorized: true,
  }
  // @ts-expect-error sessions are of the pool, not of a provider
  const perProvider: KeyPoolOptions = { load: () => [], providers: { p: { affinity: {} } } }
  const listed: KeyPoolOptions = { load: () => [row] as const }
  // @ts-expect-error no such strategy
  const wrong: KeyPoolOptions = { load: () => [], strategy: 'round-robin' }
  // @ts-expect-error the id is needed in a row
  const noId: KeyPoolOptions = { load: () => [{ secret: 'sk' }] }
  // @ts-expect-error a weight is a number
  const noWeight: Credential = { id: 'a', secret: 'b', weight: '2' }
  const request: AcquireOptions = { provider: 'p', session: undefined, model: undefined }
  const run: RunOptions = { ...request, maxAttempts: undefined, idempotent: undefined }
  // @ts-expect-error there is no such kind
  const noKind: Credential = { id: 'a', secret: 'b', kind: 'account' }
  void [noKind, wrong, noId, noWeight, run, perProvider]
  return [new KeyPool(all), new KeyPool(listed)]
}

export function judging(response: Response): Verdict[] {
  const rules: ErrorRule[] = [
    { code: 'out_of_coffee', effect: 'overloaded' },
    { bodyIncludes: 'x', effect: { class: 'auth_failed', scope: 'account', disable: true } },
  ]
  const input: ClassifyInput = { provider: 'openai', status: response.status, rules }
  // @ts-expect-error no such class
  const wrong: ErrorRule = { status: 418, effect: 'teapot' }
  // @ts-expect-error no such phase
  const late: ClassifyInput = { provider: 'openai', phase: 'late' }
  // @ts-expect-error a stream event has the status of its stream
  classifyStreamEvent({ provider: 'openai', event: '{}', status: 200 })
  // @ts-expect-error the event is needed
  classifyStreamEvent({ provider: 'openai' })
  void [wrong, late]
  const { waitMs } = classify({ ...input, headers: response.headers, now: new Date() })
  same<typeof waitMs, number | null>(true)
  return [classify(input), classifyStreamEvent({ provider: 'openai', event: '{}' })]
}

export function errors(error: unknown): string | null {
  if (isKeyrotaError(error, 'no_credential_available')) {
    same<typeof error, ErrorData>(true)
    return `${error.code} ${error.retryAfterMs}`
  }
  // @ts-expect-error there is no such code
  isKeyrotaError(error, 'no_key')
  return error instanceof KeyrotaError ? JSON.stringify(error.toJSON()) : null
}

export async function service(): Promise<void> {
  const rows: ApiKeyEntry[] = [
    { id: 'a', providerId: 'openai', label: null, apiKey: '$KEY', enabled: true, weight: 1 },
    { id: 'b', providerId: 'openai', apiKey: 'sk', enabled: true, weight: 1 },
  ]
  const needed: ApiKeyPoolServiceOptions = { loadKeys: async () => rows, disableKey: () => true }
  const keys = new ApiKeyPoolService({ ...needed, log: console.log, now: () => 0 })
  same<ReturnType<typeof keys.getKey>, Promise<string>>(true)
  same<ReturnType<typeof keys.getKeyForSession>, Promise<string>>(true)
  same<ReturnType<typeof keys.reportError>, Promise<string | null>>(true)
  same<ReturnType<typeof keys.reportSuccess>, void>(true)
  keys.releaseSession('s')
  keys.invalidateCache()
  keys.cleanupExpiredCooldowns()
  keys.dispose()
  // @ts-expect-error the loader is needed
  new ApiKeyPoolService({ disableKey: () => true })
}

export function slim(bytes: Uint8Array): KeyPool {
  initSync(bytes)
  // One class, whichever entry it comes from.
  const pool: KeyPool = new SlimPool({ load: () => [] })
  return pool
}

// @ts-expect-error the engine is no part of the public types
export type { Engine } from 'keyrota'
