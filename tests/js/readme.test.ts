/**
 * The README is true: its programs run, and print what stands beneath them.
 * @module
 */

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error: the example is plain JavaScript
import { startProvider } from '../../examples/failover/provider.mjs'

/** Printed between the blocks of a section, which are one program. */
const NEXT_BLOCK = '\u241e'
// In the repository, so that the programs find the package by its own name.
const FOLDER = resolve('target', 'readme')
const README = readFileSync('README.md', 'utf8')

interface Block {
  readonly code: string
  /** What it must print; `undefined` when the README does not say. */
  readonly output: string | undefined
}

let provider: { readonly url: string; stop(): void }

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
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
    const printed = await run(title, blocks)
    for (const [at, { code, output }] of blocks.entries()) {
      if (output !== undefined) expect(printed[at]?.trimEnd(), code).toBe(output.trimEnd())
    }
  })
})

test('the README shows what `npm start` prints', async () => {
  const [, section = ''] = README.split('\n## Two commands\n')
  const [shown] = fencesOf(section).filter(({ language }) => language === 'text')
  const { stdout } = await start([join('examples', 'failover', 'index.mjs')], process.cwd())
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

/** The members of a union of texts, or of an interface. */
function namesIn(source: string, type: string): string[] {
  const [, body = ''] =
    new RegExp(`^export (?:type|interface) ${type} (.*?)^(?:}|$)`, 'ms').exec(source) ?? []
  return [...body.matchAll(/^ {2}(?:\| '([\w-]+)'|(\w+):)/gm)].map(
    ([, text, field]) => text ?? field ?? '',
  )
}

/** The blocks marked `js runnable`, each with the `text` block that follows it, if one does. */
function blocksOf(section: string): Block[] {
  const fences = fencesOf(section)
  return fences.flatMap(({ language, code }, at) => {
    if (language !== 'js runnable') return []
    const next = fences[at + 1]
    return [{ code, output: next?.language === 'text' ? next.code : undefined }]
  })
}

function fencesOf(text: string): { language: string; code: string }[] {
  const fences = [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
  return fences.map(([, language = '', code = '']) => ({ language, code }))
}

/** Runs the blocks of a section as one program; answers what each printed. */
async function run(title: string, blocks: readonly Block[]): Promise<string[]> {
  const file = join(FOLDER, `${title.toLowerCase().replaceAll(/\W+/g, '-')}.mjs`)
  const separator = `\nconsole.log('${NEXT_BLOCK}')\n`
  writeFileSync(file, blocks.map(({ code }) => code).join(separator))
  const { stdout } = await start([file], FOLDER)
  return stdout.split(`${NEXT_BLOCK}\n`)
}

function start(args: readonly string[], cwd: string) {
  const keys = Object.fromEntries([1, 2, 3].map((n) => [`OPENAI_KEY_${n}`, `sk-local-${n}`]))
  const env = { ...process.env, ...keys, OPENAI_BASE_URL: provider.url, FORCE_COLOR: '0' }
  return promisify(execFile)(process.execPath, args, { cwd, env, timeout: 9_000 })
}
