/**
 * The check of options: each wrong one is named with its path and its rule.
 * @module
 */

import { invalidOption, KeyrotaError } from './errors.js'
import type { KeyPoolEvent } from './events.js'
import type { KeyPoolOptions } from './option-types.js'
import type { ErrorEffect, VerdictClass, VerdictScope } from './types.js'

/** Throws when the value breaks the rule. An absent value breaks none. */
export type Check = (path: string, value: unknown) => void

/** Every strategy that the core has. */
export const STRATEGIES = [
  'weighted-round-robin',
  'smooth',
  'weighted-random',
  'least-busy',
  'fill-first',
  'rendezvous',
] as const

const callback: Check = (path, value) => {
  if (typeof value !== 'function') throw invalidOption(path, value, 'must be a function')
}

/** A hundred years: beyond it, the end of a wait could not be written as an exact number. */
const LONGEST_MS = 3_155_760_000_000

export function whole(least: number, most: number = LONGEST_MS): Check {
  return (path, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
      throw invalidOption(path, value, `must be a whole number from ${least} to ${most}`)
    }
  }
}

function number(least: number, most: number): Check {
  return (path, value) => {
    if (!(typeof value === 'number' && value >= least && value <= most)) {
      throw invalidOption(path, value, `must be a number from ${least} to ${most}`)
    }
  }
}

export function oneOf(names: readonly string[]): Check {
  return (path, value) => {
    if (names.includes(value as string)) return
    const near = typeof value === 'string' ? nearest(value, names) : undefined
    const hint = near === undefined ? '' : ` (did you mean '${near}'?)`
    throw invalidOption(path, value, `must be one of '${names.join("', '")}'${hint}`)
  }
}

/** The same, and `null` is as if it were absent. */
export function orNull(check: Check): Check {
  return (path, value) => {
    if (value !== null) check(path, value)
  }
}

/** An object with these fields and no others. */
export function fields(checks: Readonly<Record<string, Check>>): Check {
  return (path, value) => {
    if (!isObject(value)) throw invalidOption(path || 'options', value, 'must be an object')
    for (const [name, field] of Object.entries(value)) {
      const place = path === '' ? name : `${path}.${name}`
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (check === undefined) throw unknownOption(place, name, Object.keys(checks))
      if (field !== undefined) check(place, field)
    }
  }
}

/** An object whose keys the user chooses. */
function record(check: Check): Check {
  return (path, value) => {
    if (!isObject(value)) throw invalidOption(path, value, 'must be an object')
    for (const [name, entry] of Object.entries(value)) check(`${path}.${name}`, entry)
  }
}

export function list(check: Check): Check {
  return (path, value) => {
    if (!Array.isArray(value)) throw invalidOption(path, value, 'must be a list')
    value.forEach((item, at) => {
      check(`${path}[${at}]`, item)
    })
  }
}

const anything: Check = () => {}

/** The fields of a credential. Their values are checked by the core, as those of rows are. */
const CREDENTIAL = fields({
  id: anything,
  secret: anything,
  label: anything,
  enabled: anything,
  weight: anything,
  order: anything,
  priority: anything,
  models: anything,
  quotaGroup: anything,
  refreshable: anything,
  secretVersion: anything,
  maxConcurrent: anything,
  kind: anything,
  authorized: anything,
})

const inlineCredential: Check = (path, value) => {
  if (typeof value === 'string') return
  if (value !== undefined) return CREDENTIAL(path, value)
  const rule = 'must be a secret or an object (is the environment variable set?)'
  throw invalidOption(path, value, rule)
}

const LADDER = {
  baseMs: whole(0),
  multiplier: number(1, 1_000),
  capMs: whole(0),
  forgetAfterMs: whole(0),
}

const COOLDOWN: Check = fields({
  ...LADDER,
  overload: fields(LADDER),
  denied: fields(LADDER),
  pause: fields(LADDER),
  jitter: number(0, 1),
  aloneMs: whole(0),
})

/** Every class of verdicts; its type keeps the list complete. */
const CLASSES: Readonly<Record<VerdictClass, true>> = {
  ok: true,
  rate_limited: true,
  overloaded: true,
  quota_exhausted: true,
  auth_failed: true,
  model_denied: true,
  client_error: true,
  over_key_limit: true,
  server_error: true,
  egress_blocked: true,
  unknown_outcome: true,
  client_aborted: true,
}

