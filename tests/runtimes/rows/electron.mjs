// What Electron is made of. Electron itself is not run: examples/electron-smoke does that for those
// who have it. Its bundles are in the row of webpack, its Node in the row of Node.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBrowser, visit } from '../browser.mjs'
import { load } from '../bundles.mjs'
import { inIsolatedWorld } from '../devtools.mjs'
import { commonJsStory, installApp, installTools, nodeBinary, versionOf } from '../install.mjs'
import { run } from '../process.mjs'
import { check, expectPrinted, expectRecorded, finish, notTested } from '../row.mjs'
import { serve } from '../server.mjs'

// The releases of Node that are in Electron today.
const VERSIONS = ['22.23.5', '24.22.3']

const home = installTools('electron')
const app = installApp('electron', home)
commonJsStory(app)
await checkArchive()
const chromium = findBrowser('chromium')
if (chromium === null) notTested('Chromium', 'it is not installed')
else await checkPages(`Electron stand-in, Chromium ${chromium.version}`)
finish()

async function checkArchive() {
  const asar = await load(home, '@electron/asar')
  const archive = join(home, 'app.asar')
  await asar.createPackage(app, archive)
  const reader = join(home, 'node_modules', 'asar-node', 'bin', 'asar-node.js')
  for (const version of VERSIONS) {
    const where = `Electron stand-in, Node ${version}, asar ${versionOf(home, '@electron/asar')}`
    const binary = nodeBinary(version)
    if (binary === null) notTested(where, 'it could not be installed')
    else {
      await check(where, 'require', async () => {
        expectPrinted(await run([binary, reader, archive], { cwd: home }))
      })
    }
  }
}

async function checkPages(where) {
  const { build } = await load(home, 'esbuild')
  const outfile = join(app, 'page.js')
  await build({ entryPoints: [join(app, 'page.mjs')], bundle: true, format: 'iife', outfile })
  const ear = await serve(null)
  await check(where, 'file:// page with a strict CSP', async () => {
    const page = `${pathToFileURL(join(app, 'page.html'))}#${ear.url}`
    expectRecorded(await visit('chromium', page, () => ear.answer('file')))
  })
  await check(where, 'isolated world', async () => {
    writeFileSync(join(app, 'empty.html'), '<!doctype html><title>empty</title>')
    const page = pathToFileURL(join(app, 'empty.html')).href
    const answered = () => ear.answer('isolated')
    const row = { server: ear.url, name: 'isolated' }
    expectRecorded(await inIsolatedWorld(page, outfile, row, answered))
  })
  ear.close()
}
