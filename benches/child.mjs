// Run in a process of its own: what starts a process, and what grows its memory.

const SESSIONS = 1_000_000

const tasks = { start, sessions }
console.log(await tasks[process.argv[2]]())

/** Milliseconds of the import, of the first pool and of the first choice. */
async function start() {
  const began = performance.now()
  const { KeyPool } = await import('keyrota')
  const imported = performance.now()
  const pool = new KeyPool({ credentials: { openai: ['sk-1', 'sk-2', 'sk-3'] } })
  const made = performance.now()
  pool.tryAcquire({ provider: 'openai' })
  return [imported - began, made - imported, performance.now() - made].join(' ')
}

/** Bytes per session, with what the growing left over. V8 counts Wasm's memory as external. */
async function sessions() {
  const { Engine } = await import('keyrota')
  const engine = new Engine({
    affinity: { capacity: SESSIONS },
    credentials: { openai: ['sk-1', 'sk-2', 'sk-3'] },
  })
  const { index } = engine.provider('openai')
  const before = process.memoryUsage().external
  for (let session = 1; session <= SESSIONS; session++) engine.core.pick(index, session, session)
  return Math.round((process.memoryUsage().external - before) / SESSIONS)
}
