// Whether the package does its work in Electron: in the main process, in a preload script and in a
// page. Each must give what tests/runtimes/scenario.json records.
//
//   npx electron examples/electron-smoke/main.cjs
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { isDeepStrictEqual } = require('node:util')
const { app, BrowserWindow, ipcMain, net, protocol } = require('electron')

const ROOT = join(__dirname, '..', '..')
const STORY = join(ROOT, 'tests', 'runtimes', 'scenario')
const EXPECTED = ['main, require', 'main, import', 'preload', 'page']
const recorded = JSON.parse(readFileSync(`${STORY}.json`, 'utf8'))
const results = new Map()

// A page of its own scheme, as Electron recommends over `file:`.
const privileges = { standard: true, secure: true }
protocol.registerSchemesAsPrivileged([{ scheme: 'smoke', privileges }])
setTimeout(() => finish(), 30_000)
app.whenReady().then(start, fail)

async function start() {
  protocol.handle('smoke', ({ url }) =>
    net.fetch(pathToFileURL(join(ROOT, new URL(url).pathname)).href),
  )
  ipcMain.on('told', (_, where, answer) => told(where, answer))

  const { scenario } = await import(pathToFileURL(`${STORY}.mjs`).href)
  told('main, require', await scenario(require('keyrota')))
  told('main, import', await scenario(await import('keyrota')))

  // Only so can a preload script require packages. In a sandbox, bundle it.
  const webPreferences = { preload: join(__dirname, 'preload.cjs'), sandbox: false }
  const window = new BrowserWindow({ show: false, webPreferences })
  await window.loadURL('smoke://app/examples/electron-smoke/index.html')
}

function told(where, answer) {
  const good =
    where === 'preload' ? answer === recorded.byWeight : isDeepStrictEqual(answer, recorded)
  console.log(`${good ? 'ok    ' : 'FAILED'}  ${where}${good ? '' : `: ${JSON.stringify(answer)}`}`)
  results.set(where, good)
  if (results.size === EXPECTED.length) finish()
}

function fail(error) {
  console.error(error)
  finish()
}

function finish() {
  const passed = EXPECTED.filter((where) => results.get(where)).length
  console.log(`Electron ${process.versions.electron}, Node ${process.versions.node}`)
  console.log(`${passed} passed, ${EXPECTED.length - passed} failed`)
  app.exit(passed === EXPECTED.length ? 0 : 1)
}
