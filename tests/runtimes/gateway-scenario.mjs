// The story of `keyrota/gateway`, told in every runtime: its answer must be the one that stands in
// gateway-scenario.json. It imports nothing; the provider is a function, and time stands in a variable.

const START = 1_767_268_800_000 // 2026-01-01T12:00:00Z
const SHA256_OF_AK_TEAM = '2f63260f1377dda8e00e91569e1ebe2193f63a71164ec90720b941e25cdec1d6'
const PIECES = ['Es ', 'war ', 'einmal']

/** Keys in the way of a file: their values are looked up in `env`. */
const env = { KEY_A: 'sk-a-12345678', KEY_B: 'sk-b-12345678', KEY_LAST: 'sk-last-12345678' }
const config = {
  accessKeys: [{ id: 'team', sha256: SHA256_OF_AK_TEAM, models: ['fast', 'm'] }],
  groups: [
    {
      id: 'first',
      baseUrl: 'https://first.example/v1',
      protocols: ['openai-chat', 'gemini'],
      models: ['m', { name: 'fast', upstream: 'fast-2026 ⚡' }],
      priority: 1,
      credentials: [
        { id: 'A', secret: '$KEY_A', weight: 75 },
        { id: 'B', secret: '$KEY_B', weight: 25 },
      ],
    },
    {
      id: 'last',
      baseUrl: 'https://last.example',
      protocols: ['openai-chat', 'anthropic-messages'],
      credentials: [{ id: 'L', secret: '$KEY_LAST' }],
    },
  ],
}

/**
 * Makes the gateway, and nothing more: some platforms do this outside of any request.
 * @param {typeof import('keyrota/gateway')} entry
 */
export function prepareGateway({ createGateway }) {
  const time = { now: START }
  const events = []
  const asked = []
  const answers = []
  /** The provider answers as the story says, and else with a 200. */
  const upstreamFetch = async (url, { headers, body, signal }) => {
    signal?.throwIfAborted()
    const key = headers.get('authorization') ?? headers.get('x-api-key')
    asked.push({ url, key: key ?? headers.get('x-goog-api-key'), body: textOf(body) })
    return (answers.shift() ?? whole)()
  }
  const make = (more) =>
    createGateway(
      { ...config, ...more },
      { env, upstreamFetch, now: () => time.now, onEvent: (event) => events.push(event) },
    )
  return { createGateway, make, time, events, asked, answers, gateway: make() }
}

/**
 * Tells the story.
 * @param {ReturnType<typeof prepareGateway>} prepared
 * @returns {Promise<object>} plain data
 */
export async function tellGateway({ createGateway, make, time, events, asked, answers, gateway }) {
  const answer = {}
  const send = (path, body, headers, on = gateway) =>
    on.fetch(new Request(`https://gateway.example${path}`, request(body, headers)))
  // Each is another conversation, unless its header says which: by its first words it is known too.
  let count = 0
  const chat = (more, headers, on) => {
    const messages = [{ role: 'user', content: `Erzähl ${++count}!` }]
    return send('/v1/chat/completions', { model: 'm', messages, ...more }, headers, on)
  }
  const keys = () => asked.splice(0).map(({ key }) => /sk-(\w+)-/.exec(key)?.[1])

  for (let i = 0; i < 8; i++) await (await chat()).text()
  answer.byWeight = keys().join(' ')

  await (await chat({ model: 'fast' })).text()
  await (await send('/v1beta/models/fast:generateContent', { contents: [] })).text()
  answer.renamed = asked.splice(0)

  const session = { 'x-session-id': 'chat-42' }
  for (let i = 0; i < 3; i++) {
    await (await chat({}, session)).text()
    await (await chat()).text()
  }
  answer.session = keys().join(' ')

  answers.push(() => limited(90))
  const other = await chat({}, { ...session, 'x-request-id': 'req-7' })
  answer.failover = [other.status, await other.json(), headersOf(other), keys().join(' ')]
  const query = { accessKey: 'team', protocol: 'openai-chat', model: 'm' }
  answer.inspection = gateway.inspect(query)

  answers.push(() => stream([errorEvent]))
  const streamed = await chat({ stream: true })
  answer.streamed = [streamed.status, headersOf(streamed), await piecesOf(streamed)]
  answers.push(() => stream(PIECES.map(piece)))
  answer.cut = await piecesOf(await chat({ stream: true }))
  asked.splice(0)

  answer.refused = []
  for (const [path, headers, body] of [
    ['/v1/chat/completions', { authorization: 'Bearer ak-other' }, { model: 'm' }],
    ['/v1/messages', { authorization: '', 'x-api-key': 'ak-other' }, { model: 'm' }],
    ['/v1beta/models/m:generateContent', { authorization: '', 'x-goog-api-key': 'ak-other' }, {}],
    ['/v1/chat/completions', {}, { model: 'unknown' }],
    ['/v1/messages', {}, { model: 'unknown' }],
    ['/v1/chat/completions', {}, { messages: [] }],
    ['/nothing', {}, {}],
  ]) {
    const refusal = await send(path, body, { ...headers, 'x-request-id': 'req-8' })
    answer.refused.push([refusal.status, headersOf(refusal), await refusal.json()])
  }
  answer.keysOfRefused = keys().join(' ')

  const claude = await send('/v1/messages', { model: 'm', messages: [], max_tokens: 1 })
  answer.claude = [claude.status, asked.splice(0)]
  const models = new Request('https://gateway.example/v1/models', { headers: request().headers })
  answer.models = await (await gateway.fetch(models)).json()

  answers.push(() => limited(30))
  answer.allRest = []
  for (let i = 0; i < 2; i++) {
    const refusal = await chat({}, { 'x-request-id': 'req-9' })
    answer.allRest.push([refusal.status, headersOf(refusal), await refusal.json()])
  }
  answer.keysUntilAllRest = keys().join(' ')
  time.now += 60_000
  for (let i = 0; i < 3; i++) await (await chat()).text()
  answer.afterAMinute = keys().join(' ')

  gateway.reload({ ...config, groups: config.groups.slice(0, 1) })
  time.now += 60_000
  answers.push(() => limited(30))
  answer.reloaded = [(await chat()).status, keys().join(' ')]
  const health = new Request('https://gateway.example/healthz')
  answer.health = [gateway.health(), (await (await gateway.fetch(health)).json()).status]

  const placing = make({ strategy: 'rendezvous' })
  for (let i = 0; i < 12; i++) {
    await (await chat({}, { 'x-session-id': `chat ${i}` }, placing)).text()
  }
  answer.rendezvous = keys().join(' ')
  placing.dispose()

  try {
    createGateway({ ...config, accesKeys: [], groups: [{ ...config.groups[0], weight: 0 }] })
  } catch (error) {
    const issues = error.issues.map(({ path, rule, nearest }) => ({ path, rule, nearest }))
    answer.wrongConfig = [error.code, issues]
  }

  gateway.dispose()
  answer.disposed = (await chat()).status
  answer.events = events.map(toldOf)
  return JSON.parse(JSON.stringify(answer))
}

