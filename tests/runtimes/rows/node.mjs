// The package under every major of Node that it promises to run on.
import { addPeers, installApp, nodeBinary } from '../install.mjs'
import { run } from '../process.mjs'
import {
  check,
  checkFetch,
  checkGateway,
  checkProgram,
  finish,
  notTested,
  printed,
} from '../row.mjs'

// The first that is promised, and the newest of each line in use.
const VERSIONS = ['20.0.0', '20.20.2', '22.23.5', '24.22.3']
const PROGRAMS = {
  import: 'import.mjs',
  require: 'require.cjs',
  'keyrota/slim': 'slim.mjs',
  worker_threads: 'worker.mjs',
}
const FETCH = {
  'keyrota/fetch': 'fetch.mjs',
  'keyrota/fetch by require, beside keyrota/slim': 'fetch.cjs',
}
const GATEWAY = {
  'keyrota/gateway': 'gateway.mjs',
  'keyrota/gateway by require': 'gateway.cjs',
}

const app = installApp()
addPeers(app)
for (const version of VERSIONS) {
  const binary = nodeBinary(version)
  if (binary === null) notTested(`Node ${version}`, 'it could not be installed')
  for (const [what, program] of Object.entries(binary ? PROGRAMS : {})) {
    await checkProgram(`Node ${version}`, what, () => run([binary, program], { cwd: app }))
  }
  for (const [what, program] of Object.entries(binary ? FETCH : {})) {
    await checkFetch(`Node ${version}`, what, async (url) =>
      printed(await run([binary, program, url], { cwd: app })),
    )
  }
  for (const [what, program] of Object.entries(binary ? GATEWAY : {})) {
    await checkGateway(`Node ${version}`, what, async () =>
      printed(await run([binary, program], { cwd: app })),
    )
  }
}
await check('Node without WebAssembly', 'typed error that says what is needed', async () => {
  const told = await run([process.execPath, '--no-expose-wasm', 'no-wasm.mjs'], { cwd: app })
  if (!/^KeyrotaError unsupported_engine: .*Node 20/.test(told)) throw new Error(told)
})
console.log(
  `NOTE  from import to the first credential: ${await medianOfFirstPicks()} ms (median of 20)`,
)
finish()

async function medianOfFirstPicks() {
  const times = []
  for (let i = 0; i < 20; i++) {
    times.push(Number(await run([process.execPath, 'first-pick.mjs'], { cwd: app })))
  }
  return times.toSorted((a, b) => a - b)[10].toFixed(1)
}
