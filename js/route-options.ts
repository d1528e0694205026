/**
 * The check of a router's options.
 * @module
 */

import { invalidOption } from './errors.js'
import {
  type Check,
  fields,
  flag,
  list,
  oneOf,
  orNull,
  ROUTER,
  STRATEGIES,
  text,
  whole,
} from './options.js'
import type { Group, Protocol, RouterOptions } from './route-types.js'

/** In the order of the core's `Protocol`. */
export const PROTOCOLS: readonly Protocol[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
]

/** Throws at what is no protocol. */
export const checkProtocol: Check = oneOf(PROTOCOLS)

const protocols = list(checkProtocol)

/** The last moment that a date can have. */
const LAST_MOMENT = 8_640_000_000_000_000

const ACCESS_KEY = fields({
  id: text,
  enabled: flag,
  expiresAt: orNull(whole(0, LAST_MOMENT)),
  protocols: orNull(protocols),
  groups: orNull(list(text)),
  models: orNull(list(text)),
})

const EXPOSED = fields({ name: text, upstream: text })

const exposed: Check = (path, value) => {
  if (typeof value !== 'string') return EXPOSED(path, value)
  text(path, value)
}

const GROUP = fields({
  ...ROUTER.group,
  id: text,
  enabled: flag,
  priority: whole(-2_147_483_648, 2_147_483_647),
  weight: whole(1, 100),
  protocols,
  models: orNull(list(exposed)),
  credentials: list(ROUTER.credential),
})

const OPTIONS = fields({
  ...ROUTER.pool,
  accessKeys: list(ACCESS_KEY),
  groups: list(GROUP),
  strategy: oneOf(STRATEGIES),
  continuations: oneOf(['any', 'own']),
  affinity: fields({ enabled: flag, ttlMs: whole(1), capacity: whole(0, 10_000_000) }),
})

const NEEDED = {
  accessKey: ['id'],
  group: ['id', 'protocols', 'credentials'],
  exposed: ['name', 'upstream'],
} as const

/**
 * Checks the options of a router.
 *
 * @throws {@link KeyrotaError} `invalid_option` or `unknown_option` with the option's path
 */
export function checkRouterOptions(options: RouterOptions): void {
  OPTIONS('', options ?? null)
  const { accessKeys, groups } = options
  for (const [path, value] of Object.entries({ accessKeys, groups })) {
    if (value === undefined) throw invalidOption(path, value, 'must be a list')
  }
  accessKeys.forEach((key, at) => {
    needed(`accessKeys[${at}]`, key, NEEDED.accessKey)
  })
  groups.forEach((group, at) => {
    needed(`groups[${at}]`, group, NEEDED.group)
    checkGroup(`groups[${at}]`, group)
  })
  unique('accessKeys', accessKeys)
  unique('groups', groups)
  uniqueCredentials(groups)
  const known = new Set(groups.map(({ id }) => id))
  accessKeys.forEach((key, at) => {
    key.groups?.forEach((id, place) => {
      if (known.has(id)) return
      throw invalidOption(`accessKeys[${at}].groups[${place}]`, id, 'must be the id of a group')
    })
  })
}

function checkGroup(path: string, { models, protocols }: Group): void {
  if (protocols.length === 0) {
    throw invalidOption(`${path}.protocols`, protocols, 'must name a protocol')
  }
  models?.forEach((model, at) => {
    if (typeof model === 'object') needed(`${path}.models[${at}]`, model, NEEDED.exposed)
  })
}

function needed(path: string, value: object, names: readonly string[]): void {
  for (const name of names) {
    const field = (value as Readonly<Record<string, unknown>>)[name]
    if (field === undefined) throw invalidOption(`${path}.${name}`, field, 'must be given')
  }
}

/** Health follows the id, so no other group may have it. Whatever else is wrong is the core's to say. */
function uniqueCredentials(groups: readonly Group[]): void {
  const seen = new Map<string, string>()
  groups.forEach(({ credentials }, group) => {
    credentials.forEach((credential, at) => {
      const id = typeof credential?.id === 'string' ? credential.id.trim() : ''
      const path = `groups[${group}].credentials[${at}].id`
      const other = seen.get(id)
      if (id !== '' && other !== undefined) {
        throw invalidOption(path, id, `must be unique among all groups, and is also ${other}`)
      }
      seen.set(id, path)
    })
  })
}

function unique(path: string, items: readonly { readonly id: string }[]): void {
  const seen = new Set<string>()
  items.forEach(({ id }, at) => {
    if (seen.has(id)) throw invalidOption(`${path}[${at}].id`, id, `must be unique in ${path}`)
    seen.add(id)
  })
}
