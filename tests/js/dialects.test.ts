// The names in the README's table of dialects lead where it says.

import { readdirSync, readFileSync } from 'node:fs'
import { classify } from 'keyrota'
import { expect, test } from 'vitest'
import { apiOf } from '../../js/fetch/apis.ts'
import { inputOf, ROWS, type Row } from './support/vectors.ts'

/** Each dialect, its other names after it. */
const DIALECTS = tableOf(readFileSync('README.md', 'utf8'))
const ALIASES = DIALECTS.flatMap(([dialect = '', ...others]) =>
  others.map((name) => [name, dialect] as const),
)

const DOCUMENTED = readFileSync('tests/vectors/outcomes-documented.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)
/** An answer that has a meaning of its own to the plans of Claude. */
const OF_PLAN = {
  status: 529,
  headers: { 'anthropic-ratelimit-unified-status': 'rejected' },
  body: { type: 'error', error: { type: 'rate_limit_error', message: 'Error' } },
}
/** Answers of every provider. */
const ANSWERS = [...[...ROWS, ...DOCUMENTED].map(inputOf), OF_PLAN]

const known = new Map<string, string>()

/** What every answer means to a name, in one text. */
function meaningsTo(provider: string): string {
  const found =
    known.get(provider) ??
    ANSWERS.map((answer) => JSON.stringify(classify({ ...answer, provider }))).join('\n')
  known.set(provider, found)
  return found
}

function tableOf(readme: string): string[][] {
  const [, table = ''] = readme.split('| dialect | other names |\n|---|---|\n')
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n')
  return rows.map((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

test('the table has every name that the core knows, and no other', () => {
  const folder = new URL('../../src/classify/rules/', import.meta.url)
  const inCore = readdirSync(folder).flatMap((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8')
    return [...source.matchAll(/names: "([^"]+)"/g)].map(([, names = '']) => names.split('|'))
  })
  const sorted = (groups: string[][]) => groups.map((names) => [...names].sort().join(' ')).sort()
  const general = ['openai-compat', 'openai-compatible']
  expect(sorted(DIALECTS)).toEqual(sorted([...inCore, general]))
  const names = DIALECTS.flat()
  expect(names.length).toBeGreaterThan(80)
  expect(new Set(names).size).toBe(names.length)
})

test('each dialect reads some answer as no other does', () => {
  const seen = new Map<string, string>()
  for (const [dialect = ''] of DIALECTS) {
    const meanings = meaningsTo(dialect)
    expect([dialect, seen.get(meanings)]).toEqual([dialect, undefined])
    seen.set(meanings, dialect)
  }
})

test.each(ALIASES)('%s is read by the rules of %s', (name, dialect) => {
  // Not `toBe`, which would print all of both.
  for (const written of [name, name.toUpperCase(), `${name}-eu`]) {
    expect(meaningsTo(written) === meaningsTo(dialect), written).toBe(true)
  }
  // What ends with the name of an API speaks it, whichever rules read it.
  const speaksOther = /-(anthropic|openai-compat)$/.test(name)
  if (!speaksOther) expect(apiOf(name)).toBe(apiOf(dialect))
})

test('a name that is not known is read by the general rules', () => {
  for (const name of ['any', 'googly', 'my-gateway', '']) {
    expect(meaningsTo(name) === meaningsTo('openai-compat'), name).toBe(true)
  }
})
