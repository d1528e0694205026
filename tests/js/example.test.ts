/**
 * `npm start` tells its story to the end, the same each time.
 * @module
 */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'

let classic = ''
let adaptive = ''

beforeAll(async () => {
  ;[classic, adaptive] = await Promise.all([start(), start('adaptive')])
})

test('the example serves every request, and says which key did and why it changed', () => {
  expect(classic).toMatch(/12:00:05 +1 +ana +main +200 +chosen by weight/)
  expect(classic).toMatch(/12:00:20 +4 +ana +main +200 +the chat stays on its key/)
  expect(eventsOf(classic)).toEqual([
    'old is disabled (auth_failed)',
    'main rests until 12:01:35 (rate_limited, step 1 of the ladder)',
    'spare takes over from main',
    'spare takes over from main',
    'main is back',
    'main rests until 12:03:35 (rate_limited, step 1 of the ladder)',
    'spare takes over from main',
  ])
  for (let number = 1; number <= 19; number++) {
    expect(classic).toMatch(new RegExp(`^\\S+ +${number} +\\S+ +\\S+ +200 `, 'm'))
  }
})

test('the example ends with a table of the keys and with who would be next', () => {
  expect(classic).toMatch(/^key +weight +picks +successes +failures +cooldowns +state$/m)
  expect(classic).toMatch(/^main +3 +10 +8 +2 +2 +cooling$/m)
  expect(classic).toMatch(/^spare +2 +11 +11 +0 +0 +available$/m)
  expect(classic).toMatch(/^old +1 +1 +0 +1 +0 +credential_disabled$/m)
  expect(classic).toContain('Who would serve the next request: spare')
  expect(classic).toMatch(/^main +cooling +rate_limited +12:03:35$/m)
  expect(classic).toMatch(/^spare +chosen +- +-$/m)
  expect(classic).toMatch(/^old +credential_disabled +auth_failed +-$/m)
})

test('the example prints neither secrets nor, to a pipe, colours', () => {
  expect(classic).not.toContain('sk-')
  expect(classic).not.toContain('\x1b')
})

test('under the adaptive policy the code disables a dead key, and chats go home', () => {
  expect(adaptive).toMatch(/^12:00:40 +8 +ben +spare +200 +the chat stays here while/m)
  expect(eventsOf(adaptive)).toEqual([
    'old is disabled (auth_failed)',
    'main rests until 12:01:35 (rate_limited, step 1 of the ladder)',
    'spare takes over from main',
    'spare takes over from main',
    'main is back',
    'main takes over from spare',
    'main rests until 12:03:30 (rate_limited, step 1 of the ladder)',
    'spare takes over from main',
  ])
})

async function start(...args: string[]): Promise<string> {
  const command = ['start', '--silent', '--', ...args]
  const { stdout } = await promisify(execFile)('npm', command, { timeout: 9_000 })
  return stdout
}

/** What happened to the keys, in order. */
function eventsOf(story: string): string[] {
  return [...story.matchAll(/^ +> (.+)$/gm)].map(([, text = '']) => text.replaceAll(/ +/g, ' '))
}
