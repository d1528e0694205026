/**
 * The programs in a page of Markdown and what they print, and the names that a page must have.
 * @module
 */

import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

/** Printed between the blocks of a section, which are one program. */
const NEXT_BLOCK = '\u241e'
// In the repository, so that the programs find the package by its own name.
const FOLDER = resolve('target', 'readme')

export interface Block {
  readonly code: string
  /** What it must print; `undefined` when the page does not say. */
  readonly output: string | undefined
}

/** The blocks marked `js runnable`, each with the `text` block that follows it, if one does. */
export function blocksOf(section: string): Block[] {
  const fences = fencesOf(section)
  return fences.flatMap(({ language, code }, at) => {
    if (language !== 'js runnable') return []
    const next = fences[at + 1]
    return [{ code, output: next?.language === 'text' ? next.code : undefined }]
  })
}

export function fencesOf(text: string): { language: string; code: string }[] {
  const fences = [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
  return fences.map(([, language = '', code = '']) => ({ language, code }))
}

/** Runs the blocks of a section as one program; answers what each printed. */
export async function run(
  title: string,
  blocks: readonly Block[],
  env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${title.toLowerCase().replaceAll(/\W+/g, '-')}.mjs`)
  const separator = `\nconsole.log('${NEXT_BLOCK}')\n`
  writeFileSync(file, blocks.map(({ code }) => code).join(separator))
  const { stdout } = await start([file], FOLDER, env)
  return stdout.split(`${NEXT_BLOCK}\n`)
}

/** Runs a program of Node. */
export function start(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const all = { ...process.env, ...env, FORCE_COLOR: '0' }
  return promisify(execFile)(process.execPath, args, { cwd, env: all, timeout: 9_000 })
}

/** The members of a union of texts, or of an interface, in TypeScript. */
export function namesIn(source: string, type: string): string[] {
  const [, body = ''] =
    new RegExp(`^export (?:type|interface) ${type} (.*?)^(?:}|$)`, 'ms').exec(source) ?? []
  return [...body.matchAll(/^ {2}(?:\| '([\w-]+)'|(\w+):)/gm)].map(
    ([, text, field]) => text ?? field ?? '',
  )
}
