// examples/worker and examples/gateway-node, each started as its README says, before the providers of the tests.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundled } from '../../tests/runtimes/bundled.mjs'
import { whyNot } from '../../tests/runtimes/npm.mjs'
import { end, start, within, withResolvers } from '../../tests/runtimes/process.mjs'
import { check, notTested } from '../../tests/runtimes/row.mjs'
import { installExample } from './install.mjs'

const KEYS = {
  OPENAI_KEY_1: 'sk-example-1-0123456789',
  OPENAI_KEY_2: 'sk-example-2-0123456789',
  ANTHROPIC_KEY: 'sk-example-3-0123456789',
  GEMINI_KEY: 'sk-example-4-0123456789',
}
const OPENAI_KEYS = [KEYS.OPENAI_KEY_1, KEYS.OPENAI_KEY_2]
const SECONDS_TO_START = 60
const CHAT = '/v1/chat/completions'
const request = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hello' }] }

/**
 * @param {(name: string) => boolean} isWanted
 * @param {string} sdks the folder whose packages have the SDK of OpenAI
 */
export async function checkGateways(isWanted, sdks) {
  const { default: OpenAI } = createRequire(join(sdks, 'package.json'))('openai')
  const support = await bundled(join('tests', 'support', 'providers', 'index.ts'))
  for (const [name, play] of Object.entries({ worker: playWorker, 'gateway-node': playNode })) {
    if (!isWanted(name)) continue
    const where = `examples/${name}`
    let app
    try {
      app = installExample(name)
    } catch (error) {
      notTested(where, `its packages could not be installed: ${whyNot(error)}`)
      continue
    }
    const providers = await support.Providers.start()
    try {
      await play({ where, app, providers, support, OpenAI })
    } finally {
      providers.stop()
    }
  }
}

/** Two processes of it, which share nothing. */
async function playWorker(scene) {
  const { where, app, providers, support } = scene
  rewrite(join(app, 'wrangler.jsonc'), /https:\/\/api\.openai\.com/g, providers.url)
  const secrets = readFileSync(join(app, '.dev.vars.example'), 'utf8')
  writeFileSync(
    join(app, '.dev.vars'),
    secrets.replaceAll(/^(\w+)=.*$/gm, (_, name) => `${name}=${KEYS[name]}`),
  )
  const command = [
    'npm',
    'run',
    'dev',
    '--',
    '--ip',
    '127.0.0.1',
    '--port',
    '0',
    '--inspector-port',
    '0',
  ]
  const env = { CI: 'true', NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' }
  const processes = [1, 2].map(() => start(command, { cwd: app, env: { ...process.env, ...env } }))
  await check(where, 'npm run dev, twice', async () => {
    scene.urls = await Promise.all(processes.map((one) => printedBy(one, /Ready on (http:\S+)/)))
  })
  if (scene.urls !== undefined) {
    await check(where, 'two processes send a conversation to the same key', async () => {
      const used = new Set()
      for (let conversation = 0; conversation < 8; conversation++) {
        const keys = []
        for (const url of scene.urls)
          keys.push(await keyFor(scene, url, `conversation ${conversation}`))
        equal(keys[0], keys[1])
        used.add(keys[0])
      }
      equal(used.size, 2)
    })
    await checkServed(scene, scene.urls[0], support)
  }
  for (const one of processes) end(one)
}

async function playNode(scene) {
  const { where, app, providers, support } = scene
  rewrite(join(app, 'config.json'), /"baseUrl": "[^"]*"/g, `"baseUrl": "${providers.url}"`)
  const env = { ...process.env, ...KEYS, PORT: '0', ADMIN_PORT: '0' }
  const server = start([process.execPath, 'server.mjs', 'config.json'], { cwd: app, env })
  await check(where, 'it is started', async () => {
    scene.urls = [
      await printedBy(server, /listening on (\S+)/),
      await printedBy(server, /operator on (\S+)/),
    ]
  })
  if (scene.urls !== undefined) {
    const [url, operator] = scene.urls
    await checkServed(scene, url, support)
    await check(where, 'health and inspect are on the port of its operator alone', async () => {
      const health = await (await fetch(`${operator}/health`)).json()
      equal(health.map(({ id }) => id).join(), 'openai,anthropic,gemini')
      if (JSON.stringify(health).includes('sk-')) throw new Error('it tells a secret')
      const asked = 'accessKey=team&protocol=gemini&model=gpt-5'
      const { groups } = await (await fetch(`${operator}/inspect?${asked}`)).json()
      equal(groups.find(({ id }) => id === 'openai').reason, 'conversion_required')
      equal((await fetch(`${operator}/inspect?accessKey=team`)).status, 400)
      for (const path of ['/health', '/inspect']) equal((await fetch(`${url}${path}`)).status, 404)
    })
    await check(where, 'SIGTERM lets a running stream come to its end', async () => {
      const { promise: gate, resolve: open } = withResolvers()
      const isAsked = OPENAI_KEYS.map((key) => {
        const before = providers.received(key).length
        providers.script(key, support.after(gate))
        return providers.arrival(key, before + 1)
      })
      const answer = ask(url, { ...request, stream: true })
      await within(10, 'the request', Promise.race(isAsked))
      const closed = new Promise((resolve) => server.on('close', resolve))
      process.kill(server.pid, 'SIGTERM')
      open()
      equal(contentOf(await (await answer).text()), support.TEXT)
      equal(await within(10, 'its end', closed), 0)
    })
  }
  end(server)
}

/** What holds wherever the gateway runs. */
async function checkServed(scene, url, { limited, TEXT }) {
  const { where, app, providers, OpenAI } = scene
  for (const { command, promised } of promisesOf(join(app, 'README.md'))) {
    await check(where, `README: ${command.slice(0, 60)}…`, async () =>
      equal(await told(command, url), promised),
    )
  }
  await check(where, 'answers in one piece and as a stream', async () => {
    equal(contentOf(await (await ask(url, request)).text()), TEXT)
    equal(contentOf(await (await ask(url, { ...request, stream: true })).text()), TEXT)
  })
  const openai = new OpenAI({ apiKey: 'ak-example', baseURL: `${url}/v1`, maxRetries: 0 })
  await check(where, 'answers the SDK of OpenAI in one piece and as a stream', async () => {
    const { choices } = await openai.chat.completions.create(request)
    equal(choices[0].message.content, TEXT)
    let text = ''
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? ''
    }
    equal(text, TEXT)
  })
  await check(where, 'the SDK of OpenAI knows why an access key is refused', async () => {
    const other = new OpenAI({ apiKey: 'ak-other', baseURL: `${url}/v1`, maxRetries: 0 })
    const error = await other.chat.completions.create(request).catch((reason) => reason)
    equal(error instanceof OpenAI.AuthenticationError, true)
    equal(error.code, 'unauthorized')
  })
  await check(where, 'a 429 fails over', async () => {
    const key = await keyFor(scene, url, 'fails over')
    providers.script(key, limited(30))
    const answer = await ask(url, request, { 'x-session-id': 'fails over' })
    equal(contentOf(await answer.text()), TEXT)
    equal(answer.headers.get('x-keyrota-attempts'), '2')
  })
}

