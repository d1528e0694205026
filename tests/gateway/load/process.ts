/**
 * The processes of the load test, and what they ask each other.
 * @module
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** What a process answers, by the name of the question. */
export type Answers = Readonly<Record<string, (argument: never) => unknown>>

/** Answers the questions of the process that started this one, and ends with it. */
export function serveQuestions(answers: Answers): void {
  process.on('message', async ({ id, name, argument }: Question) => {
    const answer = await (answers[name] as (argument: unknown) => unknown)(argument)
    process.send?.({ id, answer })
  })
  process.on('disconnect', () => process.exit())
}

interface Question {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

/** Another process. */
export class Other<Theirs extends Answers> {
  readonly #child: ChildProcess
  #asked = 0
  #errors = ''
  #isEnded = false

  constructor(file: string, args: readonly string[] = []) {
    this.#child = fork(file, args, {
      execArgv: ['--expose-gc', '--enable-source-maps'],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    })
    // The server's library prints every stream that breaks: only the end of it may tell something.
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-4_000)
    })
    this.#child.on('exit', (code, signal) => {
      if (this.#isEnded) return
      console.log(`${file} ended with ${signal ?? `code ${code}`}:\n${this.#errors}`)
      process.exitCode = 1
    })
  }

  /** Asks, and waits for the answer. */
  async ask<Name extends keyof Theirs & string>(
    name: Name,
    ...[argument]: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    this.#asked++
    const id = this.#asked
    this.#child.send({ id, name, argument })
    for (;;) {
      const signal = AbortSignal.timeout(30_000)
      const [told] = await once(this.#child, 'message', { signal })
      if (told.id === id) return told.answer
    }
  }

  end(): void {
    this.#isEnded = true
    this.#child.kill('SIGKILL')
  }
}
