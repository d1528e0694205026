// How a row of the matrix tells what it found: a line per check, and at last their count.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startProvider } from './provider.mjs'

const [recorded, recordedFetch, recordedGateway] = [
  ...['scenario.json', 'fetch-scenario.json', 'gateway-scenario.json'],
].map((file) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')))
const counts = { passed: 0, failed: 0 }
let finished = false
process.on('exit', () => {
  // Something threw outside of any check, or the row was ended.
  if (!finished) console.log(`${counts.passed} passed, ${counts.failed + 1} failed`)
})

/**
 * Makes one check; the row goes on after one that fails.
 * @param {string} where the runtime or tool with its version: a line of the table
 * @param {string} what how the package is used there
 * @param {() => unknown} body throws when the check fails
 */
export async function check(where, what, body) {
  try {
    await body()
    counts.passed++
    console.log(`ok      ${where}: ${what}`)
  } catch (error) {
    counts.failed++
    console.log(`FAILED  ${where}: ${what}\n${indented(error?.stack ?? error)}`)
  }
}

/**
 * Makes one check of the story of `keyrota/fetch`, with a provider for it.
 * @param {(url: string) => Promise<object>} tell answers what was told; the provider is at the URL
 */
export async function checkFetch(where, what, tell) {
  const provider = await startProvider()
  await check(where, what, async () => expectRecorded(await tell(provider.url), recordedFetch))
  provider.close()
}

/**
 * Makes one check of the story of `keyrota/gateway`.
 * @param {() => Promise<object>} tell answers what was told
 */
export function checkGateway(where, what, tell) {
  return check(where, what, async () => expectRecorded(await tell(), recordedGateway))
}

/**
 * Makes one check of a program's story, and counts the checks that the program made itself.
 * @param {() => Promise<string>} start answers what the program printed
 */
export async function checkProgram(where, what, start) {
  await check(where, what, async () => {
    const output = await start()
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [0, 0, 1]
    counts.passed += Number(passed)
    counts.failed += Number(failed)
    if (Number(failed) > 0) throw new Error(output)
    expectPrinted(output)
  })
}

/** A part of a row that this machine cannot run. Where everything must be tested, it failed. */
export function notTested(where, why) {
  console.log(`NOT TESTED  ${where}: ${why}`)
  if (process.env.CI) counts.failed++
}

/** Throws unless the story went as it was recorded. */
export function expectRecorded(answer, story = recorded) {
  for (const [chapter, expected] of Object.entries(story)) {
    if (!isDeepStrictEqual(answer?.[chapter], expected)) {
      const told = JSON.stringify(answer?.[chapter] ?? answer)
      throw new Error(`${chapter}: recorded was ${JSON.stringify(expected)}, told was ${told}`)
    }
  }
}

/** Throws unless a program printed the story as it was recorded. */
export function expectPrinted(output) {
  expectRecorded(printed(output))
}

/** What a program printed on the line that begins with this word. */
export function printed(output) {
  const line = output.split('\n').find((line) => line.startsWith('ANSWER '))
  if (line === undefined) throw new Error(`no answer in:\n${output}`)
  return JSON.parse(line.slice('ANSWER '.length))
}

/** The last line of a row. */
export function finish() {
  finished = true
  if (counts.passed + counts.failed === 0) counts.failed++
  console.log(`${counts.passed} passed, ${counts.failed} failed`)
  process.exitCode = counts.failed > 0 ? 1 : 0
}

function indented(text) {
  return String(text).replaceAll(/^/gm, '        ')
}