/** Prepares and tells, where nothing speaks against doing both at once. */
export const gatewayScenario = async (entry) => tellGateway(prepareGateway(entry))

function request(body, headers = {}) {
  const own = { authorization: 'Bearer ak-team', 'content-type': 'application/json', ...headers }
  const given = Object.entries(own).filter(([, value]) => value !== '')
  return { method: 'POST', headers: given, body: JSON.stringify(body) }
}

/** What a gateway says beside the provider's answer. */
function headersOf({ headers }) {
  const names = ['content-type', 'retry-after', 'x-keyrota-attempts', 'x-keyrota-code']
  const told = names.map((name) => headers.get(name)).concat(headers.get('x-request-id'))
  // One that nobody gave is a new one.
  return told.map((value) => (/^[\da-f-]{32,}$/i.test(value) ? 'new' : value))
}

/** An event without what differs from run to run. */
function toldOf({ requestId: _, ms: __, protocol, type, model, status, errorCode, ...more }) {
  if (type === 'credential')
    return [type, more.change, more.credential, more.class, model].join(' ')
  const { attempt, credential, verdict, attempts, ended } = more
  const told = type === 'attempt' ? [attempt, credential, verdict] : [attempts, ended]
  return [type, protocol, model, status, errorCode, ...told].join(' ')
}

/** The text of each chunk until the end or an error, and which it was. */
async function piecesOf({ body }) {
  const reader = body.getReader()
  const read = []
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      read.push(/"content":"([^"]*)"/.exec(textOf(next.value))?.[1] ?? '')
    }
    return [...read, 'the end']
  } catch (error) {
    // Its words are the runtime's.
    return [...read, error instanceof Error ? 'an error' : typeof error]
  }
}

function textOf(bytes) {
  return bytes === null || bytes === undefined ? bytes : new TextDecoder().decode(bytes)
}

function whole() {
  return json({ choices: [{ message: { content: 'Grüße' }, finish_reason: 'stop' }] })
}

function limited(seconds) {
  const error = { code: 'rate_limit_exceeded', message: 'Rate limit reached' }
  return json({ error }, 429, { 'retry-after': String(seconds) })
}

function json(body, status = 200, headers = {}) {
  const all = { 'content-type': 'application/json', ...headers }
  return new Response(JSON.stringify(body), { status, headers: all })
}

const errorEvent =
  'data: {"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}\n\n'

function piece(content) {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
}

function stream(texts) {
  const left = texts.map((text) => new TextEncoder().encode(text))
  const body = new ReadableStream({
    pull(controller) {
      if (left.length === 0) controller.close()
      else controller.enqueue(left.shift())
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
