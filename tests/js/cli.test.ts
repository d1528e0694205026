import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = mkdtempSync(join(tmpdir(), 'keyrota-cli-'))
const LIMITED =
  '{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}'
const HEADERS = 'Content-Type: application/json\r\nRetry-After: 20\r\n'
const DUMP = `HTTP/2 429 \r\n${HEADERS}\r\n${LIMITED}`

function file(name: string, text: string): string {
  const path = join(FOLDER, name)
  writeFileSync(path, text)
  return path
}

function run(args: string[], input = ''): { status: number | null; out: string; error: string } {
  const done = spawnSync(process.execPath, ['pkg/cli.js', ...args], { input, encoding: 'utf8' })
  return { status: done.status, out: done.stdout, error: done.stderr }
}

function verdict(args: string[], input = ''): unknown {
  const { status, out, error } = run(['classify', '--json', ...args], input)
  expect([status, error]).toEqual([0, ''])
  return JSON.parse(out)
}

const OPENAI = ['--provider', 'openai', '--model', 'gpt-5']
const EXPECTED = {
  class: 'rate_limited',
  scope: 'model',
  waitMs: 20_000,
  waitFrom: 'header:retry-after',
  evidence: 'code',
  disable: false,
  retryOther: true,
}

test('what curl -i printed is read from a file and from the standard input', () => {
  expect(verdict([...OPENAI, file('dump.txt', DUMP)])).toEqual(EXPECTED)
  expect(verdict(OPENAI, DUMP)).toEqual(EXPECTED)
  expect(verdict([...OPENAI, '-'], DUMP)).toEqual(EXPECTED)
})

test('of several answers the last one counts, as after a redirect or through a proxy', () => {
  const proxied = `HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n${DUMP}`
  expect(verdict(OPENAI, proxied)).toEqual(EXPECTED)
})

test('status, headers and body may stand apart, and headers may be JSON', () => {
  const body = file('body.json', LIMITED)
  const lines = file('headers.txt', HEADERS)
  const object = file('headers.json', '{"Retry-After": 20}')
  for (const headers of [lines, object]) {
    const args = [...OPENAI, '--status', '429', '--headers', headers, '--body', body]
    expect(verdict(args), headers).toEqual(EXPECTED)
  }
})

test('a network code needs no answer', () => {
  expect(verdict(['--provider', 'openai', '--network', 'ECONNREFUSED'])).toMatchObject({
    class: 'server_error',
    scope: 'provider',
  })
})

test('rules of your own and the local time are heard', () => {
  const rules = file('rules.json', '[{"code": "rate_limit_exceeded", "effect": "overloaded"}]')
  expect(verdict([...OPENAI, '--rules', rules], DUMP)).toMatchObject({ class: 'overloaded' })
  const dated = 'HTTP/1.1 429 x\nRetry-After: Tue, 20 Oct 2026 12:01:30 GMT\n\n'
  for (const now of ['2026-10-20T12:00:00Z', String(Date.parse('2026-10-20T12:00:00Z'))]) {
    expect(verdict([...OPENAI, '--now', now], dated), now).toMatchObject({ waitMs: 90_000 })
  }
})

test('in words it says what it is, what it is about, how long, and whether another key helps', () => {
  const { out } = run(['classify', ...OPENAI], DUMP)
  expect(out).toMatch(/^class +rate_limited +too many requests for now\n/)
  expect(out).toMatch(/\nscope +model +the credential for gpt-5\n/)
  expect(out).toMatch(/\nwait +20 s +header:retry-after\n/)
  expect(out).toMatch(/\nother key +may help\n$/)
})

test.each([
  [['classify'], '--provider is needed'],
  [['clasify', '--provider', 'openai'], 'there is no command clasify'],
  [['classify', '--provder', 'openai'], '--provder'],
  [['classify', '--provider', 'openai', 'a', 'b'], 'one FILE at the most'],
  [['classify', '--provider', 'openai', '--status', '429', 'a'], 'either FILE or --status'],
  [['classify', '--provider', 'openai', '--status', 'many'], 'status must be a whole number'],
  [['classify', '--provider', 'openai', 'missing.txt'], 'missing.txt cannot be read'],
  [
    ['classify', '--provider', 'openai', '--phase', 'late', '--status', '500'],
    'phase must be one of',
  ],
])('%j is told what is wrong, in one line, and ends with 2', (args, message) => {
  const { status, out, error } = run(args)
  expect([status, out]).toEqual([2, ''])
  expect(error).toMatch(/^keyrota: [^\n]+\n$/)
  expect(error).toContain(message)
})

test('an answer without a status line is no answer, and is not guessed at', () => {
  for (const input of ['', LIMITED]) {
    const { status, error } = run(['classify', '--provider', 'openai'], input)
    expect([status, error]).toEqual([
      2,
      "keyrota: there is no status line: use 'curl -i', or --status and --body\n",
    ])
  }
})

test('files that a Windows shell wrote are read', () => {
  for (const coding of ['utf16le', 'utf8'] as const) {
    const path = join(FOLDER, `dump.${coding}`)
    writeFileSync(path, Buffer.from(`\uFEFF${DUMP}`, coding))
    expect(verdict([...OPENAI, path]), coding).toEqual(EXPECTED)
  }
})

test('broken JSON in a file is told by the file', () => {
  const broken = file('broken.json', '{"a"')
  const asked = ['classify', '--provider', 'openai', '--status', '429']
  for (const option of ['--headers', '--rules']) {
    const { status, error } = run([...asked, option, broken])
    expect([status, error.split(' is no JSON')[0]], option).toEqual([2, `keyrota: ${broken}`])
  }
})

test('help is printed when it is asked for, and when nothing is', () => {
  for (const args of [['--help'], []]) {
    const { status, out } = run(args)
    expect([status, out.split('\n')[0]]).toEqual([
      0,
      'keyrota classify --provider NAME [options] [FILE]',
    ])
  }
})
