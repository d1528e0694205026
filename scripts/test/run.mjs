import { end, start } from '../../tests/runtimes/process.mjs'

const GRACE_MS = 5_000 // in which a runner that is ended ends what it started

/**
 * Runs a command, shows what it prints and keeps it. One that is not done in its time is ended
 * together with all that it started.
 * @param {{ command: string[], env?: NodeJS.ProcessEnv, minutes: number }} runner
 * @returns {Promise<{ output: string, fault: string | null }>} fault: why it did not end well
 */
export function run({ command, env = process.env, minutes }) {
  return new Promise((resolve) => {
    const child = start(command, { env, signal: 'SIGTERM' })
    let fault = null
    const timers = []
    const endAfter = (ms, signal) => {
      const timer = setTimeout(() => {
        fault ??= `was ended after ${minutes.toFixed(1)} minutes`
        child.endedBy = signal
        end(child)
      }, ms)
      timers.push(timer)
    }
    endAfter(minutes * 60_000, 'SIGTERM')
    endAfter(minutes * 60_000 + GRACE_MS, 'SIGKILL')

    child.stdout.on('data', (text) => process.stdout.write(text))
    child.stderr.on('data', (text) => process.stderr.write(text))
    child.on('error', (error) => {
      fault = error.message
    })
    child.on('close', (code, signal) => {
      for (const timer of timers) clearTimeout(timer)
      if (code !== 0) fault ??= `ended with ${signal ?? `code ${code}`}`
      resolve({ output: child.output, fault })
    })
  })
}
