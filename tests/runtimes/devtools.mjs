// Chromium's own protocol, over two pipes: as much of it as one row needs.
import { readFileSync } from 'node:fs'
import { visit } from './browser.mjs'

/**
 * Runs a script beside a page, in a world of its own, as Electron runs a preload script.
 * @template T
 * @param {string} url
 * @param {string} script a file
 * @param {object} row what the script finds as `globalThis.row`
 * @param {() => Promise<T>} answered
 * @returns {Promise<T>}
 */
export function inIsolatedWorld(url, script, row, answered) {
  const options = { flags: ['--remote-debugging-pipe'], pipes: true }
  return visit(
    'chromium',
    'about:blank',
    async (browser) => {
      const send = talkTo(browser)
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
      const { frameId } = await send('Page.navigate', { url }, sessionId)
      const world = await send('Page.createIsolatedWorld', { frameId, worldName: 'row' }, sessionId)
      const expression = `globalThis.row = ${JSON.stringify(row)};${readFileSync(script, 'utf8')}`
      const contextId = world.executionContextId
      const { exceptionDetails } = await send(
        'Runtime.evaluate',
        { expression, contextId },
        sessionId,
      )
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
      return answered()
    },
    options,
  )
}

/** Messages are JSON, each ended by a zero. */
function talkTo({ stdio: [, , , input, output] }) {
  const waiting = new Map()
  let text = ''
  output.setEncoding('utf8').on('data', (chunk) => {
    const messages = (text + chunk).split('\0')
    text = messages.pop()
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message)
      const caller = waiting.get(id)
      if (error) caller?.reject(new Error(error.message))
      else caller?.resolve(result)
    }
  })
  return (method, params, sessionId) =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1
      waiting.set(id, { resolve, reject })
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
}
