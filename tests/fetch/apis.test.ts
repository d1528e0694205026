import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiOf } from '../../js/fetch/apis.ts'

/** The names of each dialect that has more than one, as the rules of the core have them. */
function dialects(): string[][] {
  const folder = new URL('../../src/classify/rules/', import.meta.url)
  return readdirSync(folder).flatMap((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8')
    return [...source.matchAll(/names: "([^"]+)"/g)].map(([, names = '']) => names.split('|'))
  })
}

test.each([
  ['openai', 'openai'],
  ['groq', 'openai'],
  ['azure', 'azure'],
  ['claude', 'anthropic'],
  ['google', 'gemini'],
  ['vertex-ai', 'vertex'],
  ['gemini-cli', 'vertex'],
  ['Claude', 'anthropic'],
  ['anthropic-team-a', 'anthropic'],
  ['google/eu', 'gemini'],
  ['zhipu-anthropic', 'anthropic'],
  ['anthropic-openai-compat', 'openai'],
  ['googly', 'openai'],
  ['', 'openai'],
])('the API of %j is that of %s', (dialect, api) => {
  expect(apiOf(dialect)).toBe(api)
})

test('all names of a dialect have the same API', () => {
  const all = dialects()
  expect(all.length).toBeGreaterThan(30)
  // What is named after both speaks the API that is named last.
  const isOwn = (name: string) => !/-(anthropic|openai-compat)$/.test(name)
  const apis = all.map((names) => [...new Set(names.filter(isOwn).map(apiOf))])
  expect(apis.filter((found) => found.length !== 1)).toEqual([])
})
