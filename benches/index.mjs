// npm run bench: Keyrota beside the documented algorithm in plain JavaScript, in one process.
// --quick takes fewer sizes and less time. Nothing here is a test: look at ratios, not at times.
import { cpus, loadavg } from 'node:os'
import { publicTable, rawTable } from './against.mjs'
import { documented, PROVIDER } from './contestants.mjs'
import { keep, median, race } from './measure.mjs'
import { time } from './print.mjs'
import { restTable } from './rest.mjs'
import { routeTable } from './routes.mjs'
import { strategyTable } from './strategies.mjs'

const control = documented(10, 0)
const controls = []

const began = performance.now()
console.log(`Node ${process.version}, V8 ${process.versions.v8}, ${cpus()[0]?.model.trim()}`)
console.log('Ratios are plain JS to Keyrota: above 1 Keyrota is faster.')
await disturbance()
for (const print of [rawTable, publicTable, routeTable, strategyTable, restTable]) {
  await print()
  await disturbance()
}
console.log(`\n${noise()}\nTook ${Math.round((performance.now() - began) / 1_000)} s.`)

/** The same work again and again: whatever makes it differ is noise. */
async function disturbance() {
  const call = () => keep(control.getKey(PROVIDER))
  for (let again = 0; again < 3; again++) controls.push(...(await race({ call })))
}

function noise() {
  const usual = median(controls)
  const spread = (Math.max(...controls) - Math.min(...controls)) / usual
  const [load] = loadavg()
  return `Noise: one control ran ${controls.length} times, ${time(usual)}, spread ${Math.round(spread * 100)} %; load ${load.toFixed(1)} on ${cpus().length} processors.`
}
