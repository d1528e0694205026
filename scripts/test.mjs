// Runs every test there is, one runner after another, and ends with one line: `N passed, M failed`.
//
//   npm test                  everything
//   npm test -- js wasm       only the runners whose name begins with one of these words
import { join } from 'node:path'
import { run } from './test/run.mjs'
import { runners } from './test/runners.mjs'

process.chdir(join(import.meta.dirname, '..'))
const MINUTES = 10 // for all of them together
const until = Date.now() + MINUTES * 60_000
const wanted = process.argv.slice(2)
const total = { passed: 0, failed: 0 }

for (const runner of runners()) {
  if (wanted.length > 0 && !wanted.some((word) => runner.name.startsWith(word))) continue
  const { passed, failed } = await outcome(runner)
  total.passed += passed
  total.failed += failed
}
if (total.passed + total.failed === 0) total.failed = 1
console.log(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

/** @param {import('./test/runners.mjs').Runner} runner */
async function outcome(runner) {
  console.log(`\n--- ${runner.name}`)
  if (runner.missing) {
    console.log(`NOT TESTED: ${runner.missing}`)
    // A developer's machine may lack a part; the one that decides may not.
    return { passed: 0, failed: process.env.CI ? 1 : 0 }
  }
  const left = Math.max((until - Date.now()) / 60_000, 0)
  const { output, fault } = await run({ ...runner, minutes: Math.min(runner.minutes, left) })
  const { passed, failed } = runner.count(output)
  const trouble = fault ?? (passed + failed === 0 ? 'ran no test' : null)
  if (trouble) console.log(`${runner.name}: ${trouble}`)
  // A runner may fail outside its tests: code that does not compile, a file that does not load.
  return { passed, failed: trouble ? Math.max(failed, 1) : failed }
}
