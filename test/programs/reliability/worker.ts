import type { StorageModule } from './storage-module.ts'
import { workerTasks } from './worker-tasks.ts'

interface Order {
  readonly number: number
  readonly task: keyof typeof workerTasks
  readonly args: never
}

/** One process on the storage: told what to do by its parent, gone when the parent is. */
export async function work({ openStorage }: StorageModule): Promise<void> {
  const [target = ''] = process.argv.slice(2)
  const storage = await openStorage(target)
  process.on('message', async ({ number, task, args }: Order) => {
    try {
      process.send?.({ number, result: await workerTasks[task](storage, args) })
    } catch (error) {
      process.send?.({ number, error: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true })
}
