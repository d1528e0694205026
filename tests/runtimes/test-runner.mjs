// Rows that are test runners themselves: their own report counts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './process.mjs'
import { check } from './row.mjs'

/**
 * Runs a test runner that writes the report that Jest and Vitest share, and makes its tests checks.
 * @param {string} where
 * @param {string} app
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function checkTests(where, app, command, env = {}) {
  const options = { cwd: app, env: { ...process.env, CI: 'true', NO_COLOR: '1', ...env } }
  const output = await run([process.execPath, ...command], { ...options, seconds: 90 }).catch(
    (error) => error.message,
  )
  const tests = testsOf(join(app, 'report.json'))
  if (tests.length === 0) await check(where, 'a report', () => Promise.reject(new Error(output)))
  for (const { title, status, failureMessages } of tests) {
    await check(where, title, () => {
      if (status !== 'passed') throw new Error(failureMessages.join('\n'))
    })
  }
}

function testsOf(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return testResults.flatMap(({ assertionResults }) => assertionResults)
  } catch {
    return []
  }
}
