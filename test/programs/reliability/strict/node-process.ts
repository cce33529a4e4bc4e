import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from '../../../support/compiled.ts'
import type { NodeOptions, Tasks } from './tasks.ts'

interface Answer {
  readonly number: number
  readonly result?: unknown
  readonly error?: string
}

let program: Promise<string> | null = null

/** A process with keys of its own. */
export class NodeProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #number = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (message) => {
      const answer = message as Answer
      this.#waiting.get(answer.number)?.(answer)
      this.#waiting.delete(answer.number)
    })
    child.on('exit', () => {
      for (const tell of this.#waiting.values()) tell({ number: 0, error: 'the process is gone' })
    })
  }

  static async start(options: NodeOptions): Promise<NodeProcess> {
    program ??= compiled({
      code: `import { work } from './test/programs/reliability/strict/worker.ts'
        work()`,
    })
    const child = fork(await program, [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    return new NodeProcess(child)
  }

  call<K extends keyof Tasks>(task: K, ...[argument]: Parameters<Tasks[K]>) {
    this.#number += 1
    const number = this.#number
    return new Promise<Awaited<ReturnType<Tasks[K]>>>((resolve, reject) => {
      if (!this.#child.connected) {
        reject(new Error('the process is gone'))
        return
      }
      this.#waiting.set(number, ({ result, error }) => {
        if (error === undefined) resolve(result as Awaited<ReturnType<Tasks[K]>>)
        else reject(new Error(error))
      })
      this.#child.send({ number, task, argument: argument ?? null })
    })
  }

  stop(): void {
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}
