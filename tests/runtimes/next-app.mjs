// What the rows of Next share: the app, and a check of each place in it that can hold a pool.
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { visit } from './browser.mjs'
import { installApp, installTools, versionOf } from './install.mjs'
import { end, run, start, within } from './process.mjs'
import { check, expectRecorded } from './row.mjs'
import { serve } from './server.mjs'

const SECONDS = 60 // for one request: the development server compiles what is asked for

export const bundlers = ['turbopack', 'webpack']

const home = installTools('next')
const program = join(home, 'node_modules', 'next', 'dist', 'bin', 'next')
const env = { ...process.env, CI: 'true', NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined }

/** The line of the table for one of the bundlers. */
export function placeOf(bundler) {
  return `Next ${versionOf(home, 'next')}, ${bundler}`
}

/** A new app; it answers the app's folder. */
export function newApp() {
  const app = installApp('nextjs', home)
  // To Next it would say that the app is written in TypeScript.
  rmSync(join(app, 'tsconfig.json'))
  return app
}

/** Builds an app. */
export async function build(app, bundler) {
  const command = [process.execPath, program, 'build', `--${bundler}`]
  await run(command, { cwd: app, env, seconds: 180 })
}

/**
 * Starts Next's server and checks every place of the app.
 * @param {string} where
 * @param {string} app
 * @param {string[]} how `start` for what was built, or `dev` and its flags
 */
export async function checkApp(where, app, how) {
  const port = await freePort()
  const command = [program, ...how, '--hostname', '127.0.0.1', '--port', String(port)]
  const server = start([process.execPath, ...command], { cwd: app, env })
  const url = `http://127.0.0.1:${port}`
  try {
    await check(where, 'start', () => within(SECONDS, 'the start of Next', answers(url, server)))
    await check(where, 'route', async () => expectRecorded(await json(`${url}/route`)))
    await check(where, 'edge route', async () => {
      for (const answer of await json(`${url}/edge`)) expectRecorded(answer)
    })
    await check(where, 'middleware', async () => expectRecorded(await json(`${url}/middleware`)))
    await check(where, 'server component', async () => {
      const told = /<pre>(.+?)<\/pre>/.exec(await text(`${url}/server`))?.[1] ?? ''
      expectRecorded(JSON.parse(Buffer.from(told, 'base64').toString()))
    })
    await check(where, 'client component', async () => {
      const ear = await serve(null)
      const page = `${url}/client?to=${encodeURIComponent(ear.url)}`
      // Compiled before a browser waits for it.
      await text(page)
      try {
        expectRecorded(await visit('chromium', page, () => ear.answer('client')))
      } finally {
        ear.close()
      }
    })
  } finally {
    end(server)
  }
}

async function json(url) {
  return JSON.parse(await text(url))
}

async function text(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(SECONDS * 1_000) })
  const body = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${body}`)
  return body
}

/** Resolves once the server answers, with whatever. */
async function answers(url, server) {
  while (server.exitCode === null && server.signalCode === null) {
    const signal = AbortSignal.timeout(SECONDS * 1_000)
    if (await fetch(`${url}/route`, { signal }).catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Next ended:\n${server.output}`)
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
