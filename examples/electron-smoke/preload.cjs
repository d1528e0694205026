const { contextBridge, ipcRenderer } = require('electron')
const { KeyPool } = require('keyrota')

contextBridge.exposeInMainWorld('smoke', {
  told: (where, answer) => ipcRenderer.send('told', where, answer),
})

const openai = [
  { id: 'A', secret: 'sk-a', weight: 3 },
  { id: 'B', secret: 'sk-b', weight: 2 },
  { id: 'C', secret: 'sk-c', weight: 1 },
]

async function tell() {
  const pool = new KeyPool({ credentials: { openai } })
  const picks = []
  for (let i = 0; i < 12; i++) {
    const lease = await pool.acquire({ provider: 'openai' })
    picks.push(lease.credential.id)
    lease.release()
  }
  return picks.join(' ')
}

tell().then(
  (answer) => ipcRenderer.send('told', 'preload', answer),
  (error) => ipcRenderer.send('told', 'preload', String(error)),
)
