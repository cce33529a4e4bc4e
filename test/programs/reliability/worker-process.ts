import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compiled } from '../../support/compiled.ts'
import type { workerTasks } from './worker-tasks.ts'

type Tasks = typeof workerTasks

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

const compiledWorkers = new Map<string, Promise<string>>()

/** One program of the worker and its storage, since processes start by the dozen. */
function compiledWorker(modulePath: string): Promise<string> {
  const known = compiledWorkers.get(modulePath)
  if (known !== undefined) return known
  const code = `import * as storageModule from ${JSON.stringify(modulePath)}
    import { work } from './test/programs/reliability/worker.ts'
    await work(storageModule)`
  const made = compiled({ code })
  compiledWorkers.set(modulePath, made)
  return made
}

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Another process on the same storage. */
export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  #number = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (message) => this.#answered(message as Answer))
    child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the worker is gone'))
      this.#waiting.clear()
    })
  }

  /** Starts a process and waits until it has opened the storage. */
  static async start(modulePath: string, target: string): Promise<WorkerProcess> {
    const child = fork(await compiledWorker(modulePath), [target], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const ready = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (typeof ready[0] !== 'object') throw new Error(`the worker ended with ${ready[0]}`)
    return new WorkerProcess(child)
  }

  /** Has the process do a task; rejects when the task throws or the process dies. */
  call<K extends keyof Tasks>(task: K, args: Parameters<Tasks[K]>[1]) {
    this.#number += 1
    const number = this.#number
    return new Promise<Awaited<ReturnType<Tasks[K]>>>((resolve, reject) => {
      this.#waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
      this.#child.send({ number, task, args: args ?? null })
    })
  }

  /** Stops the process where it is, as a machine does that has no time for it. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
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

interface Answer {
  readonly number: number
  readonly result?: unknown
  readonly error?: string
}

/** Starts several processes on one storage, lends them out, and ends them whatever happens. */
export async function withWorkers<T>(
  { modulePath, target, count }: { modulePath: string; target: string; count: number },
  use: (workers: readonly WorkerProcess[]) => Promise<T>,
): Promise<T> {
  const starts = Array.from({ length: count }, () => WorkerProcess.start(modulePath, target))
  const started = await Promise.allSettled(starts)
  const workers = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    await Promise.all(starts)
    return await use(workers)
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}
