/**
 * The settings of a provider as the core reads them: its own go before those of the pool, field by field.
 * @module
 */

import type { CooldownOptions, KeyPoolOptions, ProviderOptions } from './option-types.js'

/** How long `exhausted: { policy: 'wait' }` waits when it does not say. */
const DEFAULT_WAIT_MS = 30_000

/** The settings of a provider with those options, or of the pool itself. */
export function settingsOf(all: KeyPoolOptions, own: ProviderOptions): object {
  const { policy: exhausted } = over(all.exhausted, own.exhausted)
  const { homeMs } = all.affinity ?? {}
  return {
    policy: own.policy ?? all.policy,
    strategy: strategyName(own.strategy ?? all.strategy),
    cooldown: { ...ladders(all.cooldown, own.cooldown), homeMs },
    probe: over(all.probe, own.probe),
    rollback: over(all.rollback, own.rollback),
    dialect: own.dialect ?? all.dialect,
    rules: [...((own === all ? undefined : own.rules) ?? []), ...(all.rules ?? [])],
    failOpen: exhausted === 'fail-open',
    maxConcurrent: own.maxConcurrent === undefined ? all.maxConcurrent : own.maxConcurrent,
    blacklist: blacklistOf(all.blacklist, own.blacklist),
  }
}

/** How long a request to that provider waits when it does not say, in milliseconds. */
export function waitOf(all: KeyPoolOptions, own: ProviderOptions): number {
  const { policy, maxWaitMs } = over(all.exhausted, own.exhausted)
  return policy === 'wait' ? (maxWaitMs ?? DEFAULT_WAIT_MS) : 0
}

/** Two sets of options, the fields that one has over those of the other. */
function over<T extends object>(all: T | undefined, own: T | undefined): Partial<T> {
  const given = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  return { ...all, ...Object.fromEntries(given) } as Partial<T>
}

function ladders(all: CooldownOptions = {}, own: CooldownOptions = {}): CooldownOptions {
  const inner = (['overload', 'denied', 'pause'] as const).map((name) => {
    return [name, over(all[name], own[name])]
  })
  return { ...over(all, own), ...Object.fromEntries(inner) }
}

/** `null` turns it off; an object is over that of the pool, field by field. */
function blacklistOf(
  all: ProviderOptions['blacklist'],
  own: ProviderOptions['blacklist'],
): ProviderOptions['blacklist'] {
  if (own === null || (own === undefined && (all === undefined || all === null))) return null
  return over(all ?? undefined, own)
}

/** A custom strategy is asked in JavaScript; the core keeps the documented order beneath it. */
function strategyName(strategy: KeyPoolOptions['strategy']): string | undefined {
  return typeof strategy === 'function' ? undefined : strategy
}
