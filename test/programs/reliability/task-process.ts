import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from '../../support/compiled.ts'

/** What a process can be told to do; arguments and answers are plain data. */
export type Tasks<T> = { readonly [K in keyof T]: (argument: never) => unknown }

interface Answer {
  readonly number: number
  readonly result?: unknown
  readonly error?: string
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

const programs = new Map<string, Promise<string>>()

/** A process of a test, which does one task after another or several at once. */
export class TaskProcess<T extends Tasks<T>> {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #number = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (message) => this.#answered(message as Answer))
    child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(GONE))
      this.#waiting.clear()
    })
  }

  /** Starts a program and waits until it serves. It is compiled once, since processes start by the dozen. */
  static async start<T extends Tasks<T>>(code: string, word: string): Promise<TaskProcess<T>> {
    const program = programs.get(code) ?? compiled({ code })
    programs.set(code, program)
    const child = fork(await program, [word], {
      ...{ stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' },
    })
    const ready = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof ready[0] !== 'object') throw new Error(`the process ended with ${ready[0]}`)
    return new TaskProcess<T>(child)
  }

  /** Has the process do a task; rejects when the task throws or the process dies. */
  call<K extends keyof T>(task: K, ...[argument]: Parameters<T[K]>) {
    this.#number += 1
    const number = this.#number
    return new Promise<Awaited<ReturnType<T[K]>>>((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error(GONE))
      this.#waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
      this.#child.send({ number, task, argument: argument ?? null })
    })
  }

  /** Stops the process where it is, as a machine does that has no time for it. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  /** Ends the process as a crash would, in the middle of whatever it does. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  #answered({ number, result, error }: Answer): void {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  }
}

/** What a task is rejected with when its process has ended. */
export const GONE = 'the process is gone'
