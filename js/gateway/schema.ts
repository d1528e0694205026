/**
 * The rules of a configuration, as a schema. What the pool checks by itself, such as its waits, is only known
 * here by name.
 * @module
 */

import {
  type BlacklistOptions,
  type CooldownOptions,
  type ErrorRule,
  type ExhaustedOptions,
  Options,
  type ProbeOptions,
  type RollbackOptions,
  Secrets,
  type StrategyName,
} from 'keyrota'
import { z } from 'zod'
import type { GatewayConfig } from './config.js'
import { PROTOCOLS } from './protocols.js'

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647
const STRATEGIES: readonly [StrategyName, ...StrategyName[]] = [
  ...(['smooth', 'weighted-round-robin', 'weighted-random', 'least-busy'] as const),
  ...(['fill-first', 'rendezvous'] as const),
]

/** One rule for a value, and the words for what breaks it. */
function rule<T>(holds: (value: unknown) => boolean, error: string): z.ZodType<T> {
  return z.custom<T>(holds, { error })
}

function whole(least: number, most: number): z.ZodType<number> {
  return rule(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    `must be a whole number from ${least} to ${most}`,
  )
}

function oneOf<const T extends string>(names: readonly T[]): z.ZodType<T> {
  return z.custom<T>((value) => names.includes(value as T), {
    error: ({ input }) => {
      const near = typeof input === 'string' ? Options.nearest(input, names) : undefined
      const hint = near === undefined ? '' : ` (did you mean '${near}'?)`
      return `must be one of '${names.join("', '")}'${hint}`
    },
  })
}

const text = rule<string>(
  (value) => typeof value === 'string' && value !== '',
  'must be a text that is not empty',
)
const flag = rule<boolean>((value) => typeof value === 'boolean', 'must be true or false')
const delay = whole(1, LONGEST_TIMER_MS)
const maxConcurrent = whole(1, 1_000_000)
const priority = whole(-1_000_000, 1_000_000)

const weight = z.custom<number>(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100,
  {
    error: ({ input }) =>
      input === 0
        ? 'must be a whole number from 1 to 100; to take it out, set enabled to false'
        : 'must be a whole number from 1 to 100',
  },
)

/** What the pool checks: here it needs only be an object. */
function ofThePool<T>(): z.ZodType<T> {
  return rule<T>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
}

function list<T extends z.ZodType>(item: T) {
  return z.array(item, { error: 'must be a list' }).readonly()
}

function object<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'invalid_type' ? 'must be an object' : undefined),
  })
}

const protocols = list(oneOf(PROTOCOLS))

const secret = z.custom<string>((value) => !('rule' in Secrets.cleaned(value)), {
  error: ({ input }) => {
    const cleaned = Secrets.cleaned(input)
    return 'rule' in cleaned ? cleaned.rule : undefined
  },
})

const credential = object({
  id: text,
  secret,
  label: text.nullish(),
  enabled: flag.optional(),
  weight: weight.optional(),
  order: priority.optional(),
  priority: priority.optional(),
  models: list(text).nullish(),
  quotaGroup: text.nullish(),
  maxConcurrent: maxConcurrent.nullish(),
  kind: oneOf(['api-key', 'subscription']).optional(),
  authorized: flag.optional(),
  refreshable: flag.optional(),
  secretVersion: text.nullish(),
})

const accessKey = object({
  id: text,
  sha256: rule<string>(
    (value) => typeof value === 'string' && /^[\da-f]{64}$/i.test(value),
    'must be the SHA-256 of the key: 64 hexadecimal digits',
  ),
  enabled: flag.optional(),
  expiresAt: rule<string | number>(
    (value) => !Number.isNaN(momentOf(value)),
    'must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z, or milliseconds since the epoch',
  ).optional(),
  protocols: protocols.nullish(),
  groups: list(text).nullish(),
  models: list(text).nullish(),
})

const ofPolicies = {
  rules: rule<readonly ErrorRule[]>(Array.isArray, 'must be a list').optional(),
  cooldown: ofThePool<CooldownOptions>().optional(),
  probe: ofThePool<ProbeOptions>().optional(),
  rollback: ofThePool<RollbackOptions>().optional(),
  blacklist: ofThePool<BlacklistOptions>().nullish(),
  exhausted: ofThePool<ExhaustedOptions>().optional(),
}

