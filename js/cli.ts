#!/usr/bin/env node
/**
 * The command line: `keyrota classify` says what an answer of a provider means, and why.
 * @module
 */

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { classify, isKeyrotaError } from 'keyrota'
import { readDump, readHeaders } from './cli/dump.js'
import { inWords } from './cli/words.js'
import type { ClassifyInput } from './types.js'

const HELP = `keyrota classify --provider NAME [options] [FILE]

Says what an answer of a provider means: whose fault it is, how long to wait, whether the key is dead and
whether another key may fare better.

FILE is what 'curl -i' printed; '-', or no FILE and none of --status, --headers, --body and --network, reads
it from the standard input.

  --provider NAME   whose rules read it: openai, anthropic, gemini, … or any (required)
  --status CODE     the HTTP status
  --headers FILE    the headers, one 'name: value' a line, or a JSON object
  --body FILE       the body
  --model NAME      the model that was asked for
  --network CODE    the error code when no answer came, such as ECONNRESET
  --phase PHASE     before_send, sent_no_response, before_content, after_content or response
  --rules FILE      your own rules, as a JSON list: they go first
  --now TIME        the local time as an ISO date or milliseconds; by default now
  --json            prints the verdict as JSON

Exit status: 0 for a verdict, whatever it is; 2 when the call is wrong.
`

const OPTIONS = {
  provider: { type: 'string' },
  status: { type: 'string' },
  headers: { type: 'string' },
  body: { type: 'string' },
  model: { type: 'string' },
  network: { type: 'string' },
  phase: { type: 'string' },
  rules: { type: 'string' },
  now: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** A call that is wrong: its message is for the person who typed it. */
class UsageError extends Error {}

function main(args: string[]): void {
  const { values, positionals } = parse(args)
  const [command, file, ...more] = positionals
  if (values.help || command === undefined) {
    console.log(HELP)
    return
  }
  if (command !== 'classify') throw new UsageError(`there is no command ${command}; try --help`)
  if (more.length > 0) throw new UsageError('one FILE at the most')
  if (values.provider === undefined) throw new UsageError('--provider is needed, such as openai')
  const given = values.status ?? values.headers ?? values.body ?? values.network
  if (file !== undefined && given !== undefined) {
    throw new UsageError('either FILE or --status, --headers, --body and --network')
  }
  const dump = file !== undefined || given === undefined ? readDump(read(file ?? '-')) : {}
  if ('body' in dump && dump.status === undefined) {
    throw new UsageError("there is no status line: use 'curl -i', or --status and --body")
  }
  const { provider, model, network, phase } = values
  const verdict = classify({
    provider,
    ...dump,
    ...(values.status !== undefined && { status: Number(values.status) }),
    ...(values.headers !== undefined && { headers: headers(values.headers) }),
    ...(values.body !== undefined && { body: read(values.body) }),
    ...(values.rules !== undefined && { rules: json(values.rules, read(values.rules)) }),
    ...(values.now !== undefined && { now: time(values.now) }),
    model,
    networkCode: network,
    phase: phase as ClassifyInput['phase'],
  })
  console.log(values.json ? JSON.stringify(verdict, null, 2) : inWords(verdict, model))
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function read(file: string): string {
  try {
    const bytes = readFileSync(file === '-' ? 0 : file)
    // What a Windows shell redirects into a file is UTF-16.
    const coding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
    return new TextDecoder(coding).decode(bytes)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function headers(file: string): [string, string][] {
  const text = read(file)
  if (!/^\s*[{[]/.test(text)) return readHeaders(text)
  const parsed: object = json(file, text)
  const pairs = Array.isArray(parsed) ? (parsed as [string, unknown][]) : Object.entries(parsed)
  return pairs.map(([name, value]) => [name, String(value)])
}

function json(file: string, text: string): never {
  try {
    return JSON.parse(text) as never
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`)
  }
}

function time(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}

try {
  main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError || isKeyrotaError(error))) throw error
  console.error(`keyrota: ${error.message}`)
  process.exitCode = 2
}