const SCOPES: Readonly<Record<VerdictScope, true>> = {
  none: true,
  request: true,
  credential: true,
  model: true,
  account: true,
  provider: true,
  egress: true,
}

export const flag: Check = (path, value) => {
  if (typeof value !== 'boolean') throw invalidOption(path, value, 'must be true or false')
}

export const text: Check = (path, value) => {
  if (typeof value !== 'string' || value === '') {
    throw invalidOption(path, value, 'must be a text that is not empty')
  }
}

const aClass = oneOf(Object.keys(CLASSES))

const EFFECT = fields({
  class: aClass,
  scope: oneOf(Object.keys(SCOPES)),
  waitMs: whole(1, 400 * 86_400_000),
  disable: flag,
  retryOther: flag,
})

const effect: Check = (path, value) => {
  if (typeof value === 'string') return aClass(path, value)
  EFFECT(path, value)
  aClass(`${path}.class`, (value as Partial<ErrorEffect>).class)
}

const CONDITIONS = { status: whole(100, 999), code: text, bodyIncludes: text, provider: text }
const RULE = fields({ ...CONDITIONS, effect })

const rule: Check = (path, value) => {
  RULE(path, value)
  const given = value as Record<string, unknown>
  if (Object.keys(CONDITIONS).every((name) => given[name] === undefined)) {
    const needed = 'must be given, or code, bodyIncludes or provider'
    throw invalidOption(`${path}.status`, undefined, needed)
  }
  effect(`${path}.effect`, given['effect'])
}

/** As many as the core takes for one provider. */
const MOST_RULES = 100

/** How errors of a user's own are read. */
export const RULES: Check = (path, value) => {
  list(rule)(path, value)
  if ((value as unknown[]).length > MOST_RULES) {
    throw invalidOption(path, value, `must have at most ${MOST_RULES} rules`)
  }
}

const strategy: Check = (path, value) => {
  if (typeof value !== 'function') oneOf(STRATEGIES)(path, value)
}

const seed: Check = (path, value) => {
  if (typeof value !== 'string' && !Number.isFinite(value)) {
    throw invalidOption(path, value, 'must be a text or a finite number')
  }
}

const PROVIDER = {
  policy: oneOf(['adaptive', 'classic']),
  strategy,
  cooldown: COOLDOWN,
  dialect: text,
  rules: RULES,
  exhausted: fields({ policy: oneOf(['refuse', 'wait', 'fail-open']), maxWaitMs: whole(0) }),
  probe: fields({ ttlMs: whole(0), everyMs: whole(1), longerThanMs: whole(0) }),
  rollback: fields({ credentials: whole(1, 1_000), requests: whole(1, 1_000), withinMs: whole(0) }),
  maxConcurrent: orNull(whole(1, 1_000_000)),
  blacklist: orNull(fields({ threshold: whole(1, 1_000), validateEveryMs: whole(1) })),
}

/** What a pool and a router have in common. */
const SHARED = {
  refresh: callback,
  validate: callback,
  now: callback,
  resolveSecret: callback,
  seed,
  leaseTtlMs: whole(1),
}

const POOL = fields({
  ...PROVIDER,
  ...SHARED,
  load: callback,
  credentials: record(list(inlineCredential)),
  disable: callback,
  fallbackSecret: callback,
  affinity: fields({ capacity: whole(0, 10_000_000), ttlMs: whole(1), homeMs: whole(0) }),
  providers: record(fields(PROVIDER)),
})

const { policy: _, strategy: __, dialect, ...OF_ROUTER } = PROVIDER

/** What a router, and a group of one, have in common with a pool and a provider. */
export const ROUTER: {
  readonly pool: Readonly<Record<string, Check>>
  readonly group: Readonly<Record<string, Check>>
  readonly credential: Check
  readonly request: Readonly<Record<string, Check>>
} = {
  pool: { ...OF_ROUTER, ...SHARED },
  group: { ...OF_ROUTER, dialect },
  credential: CREDENTIAL,
  request: {
    accessKey: text,
    protocol: text,
    model: anything,
    session: anything,
    continues: anything,
  },
}

