// What the bundlers bundle. It says what it told on the console, or to the server of its page.
import { isKeyrotaError, KeyPool } from 'keyrota'
import { ApiKeyPoolService } from 'keyrota/service'
import { scenario } from './scenario.mjs'

tell().then(send, (error) => send({ code: error.code, message: error.message }))

async function tell() {
  const service = new ApiKeyPoolService({
    loadKeys: (providerId) => [{ id: 'one', providerId, apiKey: 'sk-one', enabled: true }],
    disableKey: () => true,
    resolveKey: (key) => key,
  })
  const key = await service.getKey('openai')
  if (key !== 'sk-one') throw new Error(`the service answered ${key}`)
  return scenario({ isKeyrotaError, KeyPool })
}

function send(answer) {
  const text = JSON.stringify(answer)
  if (typeof document === 'undefined') console.log(`ANSWER ${text}`)
  else {
    const server = new URLSearchParams(location.search).get('to') ?? ''
    fetch(`${server}/answer/story`, { method: 'POST', body: text })
  }
}