/** The requests of a README beneath which stands what is answered. */
function promisesOf(readme) {
  const found = readFileSync(readme, 'utf8').matchAll(
    /```sh\n(curl .+)\n```\n\n```text\n(.+)\n```/g,
  )
  return Array.from(found, ([, command, promised]) => ({ command, promised }))
}

/** What a command of curl is answered: the status, and the body without ids. */
async function told(command, url) {
  const address = /http:\/\/127\.0\.0\.1:\d+(\S*)/.exec(command)[1]
  const headers = Array.from(command.matchAll(/-H '([^:]+): ([^']+)'/g), ([, name, value]) => [
    name,
    value,
  ])
  const body = /-d '([^']*)'/.exec(command)?.[1]
  const answer = await fetch(`${url}${address}`, { method: body ? 'POST' : 'GET', headers, body })
  const text = await answer.text()
  return `${answer.status} ${text.replace(/(?<="request_id":")[^"]*/, '…')}`
}

/** The key that a conversation is sent with. */
async function keyFor({ providers }, url, session) {
  const counts = OPENAI_KEYS.map((key) => providers.received(key).length)
  const answer = await ask(url, request, { 'x-session-id': session })
  if (answer.status !== 200) throw new Error(await answer.text())
  await answer.text()
  return OPENAI_KEYS.find((key, at) => providers.received(key).length > counts[at])
}

function ask(url, body, more = {}) {
  const headers = {
    authorization: 'Bearer ak-example',
    'content-type': 'application/json',
    ...more,
  }
  const sent = fetch(`${url}${CHAT}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return within(20, 'an answer', sent)
}

/** What an answer says, whole or in pieces. */
function contentOf(text) {
  return [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    .map(([, said]) => JSON.parse(said))
    .join('')
}

/** Waits for what a program prints. */
function printedBy(child, pattern) {
  const printed = new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(child.output)
      if (found !== null) resolve(found[1])
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
    child.on('close', () => reject(new Error(`it ended:\n${child.output}`)))
    look()
  })
  return within(SECONDS_TO_START, `${pattern}`, printed).catch((error) => {
    throw new Error(`${error.message}\n${child.output}`)
  })
}

function rewrite(file, pattern, text) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(pattern, text))
}

function equal(actual, expected) {
  if (!Object.is(actual, expected)) throw new Error(`expected ${expected}, got ${actual}`)
}
