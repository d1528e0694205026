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
  let tests = []
  await check(where, 'ran', () => {
    try {
      const report = JSON.parse(readFileSync(join(app, 'report.json'), 'utf8'))
      tests = report.testResults.flatMap(({ assertionResults }) => assertionResults)
    } catch {}
    if (tests.length === 0) throw new Error(output)
  })
  for (const { title, status, failureMessages } of tests) {
    await check(where, title, () => {
      if (status !== 'passed') throw new Error(failureMessages.join('\n'))
    })
  }
}