const group = object({
  id: text,
  baseUrl: rule<string>(
    isBaseUrl,
    'must be an address with http: or https:, without user, password and fragment',
  ),
  validatePath: rule<string>(
    (value) => typeof value === 'string' && /^\/[^?#\s]+$/.test(value),
    'must be a path that begins with a slash, without query and fragment',
  ).nullish(),
  enabled: flag.optional(),
  priority: priority.optional(),
  weight: weight.optional(),
  protocols: protocols.refine((value) => value.length > 0, { error: 'must name one at least' }),
  models: list(
    z.union([text, object({ name: text, upstream: text })], {
      error: 'must be a name, or { name, upstream }',
    }),
  ).nullish(),
  maxConcurrent: maxConcurrent.nullish(),
  dialect: text.optional(),
  credentials: list(credential),
  ...ofPolicies,
})

/** The schema. */
const gateway = object({
  accessKeys: list(accessKey),
  groups: list(group),
  strategy: oneOf(STRATEGIES).optional(),
  continuations: oneOf(['any', 'own']).optional(),
  affinity: ofThePool<NonNullable<GatewayConfig['affinity']>>().optional(),
  retry: object({
    maxAttempts: whole(1, 100).optional(),
    emptyResponses: flag.optional(),
    unanswered: flag.optional(),
    budget: object({
      share: rule<number>(
        (value) => typeof value === 'number' && value >= 0 && value <= 10,
        'must be a number from 0 to 10',
      ).optional(),
      reserve: whole(0, 1_000_000).optional(),
    }).optional(),
  }).optional(),
  timeouts: object({
    bodyMs: delay.optional(),
    firstByteMs: delay.optional(),
    totalMs: delay.optional(),
    idleMs: delay.optional(),
  }).optional(),
  limits: object({ bodyBytes: whole(1, 2_147_483_647).optional() }).optional(),
  ...ofPolicies,
})

/** What is wrong with a configuration, as zod tells it. */
export type SchemaIssue = z.core.$ZodIssue

/** The issues of a value; none, when it keeps the schema. */
export function issuesOf(config: unknown): readonly SchemaIssue[] {
  return gateway.safeParse(config).error?.issues ?? []
}

/** The names that an object at that place may have. */
export function namesAt(path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType | undefined = gateway
  for (const step of path) {
    const def = bare(at)?._zod.def as
      | { element?: z.core.$ZodType; shape?: z.ZodRawShape }
      | undefined
    at = typeof step === 'number' ? def?.element : def?.shape?.[String(step)]
  }
  const { shape = {} } = (bare(at)?._zod.def ?? {}) as { shape?: z.ZodRawShape }
  return Object.keys(shape)
}

/** A schema without what makes it optional, or read only. */
function bare(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const { innerType } = (schema?._zod.def ?? {}) as { innerType?: z.core.$ZodType }
  return innerType === undefined ? schema : bare(innerType)
}

/** The moment that an `expiresAt` names; NaN when it names none. */
export function momentOf(value: unknown): number {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value > 0 ? value : Number.NaN
  const isDate =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(value)
  if (!isDate) return Number.NaN
  // Without a zone it would be the local time of whoever reads it.
  return Date.parse(
    /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) || !value.includes('T') ? value : `${value}Z`,
  )
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, username, password, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === ''
}

/** Whether one type has the fields of the other, at every depth. */
type Fields<T> = T extends string | number | boolean | null | undefined
  ? unknown
  : T extends readonly (infer Item)[]
    ? Fields<Item>[]
    : { [Name in keyof T]-?: Fields<NonNullable<T[Name]>> }
type Same<A, B> = [Fields<A>] extends [Fields<B>]
  ? [Fields<B>] extends [Fields<A>]
    ? true
    : never
  : never

/** The types that users write and the schema are one: what is missing in either is an error here. */
const _areOne: Same<z.output<typeof gateway>, GatewayConfig> = true
void _areOne
