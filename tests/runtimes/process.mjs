// Other programs, bounded in time and ended with all that they started.
import { spawn } from 'node:child_process'

const running = new Set()
process.on('exit', () => {
  for (const child of running) end(child)
})
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

/**
 * Starts a program in a process group of its own.
 * @param {string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, pipes?: boolean, signal?: string }} [options]
 * pipes: it also reads file descriptor 3 and writes 4; signal: what ends it
 */
export function start([file, ...args], { pipes = false, signal = 'SIGKILL', ...options } = {}) {
  const stdio = ['ignore', 'pipe', 'pipe', ...(pipes ? ['pipe', 'pipe'] : [])]
  const child = spawn(file, args, { ...options, detached: true, stdio })
  running.add(child)
  child.endedBy = signal
  child.output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      child.output += text
    })
  }
  child.on('error', (error) => {
    child.output += error.message
  })
  child.on('close', () => running.delete(child))
  return child
}

/** Ends a program and what it started. */
export function end(child) {
  try {
    process.kill(-child.pid, child.endedBy)
  } catch {
    // It has ended by itself.
  }
}

/**
 * Runs a program to its end and answers what it printed.
 * @param {string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, seconds?: number }} [options]
 * @returns {Promise<string>}
 */
export function run(command, { seconds = 60, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = start(command, options)
    const timer = setTimeout(() => end(child), seconds * 1_000)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      const why = signal ?? `code ${code}`
      if (code === 0) resolve(child.output)
      else reject(new Error(`${command[0]} ended with ${why}:\n${child.output}`))
    })
  })
}

/** Waits for a promise, but not for ever. */
export function within(seconds, what, promise) {
  const { promise: late, reject } = withResolvers()
  const timer = setTimeout(() => reject(new Error(`${what}: not in ${seconds} s`)), seconds * 1_000)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}
