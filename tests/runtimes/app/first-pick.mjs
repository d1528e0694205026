// How long it takes from nothing to the first credential, in milliseconds.
const began = performance.now()
const { KeyPool } = await import('keyrota')
const pool = new KeyPool({ credentials: { openai: ['sk-one'] } })
await pool.acquire({ provider: 'openai' })
console.log(performance.now() - began)
