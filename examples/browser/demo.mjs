import { isKeyrotaError, KeyPool } from 'keyrota'

const REASONS = {
  strategy: 'its turn, by weight',
  affinity: 'the chat is on it',
  rebound: 'the chat moved here',
}
const STATES = { available: 'available', cooling: 'rests' }

// "Let 30 s pass" moves the clock. An app leaves `now` out.
let skipped = 0
const now = () => Date.now() + skipped

const pool = new KeyPool({
  credentials: {
    openai: [
      { id: 'A', secret: 'sk-fake-a', weight: 3 },
      { id: 'B', secret: 'sk-fake-b', weight: 2 },
      { id: 'C', secret: 'sk-fake-c', weight: 1 },
    ],
  },
  now,
})
await pool.load('openai')

/** The keys whose next request the made-up provider will answer by 429. */
const limited = new Set()
let count = 0

function askProvider(id) {
  return limited.delete(id) ? { status: 429, headers: { 'retry-after': '60' } } : { status: 200 }
}

async function send() {
  const chat = document.querySelector('[name=chat]:checked').value
  const request = ++count
  try {
    // As an app does it; here the request is a function of this page.
    await pool.run({ provider: 'openai', session: chat || undefined }, (lease, attempt) => {
      const answer = askProvider(lease.credential.id)
      const why = attempt > 1 ? 'the same request, another key' : REASONS[lease.reason]
      log(attempt > 1 ? '' : request, chat, lease.credential.id, answer.status, why)
      return answer
    })
  } catch (error) {
    if (!isKeyrotaError(error, 'no_credential_available')) throw error
    const seconds = Math.ceil(error.retryAfterMs / 1_000)
    log(request, chat, '', '', `no key is available; the next one is back in ${seconds} s`)
  }
  show()
}

function log(request, chat, key, status, why) {
  document.querySelector('.hint')?.remove()
  const row = document.createElement('tr')
  for (const text of [request, chat, key, status, why]) row.insertCell().textContent = text
  if (key) row.cells[2].innerHTML = `<span class="key ${key}">${key}</span>`
  if (status === 429) row.cells[3].className = 'refused'
  document.querySelector('#log').prepend(row)
}

function show() {
  for (const { id, state, until, picks } of pool.status('openai')) {
    const card = document.querySelector(`#key-${id}`)
    const rest = until === null ? '' : ` for ${Math.ceil((until - now()) / 1_000)} s`
    card.dataset.state = state
    card.querySelector('.state').textContent = (STATES[state] ?? state) + rest
    card.querySelector('.picks').textContent = picks
    card.querySelector('button').setAttribute('aria-pressed', limited.has(id))
  }
}

for (const { id, weight } of pool.status('openai')) {
  const card = document.createElement('article')
  card.id = `key-${id}`
  card.innerHTML = `
    <h2><span class="key ${id}">${id}</span> weight ${weight}</h2>
    <p class="state"></p>
    <p>picked <span class="picks"></span> times</p>
    <button type="button">429 next time</button>`
  card.querySelector('button').addEventListener('click', () => {
    if (!limited.delete(id)) limited.add(id)
    show()
  })
  document.querySelector('#keys').append(card)
}
document.querySelector('#send').addEventListener('click', send)
document.querySelector('#send-six').addEventListener('click', async () => {
  for (let i = 0; i < 6; i++) await send()
})
document.querySelector('#skip').addEventListener('click', () => {
  skipped += 30_000
  show()
})
setInterval(show, 1_000)
show()
