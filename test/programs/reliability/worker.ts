import { serveTasks } from './serve-tasks.ts'
import type { StorageModule } from './storage-module.ts'
import { tasks } from './tasks.ts'

type Given = typeof tasks

/** The tasks, for callers without a storage. */
export type StorageTasks = {
  readonly [K in keyof Given]: (argument: Parameters<Given[K]>[1]) => ReturnType<Given[K]>
}

/** One process on the storage. */
export function work({ openStorage }: StorageModule): void {
  const storage = openStorage(process.argv[2] ?? '')
  const all = Object.entries(tasks).map(([name, task]) => [
    name,
    (argument: never) => task(storage, argument),
  ])
  serveTasks<StorageTasks>(Object.fromEntries(all))
}
