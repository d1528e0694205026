// How each runner says how many tests passed and failed.
import { readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number }} Count */

/** `cargo test` and wasm-bindgen-test-runner: one line per test binary. Ignored tests are none. */
export function countCargo(output) {
  return sum(output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm))
}

/** Every script under tests/runtimes: one line `N passed, M failed`. */
export function countPlain(output) {
  return sum(output.matchAll(/^(\d+) passed, (\d+) failed$/gm))
}

/** Vitest's own report, which a test cannot print by chance. */
export function countVitest(report) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failed: numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

function sum(lines) {
  const total = { passed: 0, failed: 0 }
  for (const [, passed, failed] of lines) {
    total.passed += Number(passed)
    total.failed += Number(failed)
  }
  return total
}
