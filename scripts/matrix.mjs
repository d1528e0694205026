// Runs the packed package in every runtime, bundler, test runner and type checker there is a row for,
// and writes what it found to target/matrix.md.
//
//   npm run matrix                every row
//   npm run matrix -- node vite   only these
//   npm run matrix -- -node       all but this one
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, start } from '../tests/runtimes/process.mjs'

process.chdir(join(import.meta.dirname, '..'))
const ROWS = join('tests', 'runtimes', 'rows')
const REPORT = join('target', 'matrix.md')
// For a row, whose tools may have to be installed first, and for all of them together.
const MINUTES = { row: 8, all: 15 }
// As a reader looks for them; a row that is not named here comes last.
const ORDER = [
  ...[
    'node',
    'sdks',
    'deno',
    'bun',
    'workerd',
    'workerd-vitest',
    'gateway-worker',
    'chromium',
    'firefox',
    'electron',
  ],
  ...['vite', 'webpack', 'esbuild', 'rollup', 'next', 'next-dev'],
  ...['vitest', 'jest', 'typescript'],
]

const until = Date.now() + MINUTES.all * 60_000
const words = process.argv.slice(2)
const unwanted = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1))
const wanted = words.filter((word) => !word.startsWith('-'))
const rows = readdirSync(ROWS)
  .map((file) => file.replace('.mjs', ''))
  .filter((row) => wanted.length === 0 || wanted.includes(row))
  .filter((row) => !unwanted.includes(row))
  .toSorted((a, b) => place(a) - place(b))
const total = { passed: 0, failed: 0 }
const table = ['| where | how | result |', '|---|---|---|']

for (const [at, row] of rows.entries()) {
  console.log(`\n[${at + 1}/${rows.length}] ${row}`)
  const began = Date.now()
  const output = await outputOf(row)
  const lines = read(output)
  for (const { where, how, result } of lines) {
    console.log(`  ${where.padEnd(46)} ${result.padEnd(12)} ${how.join(', ')}`)
    table.push(`| ${where} | ${how.join(', ')} | ${result} |`)
  }
  for (const [, note] of output.matchAll(/^NOTE +(.+)$/gm)) console.log(`  ${note}`)
  const [, passed, failed] = output.match(/^(\d+) passed, (\d+) failed$/m) ?? [0, 0, 1]
  total.passed += Number(passed)
  total.failed += Number(failed)
  if (Number(failed) > 0) console.log(output)
  console.log(`  ${passed} passed, ${failed} failed, ${Math.round((Date.now() - began) / 1_000)} s`)
}

mkdirSync('target', { recursive: true })
writeFileSync(REPORT, `${table.join('\n')}\n`)
if (total.passed + total.failed === 0) total.failed = 1
console.log(`\nThe table is in ${REPORT}.\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

function place(row) {
  const at = ORDER.indexOf(row)
  return at < 0 ? ORDER.length : at
}

/** What a row printed, in its time. */
function outputOf(row) {
  const time = Math.min(MINUTES.row * 60_000, until - Date.now())
  if (time <= 0) return `NOT TESTED  ${row}: ${MINUTES.all} minutes were over\n0 passed, 1 failed`
  return new Promise((resolve) => {
    // By a signal that a row hears, for it has programs of its own to end.
    const child = start([process.execPath, join(ROWS, `${row}.mjs`)], { signal: 'SIGTERM' })
    const timer = setTimeout(() => {
      child.output += `FAILED  ${row}: ended after ${Math.round(time / 1_000)} s\n`
      end(child)
    }, time)
    child.on('close', () => {
      clearTimeout(timer)
      resolve(child.output)
    })
  })
}

/** The checks of a row, those of one place in one line of the table. */
function read(output) {
  const places = new Map()
  const found = output.matchAll(/^(ok|FAILED|NOT TESTED) +(.+?): (.+)$/gm)
  for (const [, word, where, what] of found) {
    if (!places.has(where)) places.set(where, { where, how: [], result: 'passed' })
    const line = places.get(where)
    line.how.push(what)
    if (word === 'FAILED') line.result = 'FAILED'
    if (word === 'NOT TESTED') line.result = 'not tested'
  }
  return [...places.values()]
}
