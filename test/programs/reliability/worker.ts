import { serveTasks } from './serve-tasks.ts'
import type { StorageModule } from './storage-module.ts'
import type { StorageTasks } from './worker-process.ts'
import { workerTasks } from './worker-tasks.ts'

/** One process on the storage. */
export async function work({ openStorage }: StorageModule): Promise<void> {
  const storage = await openStorage(process.argv[2] ?? '')
  const tasks = Object.entries(workerTasks).map(([name, task]) => [
    name,
    (argument: never) => task(storage, argument),
  ])
  serveTasks<StorageTasks>(Object.fromEntries(tasks))
}
