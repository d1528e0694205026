import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGateway } from 'keyrota/gateway'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limited, Providers, TEXT } from '../support/providers/index.ts'
import { bodyOf, newKey } from './scene.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EXAMPLE = join(ROOT, 'examples', 'gateway-node')
const config = JSON.parse(readFileSync(join(EXAMPLE, 'config.json'), 'utf8'))
const env = {
  OPENAI_KEY_1: newKey('sk-'),
  OPENAI_KEY_2: newKey('sk-'),
  ANTHROPIC_KEY: newKey('sk-'),
  GEMINI_KEY: newKey('sk-'),
}
const headers = { authorization: 'Bearer ak-example', 'content-type': 'application/json' }

let providers: Providers
let folder: string
let server: ChildProcess
let lines: AsyncIterator<string>
let url = ''

/** The next line that the server prints with that in it. */
async function line(part: string): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error(`it ended without ${part}`)
    if (value.includes(part)) return value
  }
}

function write(change: object = {}): void {
  const groups = config.groups.map((group: object) => ({ ...group, baseUrl: providers.url }))
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, groups, ...change }))
}

function ask(path: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

beforeAll(async () => {
  providers = await Providers.start()
  // Where the package is found by its own name: the example's folder is one of another package.
  mkdirSync(join(ROOT, 'target'), { recursive: true })
  folder = mkdtempSync(join(ROOT, 'target', 'example-'))
  write()
  copyFileSync(join(EXAMPLE, 'server.mjs'), join(folder, 'server.mjs'))
  const args = [join(folder, 'server.mjs'), join(folder, 'config.json')]
  const options = { env: { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', ...env } }
  server = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  if (server.stdout === null) throw new Error('it prints nothing')
  lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  url = (await line('listening on ')).replace('listening on ', '')
})
afterAll(() => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  providers.stop()
})

test('its configuration is one, with the digest of the key that it names', () => {
  createGateway(config).dispose()
  const digest = createHash('sha256').update('ak-example').digest('hex')
  expect(config.accessKeys[0].sha256).toBe(digest)
})

test('it serves every protocol, fails over, and logs what it did', async () => {
  providers.script(env.OPENAI_KEY_1, limited(30))
  const chat = await (await ask('/v1/chat/completions', bodyOf('openai-chat'))).json()
  expect(chat.choices[0].message.content).toBe(TEXT)
  const attempt = JSON.parse(await line('"verdict":"rate_limited"'))
  expect(attempt).toMatchObject({ type: 'attempt', group: 'openai', credential: 'main' })
  const claude = await ask('/v1/messages', bodyOf('anthropic-messages', { model: 'fast' }))
  expect((await claude.json()).model).toBe('claude-haiku-5')
  const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
  expect(await (await ask(path, bodyOf('gemini'))).text()).toContain('STOP')
})

test('it reads its configuration again at SIGHUP, and keeps the old one when it is wrong', async () => {
  write({ accessKeys: [] })
  server.kill('SIGHUP')
  await line('reloaded')
  expect((await ask('/v1/chat/completions', bodyOf('openai-chat'))).status).toBe(401)
  write()
  server.kill('SIGHUP')
  await line('reloaded')
  expect((await ask('/v1/chat/completions', bodyOf('openai-chat'))).status).toBe(200)
})

test('it ends at SIGTERM', async () => {
  const exit = once(server, 'exit')
  server.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
