// webpack, for pages, Node and the three processes of Electron.
import { join } from 'node:path'
import { expectSmall, load, tellInChromium, tellInNode } from '../bundles.mjs'
import { installApp, installTools, versionOf } from '../install.mjs'
import { check, finish } from '../row.mjs'

const home = installTools('bundlers')
const app = installApp('bundlers', home)
const webpack = await load(home, 'webpack')
const where = `webpack ${versionOf(home, 'webpack')}`
const dist = join(app, 'dist')

async function bundle(target, filename, entry = 'story.mjs') {
  const stats = await new Promise((resolve, reject) => {
    // The size has a budget of its own, which `npm run budgets` checks.
    const performance = { hints: false }
    const options = {
      mode: 'production',
      context: app,
      entry: join(app, entry),
      target,
      performance,
    }
    webpack({ ...options, output: { path: dist, filename } }, (error, stats) =>
      error ? reject(error) : resolve(stats),
    )
  })
  if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString('errors-warnings'))
  return join(dist, filename)
}

for (const target of ['node', 'electron-main', 'electron-preload', 'electron-renderer']) {
  await check(where, `${target} in Node`, async () => {
    await tellInNode(await bundle(target, `${target}.cjs`))
  })
}
for (const target of ['web', 'electron-preload', 'electron-renderer']) {
  await check(where, `${target} in Chromium`, async () => {
    await bundle(target, `${target}.js`)
    await tellInChromium(dist, `${target}.js`, 'text/javascript')
  })
}
await check(where, 'an unused import vanishes', async () => {
  expectSmall(await bundle('web', 'unused.js', 'unused.mjs'))
})
finish()
