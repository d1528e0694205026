/**
 * The README is true: its programs run, and print what stands beneath them.
 * @module
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error: the example is plain JavaScript
import { startProvider } from '../../examples/failover/provider.mjs'
import { blocksOf, fencesOf, namesIn, run, start } from './support/programs.ts'

const README = readFileSync('README.md', 'utf8')

let provider: { readonly url: string; stop(): void }

beforeAll(async () => {
  provider = await startProvider({ 'sk-local-1': {}, 'sk-local-2': {}, 'sk-local-3': {} })
})

afterAll(() => {
  provider.stop()
})

describe('the programs of the README', () => {
  const sections = README.split(/^## /m).slice(1)
  const programs = sections
    .map((text) => ({ title: text.slice(0, text.indexOf('\n')), blocks: blocksOf(text) }))
    .filter(({ blocks }) => blocks.length > 0)

  test('are found', () => {
    expect(programs.map(({ title }) => title)).toContain('Troubleshooting')
    expect(programs.length).toBeGreaterThan(7)
  })

  test.concurrent.for(programs)('$title', async ({ title, blocks }) => {
    const printed = await run(title, blocks, surroundings())
    for (const [at, { code, output }] of blocks.entries()) {
      if (output !== undefined) expect(printed[at]?.trimEnd(), code).toBe(output.trimEnd())
    }
  })
})

test('the README shows what `npm start` prints', async () => {
  const [, section = ''] = README.split('\n## Two commands\n')
  const [shown] = fencesOf(section).filter(({ language }) => language === 'text')
  const { stdout } = await start(
    [join('examples', 'failover', 'index.mjs')],
    process.cwd(),
    surroundings(),
  )
  expect(shown?.code).toContain('is disabled')
  expect(stdout).toContain(shown?.code)
})

test.for([
  ['errors.ts', 'ErrorCode'],
  ['events.ts', 'KeyPoolEvents'],
  ['types.ts', 'ReasonCode'],
  ['option-types.ts', 'StrategyName'],
  ['types.ts', 'VerdictClass'],
] as const)('the README has a row for each name in js/%s, %s', ([file, type]) => {
  const names = namesIn(readFileSync(join('js', file), 'utf8'), type)
  expect(names.length).toBeGreaterThan(2)
  for (const name of names) expect(README).toMatch(new RegExp(`^\\|.*\`${name}\``, 'm'))
})

test('what the README links to within itself is there', () => {
  const titles = [...README.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  const anchors = titles.map((title) => {
    return title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  })
  const links = [...README.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor)
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([])
})

/** What the programs find in their environment. */
function surroundings(): Record<string, string> {
  const keys = Object.fromEntries([1, 2, 3].map((n) => [`OPENAI_KEY_${n}`, `sk-local-${n}`]))
  return { ...keys, OPENAI_BASE_URL: provider.url }
}
