// Next.js as it is developed: its development server, which compiles each place when it is asked for.
import { bundlers, checkApp, newApp, placeOf } from '../next-app.mjs'
import { finish } from '../row.mjs'

for (const bundler of bundlers) {
  await checkApp(`${placeOf(bundler)}, dev`, newApp(), ['dev', `--${bundler}`])
}
finish()
