// Rollup with its plugin that finds packages.
import { join } from 'node:path'
import { expectSmall, load, tellInChromium, tellInNode } from '../bundles.mjs'
import { installApp, installTools, versionOf } from '../install.mjs'
import { check, finish } from '../row.mjs'

const home = installTools('bundlers')
const app = installApp('bundlers', home)
const { rollup } = await load(home, 'rollup')
const nodeResolve = await load(home, '@rollup/plugin-node-resolve')
const where = `Rollup ${versionOf(home, 'rollup')}`

async function bundle(input, name, format) {
  const file = join(app, 'dist', name)
  const made = await rollup({ input: join(app, input), plugins: [nodeResolve({ browser: true })] })
  await made.write({ file, format })
  await made.close()
  return file
}

await check(where, 'es', async () => tellInNode(await bundle('story.mjs', 'es.mjs', 'es')))
await check(where, 'cjs', async () => tellInNode(await bundle('story.mjs', 'cjs.cjs', 'cjs')))
await check(where, 'iife in Chromium', async () => {
  await bundle('story.mjs', 'iife.js', 'iife')
  await tellInChromium(join(app, 'dist'), 'iife.js', 'text/javascript')
})
await check(where, 'an unused import vanishes', async () => {
  expectSmall(await bundle('unused.mjs', 'unused.mjs', 'es'))
})
finish()
