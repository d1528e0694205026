import {
  type AcquireRequest,
  type Credential,
  type InlineCredential,
  KeyPool,
  type KeyPoolEvent,
  type KeyPoolOptions,
  type Lease,
  type Refusal,
  type StatusRow,
  type Verdict,
} from 'keyrota'
import { FakeClock } from './clock.ts'

/** The provider of tests that need only one. */
export const PROVIDER = 'openai'

type Request = Partial<AcquireRequest>

/** A row of a loader. */
export function row(id: string, more: Partial<Credential> = {}): Credential {
  return { id, secret: `sk-${id}`, ...more }
}

/** Rows of these ids, each of weight 1. */
export function rows(...ids: string[]): Credential[] {
  return ids.map((id) => row(id))
}

/** A pool over rows that stand in its options, with a clock that stands still. */
export function poolOf(
  credentials: readonly InlineCredential[],
  options: Partial<KeyPoolOptions> = {},
): { pool: KeyPool; clock: FakeClock } {
  const clock = new FakeClock()
  const given = { credentials: { [PROVIDER]: credentials }, now: clock.now }
  return { pool: new KeyPool({ ...given, ...options }), clock }
}

/** A lease that must be granted at once. */
export function take(pool: KeyPool, request: Request = {}): Lease {
  const answer = pool.tryAcquire({ provider: PROVIDER, ...request })
  if (answer.ok) return answer
  throw answer.toError()
}

/** The refusal of a request that must not be granted. */
export function refused(pool: KeyPool, request: Request = {}): Refusal {
  const answer = pool.tryAcquire({ provider: PROVIDER, ...request })
  if (!answer.ok) return answer
  throw new Error(`granted: ${answer.credential.id}`)
}

/** The ids that so many requests get, one after the other, each released at once. */
export function order(pool: KeyPool, picks: number, request: Request = {}): string {
  const ids: string[] = []
  for (let pick = 0; pick < picks; pick++) {
    const lease = take(pool, request)
    ids.push(lease.credential.id)
    lease.release()
  }
  return ids.join(' ')
}

/** An attempt on that very credential that ends with this status. */
export async function attempt(
  pool: KeyPool,
  id: string,
  status: number,
  headers: Record<string, string> = {},
): Promise<Verdict> {
  return leaseOf(pool, id).report({ status, headers })
}

/** A lease of that very credential. */
export function leaseOf(pool: KeyPool, id: string, provider: string = PROVIDER): Lease {
  const tried = pool.status(provider).map((known) => known.id)
  return take(pool, { provider, tried: tried.filter((other) => other !== id) })
}

/** What is known of one credential. */
export function statusOf(pool: KeyPool, id: string, provider: string = PROVIDER): StatusRow {
  const known = pool.status(provider).find((candidate) => candidate.id === id)
  if (known === undefined) throw new Error(`no credential ${id}`)
  return known
}

/** The reason of each candidate, by its id. */
export function reasons(pool: KeyPool, request: Request = {}): Record<string, string> {
  const { candidates } = pool.explain({ provider: PROVIDER, ...request })
  return Object.fromEntries(candidates.map(({ id, reason }) => [id, reason]))
}

/** Writes down the events of these names as they happen. */
export function listen(
  pool: KeyPool,
  ...names: KeyPoolEvent[]
): ({ type: KeyPoolEvent } & Record<string, unknown>)[] {
  const heard: ({ type: KeyPoolEvent } & Record<string, unknown>)[] = []
  for (const type of names) pool.on(type, (event) => heard.push({ type, ...event }))
  return heard
}
