// Next.js: each place of an app that can hold a pool, built by each of its bundlers.
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { visit } from '../browser.mjs'
import { installApp, installTools, versionOf } from '../install.mjs'
import { end, run, start, within } from '../process.mjs'
import { check, expectRecorded, finish } from '../row.mjs'
import { serve } from '../server.mjs'

const home = installTools('next')
const program = join(home, 'node_modules', 'next', 'dist', 'bin', 'next')
const env = { ...process.env, CI: 'true', NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined }

for (const bundler of ['turbopack', 'webpack']) {
  const app = installApp('nextjs', home)
  // To Next it would say that the app is written in TypeScript.
  rmSync(join(app, 'tsconfig.json'))
  const where = `Next ${versionOf(home, 'next')}, ${bundler}`
  let built = false
  await check(where, 'build', async () => {
    const options = { cwd: app, env, seconds: 180 }
    await run([process.execPath, program, 'build', `--${bundler}`], options)
    built = true
  })
  if (built) await checkApp(where, app)
}
finish()

async function checkApp(where, app) {
  const port = await freePort()
  const command = [program, 'start', '--hostname', '127.0.0.1', '--port', String(port)]
  const server = start([process.execPath, ...command], { cwd: app, env })
  const url = `http://127.0.0.1:${port}`
  try {
    await within(30, 'the start of Next', answers(`${url}/route`))
    await check(where, 'route', async () => expectRecorded(await json(`${url}/route`)))
    await check(where, 'edge route', async () => {
      for (const answer of await json(`${url}/edge`)) expectRecorded(answer)
    })
    await check(where, 'middleware', async () => expectRecorded(await json(`${url}/middleware`)))
    await check(where, 'server component', async () => {
      const page = await (await fetch(`${url}/server`)).text()
      const told = Buffer.from(/<pre>(.+?)<\/pre>/.exec(page)?.[1] ?? '', 'base64')
      expectRecorded(JSON.parse(told.toString()))
    })
    await check(where, 'client component', async () => {
      const ear = await serve(null)
      const page = `${url}/client?to=${encodeURIComponent(ear.url)}`
      expectRecorded(await visit('chromium', page, () => ear.answer('client')))
      ear.close()
    })
  } finally {
    end(server)
  }
}

async function json(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Resolves once there is a server. */
async function answers(url) {
  for (let tries = 0; tries < 300; tries++) {
    if (await fetch(url).catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
