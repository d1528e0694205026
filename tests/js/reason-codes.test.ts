/**
 * The page of reason codes is true and whole: its program prints what it says, and the core, the types and
 * the page know the same codes.
 * @module
 */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { blocksOf, namesIn, run } from './support/programs.ts'

const CORE = readFileSync('src/types/reason.rs', 'utf8')
const TYPES = readFileSync('js/types.ts', 'utf8')
const PAGE = readFileSync('docs/reason-codes.md', 'utf8')

/** Each enumeration of the core, its type, and the sections of the page that have a row for each code. */
const LISTS = [
  ['Reason', 'ReasonCode', ['Access key', 'Group', 'Credential']],
  ['ChoiceReason', 'ChoiceReason', ['Why this one']],
] as const

describe.for(LISTS)('the codes of %s', ([name, type, titles]) => {
  const codes = codesOf(name)

  test('are found in the core', () => {
    expect(codes.length).toBeGreaterThan(7)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('are those of the type', () => {
    expect(namesIn(TYPES, type).sort()).toEqual(codes)
  })

  test('are those of the page', () => {
    const told = titles.flatMap((title) => rowsOf(title))
    expect([...new Set(told)].sort()).toEqual(codes)
  })

  test('have one row in a section', () => {
    for (const title of titles) expect(rowsOf(title)).toEqual([...new Set(rowsOf(title))])
  })
})

test('who disabled a credential has the same names in the core, the types and the page', () => {
  const names = codesOf('DisabledBy')
  expect(names).toEqual(['hand', 'verdict'])
  expect(TYPES).toContain(`readonly by: ${names.map((name) => `'${name}'`).join(' | ')} | null`)
  for (const name of names) expect(sectionOf('Credential')).toContain(`\`by: '${name}'\``)
})

test('every code that the page names exists', () => {
  const known = new Set([...codesOf('Reason'), ...codesOf('ChoiceReason')])
  const words = [...PAGE.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, word = '']) => word)
  const errors = namesIn(readFileSync('js/errors.ts', 'utf8'), 'ErrorCode')
  const gateway = namesIn(readFileSync('js/gateway/failures.ts', 'utf8'), 'GatewayErrorCode')
  const all = new Set([...known, ...errors, ...gateway])
  expect(words.length).toBeGreaterThan(30)
  expect(words.filter((word) => !all.has(word))).toEqual([])
})

test('the program of the page prints what stands beneath it', async () => {
  const blocks = blocksOf(PAGE)
  expect(blocks.length).toBe(1)
  const printed = await run('reason codes', blocks)
  for (const [at, { code, output }] of blocks.entries()) {
    expect(printed[at]?.trimEnd(), code).toBe(output?.trimEnd())
  }
})

test('the README leads to the page', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('](docs/reason-codes.md)')
})

/** The codes of an enumeration of the core, sorted. */
function codesOf(name: string): string[] {
  const [, body = ''] = new RegExp(`pub enum ${name} {(.*?)^    }`, 'ms').exec(CORE) ?? []
  return [...body.matchAll(/^ {8}\w+ = "(\w+)",$/gm)].map(([, code = '']) => code).sort()
}

function sectionOf(title: string): string {
  const found = PAGE.split(/^## /m).find((section) => section.startsWith(`${title}\n`))
  return found ?? ''
}

/** The codes that begin a row of the section's table. */
function rowsOf(title: string): string[] {
  return [...sectionOf(title).matchAll(/^\| `(\w+)` \|/gm)].map(([, code = '']) => code)
}
