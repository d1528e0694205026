/**
 * A configuration, made ready to serve.
 * @module
 */

import type { Protocol, RouterOptions } from 'keyrota'
import { AccessTable } from './access.js'
import { nameOf } from './check.js'
import type { AccessKeyConfig, GatewayConfig, GroupConfig, TimeoutConfig } from './config.js'
import { momentOf } from './schema.js'

/** What requests are served by. Each keeps the one that it began with, for what must not change within it. */
export interface State {
  /** How many there are: for whoever asks whether the gateway lives, without names. */
  readonly counts: { readonly groups: number; readonly credentials: number }
  readonly access: AccessTable
  readonly groups: ReadonlyMap<string, GroupConfig>
  readonly timeouts: Required<{ readonly [Name in keyof TimeoutConfig]: number }>
  readonly bodyBytes: number
  readonly retry: {
    readonly maxAttempts: number | undefined
    readonly emptyResponses: boolean
    readonly unanswered: boolean | undefined
    readonly share: number
    readonly reserve: number
  }
  readonly maxWaitMs: number | undefined
  /** Whether an access key may continue only what it made. */
  readonly ownOnly: boolean
}

/** Makes a checked configuration ready. */
export function stateOf(config: GatewayConfig): State {
  const { accessKeys, groups, retry = {}, timeouts = {}, limits, exhausted } = config
  const { maxAttempts, emptyResponses = false, unanswered, budget = {} } = retry
  const { share = 0.2, reserve = 10 } = budget
  const { bodyMs = 30_000, firstByteMs = 120_000, idleMs = 120_000 } = timeouts
  // An attempt that may take longer than usual is not to be cut short by what is usual.
  const { totalMs = Math.max(300_000, firstByteMs) } = timeouts
  const credentials = groups.reduce((total, group) => total + group.credentials.length, 0)
  return {
    counts: { groups: groups.length, credentials },
    access: new AccessTable(accessKeys),
    groups: new Map(groups.map((group) => [group.id, group])),
    timeouts: { bodyMs, firstByteMs, totalMs, idleMs },
    bodyBytes: limits?.bodyBytes ?? 33_554_432,
    retry: { maxAttempts, emptyResponses, unanswered, share, reserve },
    maxWaitMs: exhausted?.maxWaitMs,
    ownOnly: config.continuations === 'own',
  }
}

/** What of a configuration the router decides by. */
export function routesOf(
  config: GatewayConfig,
): Omit<RouterOptions, 'now' | 'resolveSecret' | 'validate'> {
  const {
    retry: _,
    timeouts: __,
    limits: ___,
    accessKeys,
    groups,
    blacklist = {},
    ...rest
  } = config
  return {
    ...rest,
    blacklist,
    accessKeys: accessKeys.map(({ sha256: _, expiresAt, ...key }) => {
      return expiresAt === undefined ? key : { ...key, expiresAt: momentOf(expiresAt) }
    }),
    groups: groups.map(({ baseUrl: _, validatePath: __, ...group }) => group),
  }
}

/** Why the access key may not be used at all; `undefined` when it may. */
export function whyNot({ enabled, expiresAt }: AccessKeyConfig, now: number): string | undefined {
  if (enabled === false) return 'access_key_disabled'
  if (expiresAt !== undefined && momentOf(expiresAt) <= now) return 'access_key_expired'
  return undefined
}

/** The names of the models that an access key may use over one of the protocols, in order. */
export function modelsFor(
  { groups }: State,
  { groups: granted, models, protocols }: AccessKeyConfig,
  asked: readonly Protocol[],
): string[] {
  const names = new Set<string>()
  const usable = asked.filter((protocol) => protocols?.includes(protocol) ?? true)
  for (const group of groups.values()) {
    if (group.enabled === false || granted?.includes(group.id) === false) continue
    if (!usable.some((protocol) => group.protocols.includes(protocol))) continue
    // A group of every model is as wide as what its credentials are said to have.
    const exposed = group.models ?? group.credentials.flatMap((one) => one.models ?? [])
    for (const model of exposed) names.add(nameOf(model))
  }
  return [...names].filter((name) => models?.includes(name) ?? true).sort()
}
