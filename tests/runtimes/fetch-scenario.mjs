// The story of `keyrota/fetch`, told in every runtime: its answer must be the one that stands in
// fetch-scenario.json. It imports nothing; the provider is that of provider.mjs.

const TYPE = { 'content-type': 'application/json' }

/**
 * Makes the pool and the `fetch`, and nothing more: some platforms do this outside of any request.
 * @param {typeof import('keyrota')} keyrota
 * @param {typeof import('keyrota/fetch')} entry
 */
export function prepareFetch({ KeyPool }, { pooledFetch }) {
  const make = () => {
    const openai = [
      { id: 'A', secret: 'sk-a' },
      { id: 'B', secret: 'sk-b' },
    ]
    const pool = new KeyPool({ credentials: { openai } })
    return { pool, fetch: pooledFetch(pool, { provider: 'openai', timeoutMs: 60_000 }) }
  }
  return { make, ...make() }
}

/**
 * Tells the story.
 * @param {ReturnType<typeof prepareFetch>} prepared
 * @param {string} provider its URL
 * @returns {Promise<object>} plain data
 */
export async function tellFetch({ make, pool, fetch: pooled }, provider) {
  const url = `${provider}/v1/chat/completions`
  const ask = async (what) => (await fetch(`${provider}/${what}`)).json()
  const keys = async () => (await ask('seen')).map(({ key }) => key).join(' ')
  const answer = {}

  // What a plain fetch sends is all that may be sent.
  await (await fetch(url, request('json', { authorization: 'Bearer sk-b' }))).text()
  const [plain] = await ask('seen')

  const streamed = await pooled(url, request('pieces'))
  const attempts = await ask('seen')
  const reader = streamed.body.getReader()
  answer.pieces = []
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const words = said(piece.value)
    if (words === '') continue // of the end, and of runtimes that cut what came
    answer.pieces.push(words)
    await ask('next')
  }
  answer.streamed = [streamed.status, streamed.url === url, streamed instanceof Response]
  answer.attempts = attempts.map(({ key }) => key).join(' ')
  answer.sameHeaders = attempts.every(({ headers }) => `${headers}` === `${plain.headers}`)
  answer.sameBody = attempts[0].body === attempts[1].body

  const whole = await pooled(url, request('json'))
  answer.whole = [whole.status, whole.url === url, (await whole.json()).choices[0].message.content]

  await ask('seen')
  const asRequest = await make().fetch(new Request(url, request('json')))
  answer.asRequest = [asRequest.status, await keys()]

  answer.form = await sendForm(make().fetch, provider, ask)

  const cut = await pooled(url, request('cut'))
  answer.cut = await readAll(cut, () => ask('next'))
  answer.short = await readAll(await pooled(url, request('short')))

  answer.aborted = await abortStream(pooled, url, ask)
  answer.abortedBefore = await abortBefore(pooled, url, ask)

  const canceled = (await pooled(url, request('pieces'))).body.getReader()
  await canceled.read()
  await canceled.cancel()
  answer.canceled = await ask('closed')

  const free = await written(fetch, url, ask, { authorization: 'Bearer sk-b' })
  const held = await written(pooled, url, ask)
  // A runtime may read ahead, without end even; the pool must not read further.
  answer.backPressure = held <= 2 * free ? 'as without a pool' : `${held} of ${free} bytes`

  // A runtime's own words for what went wrong must mean the same.
  answer.status = pool.status('openai').map(({ id, picks, successes, failures, state }) => {
    return `${id} ${state}: ${picks} picks, ${successes} successes, ${failures} failures`
  })
  pool.dispose()
  return JSON.parse(JSON.stringify(answer))
}

/** What an SDK gives to its `fetch`. */
function request(model, headers = { authorization: 'Bearer pooled' }) {
  const stream = model !== 'json'
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Erzähl!' }] })
  return { method: 'POST', headers: { ...TYPE, ...headers }, body }
}

/** An upload: each attempt must have the same boundary. */
async function sendForm(pooled, provider, ask) {
  await ask('seen')
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob(['{"a":1}\n']), 'a.jsonl')
  const headers = { authorization: 'Bearer pooled' }
  const { status } = await pooled(`${provider}/v1/files`, { method: 'POST', headers, body: form })
  const [first, second] = await ask('seen')
  return [status, first.key, second.key, first.body === second.body ? 'same' : 'other']
}

/** Reads until the end or an error, and answers both. */
async function readAll(response, afterFirst = async () => {}) {
  const reader = response.body.getReader()
  const read = []
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const words = said(piece.value)
      if (words === '') continue
      read.push(words)
      await afterFirst()
    }
    return [...read, 'the end']
  } catch (error) {
    return [...read, error instanceof Error ? 'an error' : typeof error]
  }
}

async function abortStream(pooled, url, ask) {
  const { signal, abort } = abortable()
  const reader = (await pooled(url, { ...request('pieces'), signal })).body.getReader()
  await reader.read()
  abort()
  const name = await reader.read().catch((error) => error.name)
  return [name, await ask('closed')]
}

async function abortBefore(pooled, url, ask) {
  const { signal, abort } = abortable()
  const answered = pooled(url, { ...request('silence'), signal }).catch((error) => error.name)
  // Not before the provider has the request.
  while ((await ask('last')) !== 'silence');
  abort()
  return [await answered, await ask('closed')]
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

/** How much a provider could write to a caller who read one piece and stopped. */
async function written(send, url, ask, headers) {
  const reader = (await send(url, request('endless', headers))).body.getReader()
  await reader.read()
  const bytes = await ask('written')
  await reader.cancel()
  return bytes
}

function said(chunk) {
  const found = new TextDecoder().decode(chunk).matchAll(/"content":"([^"]*)"/g)
  return Array.from(found, ([, words]) => words).join('')
}
