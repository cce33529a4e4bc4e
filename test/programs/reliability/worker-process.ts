import { TaskProcess } from './task-process.ts'
import type { workerTasks } from './worker-tasks.ts'

type Given = typeof workerTasks

/** The tasks, for callers without a storage. */
export type StorageTasks = {
  readonly [K in keyof Given]: (argument: Parameters<Given[K]>[1]) => ReturnType<Given[K]>
}

/** Another process on the same storage. */
export type WorkerProcess = TaskProcess<StorageTasks>

/** Starts a process and waits until it has opened the storage. */
export function startWorker(modulePath: string, target: string): Promise<WorkerProcess> {
  const code = `import * as storageModule from ${JSON.stringify(modulePath)}
    import { work } from './test/programs/reliability/worker.ts'
    await work(storageModule)`
  return TaskProcess.start(code, target)
}

/** Starts several processes on one storage, lends them out, and ends them whatever happens. */
export async function withWorkers<T>(
  { modulePath, target, count }: { modulePath: string; target: string; count: number },
  use: (workers: readonly WorkerProcess[]) => Promise<T>,
): Promise<T> {
  const starts = Array.from({ length: count }, () => startWorker(modulePath, target))
  const started = await Promise.allSettled(starts)
  const workers = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    await Promise.all(starts)
    return await use(workers)
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}
