import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error a script of its own
import { pack } from '../../scripts/pack.mjs'
// @ts-expect-error a script of its own
import { installLocked, whyNot } from '../runtimes/npm.mjs'

const ROOT = resolve(import.meta.dirname, '..', '..')
const RUNTIMES = join(ROOT, 'tests', 'runtimes')
const LOWEST = join(ROOT, 'target', 'runtimes', 'gateway-lowest')

/** Outside of this folder, whose packages Node would find. */
let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'keyrota-peers-'))
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, 'keyrota'), { recursive: true })
  execFileSync('tar', ['-xzf', pack(), '--strip-components=1', '-C', join(modules, 'keyrota')])
  copyFileSync(join(RUNTIMES, 'app', 'gateway.mjs'), join(home, 'story.mjs'))
  copyFileSync(join(RUNTIMES, 'gateway-scenario.mjs'), join(home, 'gateway-scenario.mjs'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Puts these packages beside the packed one. */
function provide(from: string, names: readonly string[]): void {
  for (const name of ['hono', 'zod']) rmSync(join(home, 'node_modules', name), { force: true })
  for (const name of names) {
    symlinkSync(join(from, 'node_modules', name), join(home, 'node_modules', name), 'dir')
  }
}

function run(program: string): string {
  writeFileSync(join(home, 'program.mjs'), program)
  return execFileSync(process.execPath, ['program.mjs'], {
    cwd: home,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

const RECORDED: unknown = JSON.parse(readFileSync(join(RUNTIMES, 'gateway-scenario.json'), 'utf8'))

/** Tells the story that every runtime tells. */
function told(): unknown {
  return JSON.parse(run("import './story.mjs'").replace(/^ANSWER /, ''))
}

describe('a gateway of the packed package', () => {
  test('works with the hono and the zod that the tests have', () => {
    provide(ROOT, ['hono', 'zod'])
    expect(told()).toEqual(RECORDED)
  })

  test('works with the oldest of both that it allows', ({ skip }) => {
    try {
      installLocked(join(import.meta.dirname, 'tools', 'lowest'), LOWEST)
    } catch (error) {
      // A developer's machine may lack them; the one that decides may not.
      if (process.env['CI']) throw error
      skip(`NOT TESTED: the oldest hono and zod, which could not be installed: ${whyNot(error)}`)
    }
    provide(LOWEST, ['hono', 'zod'])
    expect(told()).toEqual(RECORDED)
  })

  test.each([
    ['hono', ['zod']],
    ['zod', ['hono']],
  ])('says how to install %s when it is missing', (missing, there) => {
    provide(ROOT, there)
    const needed = `keyrota/gateway needs '${missing}': npm install hono zod`
    expect(() => run("import 'keyrota/gateway'")).toThrow(needed)
    const required = `import { createRequire } from 'node:module'
      try {
        createRequire(import.meta.url)('keyrota/gateway')
      } catch ({ name, code, message }) {
        console.log(name, code, message)
      }`
    expect(run(required)).toBe(`KeyrotaError missing_peer ${needed}`)
  })

  test('is one for import and require', () => {
    provide(ROOT, ['hono', 'zod'])
    const program = `import { createRequire } from 'node:module'
      import { createGateway } from 'keyrota/gateway'
      console.log(createRequire(import.meta.url)('keyrota/gateway').createGateway === createGateway)`
    expect(run(program)).toBe('true')
  })
})
