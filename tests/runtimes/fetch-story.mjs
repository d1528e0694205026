// What `keyrota/fetch` must do in every runtime, over a provider that is a function.

const URL_OF_CHAT = 'https://provider.example/v1/chat/completions'
const PIECES = ['Hel', 'lo ', 'you']

/**
 * The rules, each with a check that is given the entry of the package.
 * @param {(pool: object, options: object) => typeof fetch} pooledFetch
 */
export function fetchScenarios(pooledFetch) {
  const over = ({ KeyPool }, ...answers) => {
    const pool = new KeyPool({ credentials: { openai: ['sk-one', 'sk-two'] } })
    const asked = []
    const provider = async (_url, { headers, signal }) => {
      signal?.throwIfAborted()
      asked.push(headers.get('authorization'))
      return answers.shift()()
    }
    return { pool, asked, fetch: pooledFetch(pool, { provider: 'openai', fetch: provider }) }
  }
  return { ...answersOver(over), ...streamsOver(over) }
}

function answersOver(over) {
  return {
    'a 429 goes to the next key': async (keyrota) => {
      const { pool, asked, fetch } = over(
        keyrota,
        () => limited(30),
        () => json({ text: 'fine' }),
      )
      const response = await fetch(URL_OF_CHAT, request())
      equal((await response.json()).text, 'fine')
      equal(asked.join(), 'Bearer sk-one,Bearer sk-two')
      pool.dispose()
    },
    'when all keys rest the answer is a 429 with its time': async (keyrota) => {
      const { pool, fetch } = over(
        keyrota,
        () => limited(30),
        () => limited(30),
      )
      await fetch(URL_OF_CHAT, request())
      const response = await fetch(URL_OF_CHAT, request())
      equal(response.status, 429)
      equal(Number(response.headers.get('retry-after')) > 0, true)
      pool.dispose()
    },
  }
}

function streamsOver(over) {
  return {
    'a stream says all, after an error that came before its content': async (keyrota) => {
      const error =
        'data: {"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}\n\n'
      const whole = [...PIECES.map(chunk), 'data: [DONE]\n\n']
      const { pool, asked, fetch } = over(
        keyrota,
        () => stream([error]),
        () => stream(whole),
      )
      const response = await fetch(URL_OF_CHAT, request())
      equal(await response.text(), whole.join(''))
      equal(asked.length, 2)
      equal(inFlight(pool), 0)
      pool.dispose()
    },
    'a stream that was cut reads as an error': async (keyrota) => {
      const { pool, fetch } = over(keyrota, () => stream(PIECES.map(chunk)))
      const response = await fetch(URL_OF_CHAT, request())
      // Browsers have words of their own for it.
      const isError = await response.text().then(
        () => false,
        () => true,
      )
      equal(isError, true)
      equal(inFlight(pool), 0)
      pool.dispose()
    },
    'an endless stream ends when it is cancelled': async (keyrota) => {
      let isCancelled = false
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode(chunk('x'))),
        cancel() {
          isCancelled = true
        },
      })
      const { pool, fetch } = over(keyrota, () => sse(endless))
      const reader = (await fetch(URL_OF_CHAT, request())).body.getReader()
      await reader.read()
      await reader.cancel()
      equal(isCancelled, true)
      equal(inFlight(pool), 0)
      pool.dispose()
    },
    'who gives up is answered with the own reason': async (keyrota) => {
      const controller = new AbortController()
      const { pool, fetch } = over(keyrota, () => {
        controller.abort(new Error('enough'))
        return new Promise((_, reject) => reject(controller.signal.reason))
      })
      const told = await fetch(URL_OF_CHAT, { ...request(), signal: controller.signal }).then(
        () => 'nothing',
        (error) => error.message,
      )
      equal(told, 'enough')
      equal(inFlight(pool), 0)
      pool.dispose()
    },
  }
}

function inFlight(pool) {
  return pool.status('openai').reduce((sum, row) => sum + row.inFlight, 0)
}

/** Plays all, and answers what went wrong. */
export async function faultsOf(keyrota, pooledFetch) {
  const faults = []
  for (const [rule, check] of Object.entries(fetchScenarios(pooledFetch))) {
    await check(keyrota).catch((error) => faults.push(`${rule}: ${error?.message ?? error}`))
  }
  return faults
}

function equal(actual, expected) {
  if (!Object.is(actual, expected)) throw new Error(`expected ${expected}, got ${actual}`)
}

function request() {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { authorization: 'Bearer pooled', 'content-type': 'application/json' }
  return { method: 'POST', headers, body }
}

function json(body, status = 200, headers = {}) {
  const all = { 'content-type': 'application/json', ...headers }
  return new Response(JSON.stringify(body), { status, headers: all })
}

function limited(seconds) {
  const error = { code: 'rate_limit_exceeded', message: 'Rate limit reached' }
  return json({ error }, 429, { 'retry-after': String(seconds) })
}

function chunk(content) {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
}

function stream(texts) {
  const left = texts.map((text) => new TextEncoder().encode(text))
  return sse(
    new ReadableStream({
      pull(controller) {
        if (left.length === 0) controller.close()
        else controller.enqueue(left.shift())
      },
    }),
  )
}

function sse(body) {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
