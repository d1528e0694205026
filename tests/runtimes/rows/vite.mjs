// Vite: its development server, its build, and its build for a server.
import { join } from 'node:path'
import { visit } from '../browser.mjs'
import { expectSmall, fileIn, load, tellInChromium, tellInNode } from '../bundles.mjs'
import { installApp, installTools, versionOf } from '../install.mjs'
import { check, expectRecorded, finish } from '../row.mjs'
import { serve } from '../server.mjs'

const home = installTools('bundlers')
const app = installApp('bundlers', home)
const { build, createServer } = await load(home, 'vite')
const where = `Vite ${versionOf(home, 'vite')}`
const common = { root: app, configFile: false, logLevel: 'error', clearScreen: false }

await check(where, 'dev in Chromium', async () => {
  const vite = await createServer({ ...common, server: { host: '127.0.0.1', port: 0 } })
  const ear = await serve(null)
  try {
    await vite.listen()
    const { port } = vite.httpServer.address()
    const page = `http://127.0.0.1:${port}/?to=${encodeURIComponent(ear.url)}`
    expectRecorded(await visit('chromium', page, () => ear.answer('story')))
  } finally {
    ear.close()
    await vite.close()
  }
})
await check(where, 'build in Chromium', async () => {
  await build({ ...common, build: { outDir: 'dist' } })
  await tellInChromium(join(app, 'dist'))
})
await check(where, 'server build in Node', async () => {
  await build({ ...common, ssr: { noExternal: true }, build: { ssr: 'story.mjs', outDir: 'ssr' } })
  await tellInNode(fileIn(join(app, 'ssr'), 'js'))
})
await check(where, 'an unused import vanishes', async () => {
  const lib = { entry: 'unused.mjs', formats: ['es'] }
  await build({ ...common, build: { lib, outDir: 'unused' } })
  expectSmall(fileIn(join(app, 'unused'), 'js'))
})
finish()
