/**
 * The check of a configuration: everything that is wrong with it, in one error.
 * @module
 */

import { type ConfigIssue, isKeyrotaError, KeyrotaError, Options } from 'keyrota'
import type { GatewayConfig } from './config.js'
import { issuesOf, namesAt, type SchemaIssue } from './schema.js'

/**
 * Checks a configuration.
 *
 * @throws {@link KeyrotaError} `invalid_config` with all `issues`
 */
export function checkConfig(config: unknown): asserts config is GatewayConfig {
  const issues = issuesOf(config).flatMap(told)
  throwAny(issues.length > 0 ? issues : [...acrossFields(config as GatewayConfig)])
}

/** Does what takes the configuration, whose own checks count as those here do. */
export function withIssues<T>(take: () => T): T {
  try {
    return take()
  } catch (error) {
    if (!isKeyrotaError(error) || !/^(?:invalid|unknown)_option$/.test(error.code)) throw error
    const { path = '', nearest } = error
    const rule = error.rule ?? 'does not exist'
    return throwAny([{ path, rule, ...(nearest !== undefined && { nearest }) }]) as never
  }
}

function throwAny(issues: readonly ConfigIssue[]): void {
  const [first] = issues
  if (first === undefined) return
  const lines = issues.map(({ path, rule, nearest }) => {
    return `${path} ${rule}${nearest === undefined ? '' : `; did you mean '${nearest}'?`}`
  })
  const message = `the configuration is wrong: ${lines.join('; ')}`
  throw new KeyrotaError('invalid_config', message, { ...first, issues })
}

function told(issue: SchemaIssue): ConfigIssue[] {
  const path = pathOf(issue.path)
  if (issue.code !== 'unrecognized_keys') return [{ path: path || 'config', rule: issue.message }]
  const known = namesAt(issue.path)
  return issue.keys.map((key) => {
    const nearest = Options.nearest(key, known)
    const rule =
      nearest === undefined ? `does not exist; known are ${known.join(', ')}` : 'does not exist'
    return { path: pathOf([...issue.path, key]), rule, ...(nearest !== undefined && { nearest }) }
  })
}

/** `groups[0].baseUrl`. */
function pathOf(steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return path === '' ? String(step) : `${path}.${String(step)}`
  }, '')
}

/** What no field can know by itself. */
function* acrossFields({ accessKeys, groups }: GatewayConfig): Generator<ConfigIssue> {
  const ids = groups.map(({ id }) => id)
  yield* repeated(accessKeys, 'accessKeys', 'id', ({ id }) => id)
  yield* repeated(accessKeys, 'accessKeys', 'sha256', ({ sha256 }) => sha256.toLowerCase())
  yield* repeated(groups, 'groups', 'id', ({ id }) => id)
  for (const [at, { groups: granted }] of accessKeys.entries()) {
    for (const [place, id] of granted?.entries() ?? []) {
      if (ids.includes(id)) continue
      const nearest = Options.nearest(id, ids)
      const path = `accessKeys[${at}].groups[${place}]`
      yield {
        path,
        rule: 'names a group that does not exist',
        ...(nearest !== undefined && { nearest }),
      }
    }
  }
  const credentials = groups.flatMap((group, at) =>
    group.credentials.map(({ id }, place) => ({
      id,
      path: `groups[${at}].credentials[${place}].id`,
    })),
  )
  const seen = new Set<string>()
  for (const { id, path } of credentials) {
    // As they are taken in: blanks around an id do not count.
    if (seen.has(id.trim()))
      yield { path, rule: 'is the id of another credential, of this group or another' }
    seen.add(id.trim())
  }
  for (const [at, { models }] of groups.entries()) {
    yield* repeated(models ?? [], `groups[${at}].models`, 'name', nameOf)
  }
}

/** The name by which clients ask for a model. */
export function nameOf(model: string | { readonly name: string }): string {
  return typeof model === 'string' ? model : model.name
}

function* repeated<T>(
  list: readonly T[],
  path: string,
  field: string,
  textOf: (item: T) => string,
): Generator<ConfigIssue> {
  const seen = new Set<string>()
  for (const [at, item] of list.entries()) {
    const value = textOf(item)
    const place = typeof item === 'string' ? `${path}[${at}]` : `${path}[${at}].${field}`
    if (seen.has(value))
      yield { path: place, rule: `must be unique; another one has the same ${field}` }
    seen.add(value)
  }
}
