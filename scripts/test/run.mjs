import { spawn } from 'node:child_process'

/**
 * Runs a command, shows what it prints and keeps it. One that is not done in its time is ended
 * together with all that it started.
 * @param {{ command: string[], env?: NodeJS.ProcessEnv, minutes: number }} runner
 * @returns {Promise<{ output: string, fault: string | null }>} fault: why it did not end well
 */
export function run({ command: [file, ...args], env = process.env, minutes }) {
  return new Promise((resolve) => {
    // A process group of its own, so that a browser or a server under it can be ended with it.
    const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let fault = null
    const timer = setTimeout(() => {
      fault = `was ended after ${minutes} minutes`
      process.kill(-child.pid, 'SIGKILL')
    }, minutes * 60_000)

    for (const [stream, screen] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        output += text
        screen.write(text)
      })
    }
    child.on('error', (error) => {
      fault = error.message
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) fault ??= `ended with ${signal ?? `code ${code}`}`
      resolve({ output, fault })
    })
  })
}
