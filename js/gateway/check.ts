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
  // What stands across fields can be looked at when these have the form that they should have.
  const isReadable = !issues.some(({ path }) => /^(?:config|accessKeys|groups)\b/.test(path))
  throwAny(isReadable ? [...issues, ...acrossFields(config as GatewayConfig)] : issues)
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
    const rule = 'names a group that does not exist'
    yield* missing(granted ?? [], ids, `accessKeys[${at}].groups`, rule)
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
  yield* unknownModels(accessKeys, groups)
}

/** Models that nobody could ever be asked for: of a group that lists its own, or of groups that all do. */
function* unknownModels(
  accessKeys: GatewayConfig['accessKeys'],
  groups: GatewayConfig['groups'],
): Generator<ConfigIssue> {
  for (const [at, { models, credentials }] of groups.entries()) {
    const upstream = models?.map((model) => (typeof model === 'string' ? model : model.upstream))
    for (const [place, credential] of upstream ? credentials.entries() : []) {
      const path = `groups[${at}].credentials[${place}].models`
      const rule = 'names a model by another name than any that its group asks the provider for'
      yield* missing(credential.models ?? [], upstream ?? [], path, rule)
    }
  }
  if (groups.some(({ models }) => models === undefined || models === null)) return
  const exposed = groups.flatMap(({ models }) => (models ?? []).map(nameOf))
  for (const [at, { models }] of accessKeys.entries()) {
    const rule = 'names a model that no group exposes'
    yield* missing(models ?? [], exposed, `accessKeys[${at}].models`, rule)
  }
}

function* missing(
  names: readonly string[],
  known: readonly string[],
  path: string,
  rule: string,
): Generator<ConfigIssue> {
  for (const [at, name] of names.entries()) {
    if (known.includes(name)) continue
    const nearest = Options.nearest(name, known)
    yield { path: `${path}[${at}]`, rule, ...(nearest !== undefined && { nearest }) }
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
