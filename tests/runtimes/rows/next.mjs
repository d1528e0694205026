// Next.js as it is deployed: built by each of its bundlers.
import { build, bundlers, checkApp, newApp, placeOf } from '../next-app.mjs'
import { check, finish } from '../row.mjs'

for (const bundler of bundlers) {
  const app = newApp()
  const where = placeOf(bundler)
  let built = false
  await check(where, 'build', async () => {
    await build(app, bundler)
    built = true
  })
  if (built) await checkApp(where, app, ['start'])
}
finish()
