/**
 * The options of a router as the engine and the core read them.
 * @module
 */

import type { KeyPoolOptions, ProviderOptions } from './option-types.js'
import type { Group, Protocol, RouterOptions } from './route-types.js'
import type { Credential } from './types.js'
import { knowsDialect } from './wasm/core.js'

/** A credential's weight, and a group's, unless it is given. */
const DEFAULT_WEIGHT = 50

/** Whose rules read the answers of a group whose name is no dialect. */
const DIALECTS: Readonly<Record<Protocol, string>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gemini',
}

/** The options of the pool that a router is made of. */
export function poolOptions(options: RouterOptions): KeyPoolOptions {
  const { accessKeys: _, affinity: __, continuations: ___, groups, ...rest } = options
  const { strategy = 'smooth', ...pool } = rest
  const byId = new Map(groups.map((group) => [group.id, group]))
  const load = (id: string): Credential[] => (byId.get(id)?.credentials ?? []).map(weighed)
  const providers = Object.fromEntries(groups.map((group) => [group.id, providerOptions(group)]))
  return { ...pool, strategy, load, providers }
}

function providerOptions(group: Group): ProviderOptions {
  const { blacklist, cooldown, exhausted, maxConcurrent, probe, rollback, rules } = group
  const given = { blacklist, cooldown, exhausted, maxConcurrent, probe, rollback, rules }
  return { ...given, dialect: dialectOf(group) }
}

/** Whose rules read the answers of a group: what it says, else its name, else what it speaks. */
function dialectOf({ dialect, id, protocols }: Group): string {
  const [first = 'openai-chat'] = protocols
  return dialect ?? (knowsDialect(id) ? id : DIALECTS[first])
}

function weighed(credential: Credential): Credential {
  return credential.weight === undefined ? { ...credential, weight: DEFAULT_WEIGHT } : credential
}

/** What the core reads of access keys and groups. `numberOf` answers the core's number of a group. */
export function routeSettings(options: RouterOptions, numberOf: (id: string) => number): object {
  const { accessKeys, affinity = {}, continuations, groups, strategy = 'smooth' } = options
  const { enabled = true, ttlMs, capacity } = affinity
  return {
    accessKeys: accessKeys.map((key) => ({
      ...key,
      groups: key.groups?.map((id) => ({ provider: numberOf(id) })),
    })),
    groups: groups.map(({ id, enabled, priority, weight = DEFAULT_WEIGHT, protocols, models }) => {
      return {
        ...{ provider: numberOf(id), enabled, priority, weight, protocols },
        models: models?.map((model) => {
          return typeof model === 'string' ? { name: model, upstream: model } : model
        }),
      }
    }),
    strategy,
    continuations,
    affinity: { ttlMs, capacity: enabled ? capacity : 0 },
  }
}

/** What each group calls the models that it exposes under other names. */
export function upstreamNames(groups: readonly Group[]): Map<string, Map<string, string>> {
  const names = groups.map(({ id, models }) => {
    const others = (models ?? []).filter((model) => typeof model === 'object')
    return [id, new Map(others.map(({ name, upstream }) => [name, upstream]))] as const
  })
  return new Map(names)
}