/** Checks the options of a pool. */
export function checkOptions(options: unknown): void {
  if (!isObject(options)) throw invalidOption('options', options, 'must be an object')
  POOL('', options)
  if (options['load'] === undefined && options['credentials'] === undefined) {
    const rule = "must be given, or 'credentials'"
    throw new KeyrotaError('invalid_option', `load ${rule}`, { path: 'load', rule })
  }
  const { rules = [], providers = {} } = options as unknown as KeyPoolOptions
  for (const [name, own] of Object.entries(providers)) {
    const count = rules.length + (own.rules?.length ?? 0)
    if (count > MOST_RULES) {
      const rule = `must have at most ${MOST_RULES} rules with those of the pool`
      throw invalidOption(`providers.${name}.rules`, own.rules, rule)
    }
  }
}

/** Every event; its type keeps the list complete. */
const EVENTS: Readonly<Record<KeyPoolEvent, true>> = {
  acquired: true,
  cooldown: true,
  paused: true,
  recovered: true,
  disabled: true,
  disable_failed: true,
  blacklisted: true,
  enabled: true,
  refreshed: true,
  refresh_failed: true,
  rebound: true,
  lease_expired: true,
  invalid_credential: true,
  secret_unresolved: true,
}

/** Checks what `on` takes: a misspelt event would never happen. */
export function checkListener(event: unknown, listener: unknown): void {
  oneOf(Object.keys(EVENTS))('event', event)
  callback('listener', listener)
}

const signal: Check = (path, value) => {
  if (typeof (value as Partial<AbortSignal> | null)?.addEventListener !== 'function') {
    throw invalidOption(path, value, 'must be an AbortSignal')
  }
}

const REQUEST = {
  provider: anything,
  session: anything,
  model: anything,
  tried: anything,
  continues: anything,
}
const WAITING = { maxWaitMs: anything, signal }
const RUN = {
  ...WAITING,
  idempotent: anything,
  maxAttempts: anything,
  retry: callback,
  retryEmptyResponses: flag,
}
const checkRequest = fields(REQUEST)
const checkAcquire = fields({ ...REQUEST, ...WAITING })
const checkRun = fields({ ...REQUEST, ...RUN })
const checkInspect = fields(ROUTER.request)
const checkRoute = fields({ ...ROUTER.request, ...RUN })

/** Checks what a call takes for fields that it does not have: a misspelt session would be none. */
export const calls = {
  explain: (request: unknown): void => checkRequest('', request ?? null),
  acquire: (options: unknown): void => checkAcquire('', options ?? null),
  probe: (send: unknown): void => callback('send', send),
  run: (options: unknown, attempt: unknown): void => {
    checkRun('', options ?? null)
    callback('attempt', attempt)
  },
  inspect: (request: unknown): void => checkInspect('', request ?? null),
  route: (options: unknown, attempt: unknown): void => {
    checkRoute('', options ?? null)
    callback('attempt', attempt)
  },
}

/** The checks that sub-entries use. @internal */
export const Options: {
  readonly fields: typeof fields
  readonly anyCallback: Check
  readonly nonEmptyText: Check
  readonly wholeFrom: (least: number) => Check
  readonly numberFrom: (least: number, most: number) => Check
  readonly yesOrNo: Check
  readonly nearest: typeof nearest
} = {
  fields,
  anyCallback: callback,
  nonEmptyText: text,
  wholeFrom: (least) => whole(least),
  numberFrom: number,
  yesOrNo: flag,
  nearest,
}

/** Checks a number of milliseconds that a call takes; absent means `fallback`. */
export function milliseconds(path: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value === 'number' && value >= 0) return value
  throw invalidOption(path, value, 'must be a number of milliseconds that is not negative')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknownOption(path: string, name: string, known: readonly string[]): KeyrotaError {
  const near = nearest(name, known)
  const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean '${near}'?`
  const facts = near === undefined ? { path } : { path, nearest: near }
  return new KeyrotaError('unknown_option', `there is no option ${path}; ${hint}`, facts)
}

/** The known name that the fewest edits lead to, if it is near at all. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  // A part of a name, such as `round-robin`, is nearer than its length says.
  const edits = (candidate: string) =>
    wanted.length > 2 && candidate.includes(wanted) ? 1 : editDistance(wanted, candidate)
  const byDistance = known
    .map((candidate) => ({ candidate, edits: edits(candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const best = byDistance[0]
  return best !== undefined && best.edits <= Math.max(2, name.length / 2)
    ? best.candidate
    : undefined
}

/** Insertions, deletions and replacements from one text to the other (Levenshtein, 1966). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
