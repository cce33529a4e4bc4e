import type { Tasks } from './task-process.ts'

interface Order<T> {
  readonly number: number
  readonly task: keyof T
  readonly argument: never
}

/** Does in this process what its parent tells it, and ends when the parent does. */
export function serveTasks<T extends Tasks<T>>(tasks: T): void {
  process.on('message', async ({ number, task, argument }: Order<T>) => {
    try {
      process.send?.({ number, result: await tasks[task](argument) })
    } catch (error) {
      process.send?.({ number, error: error instanceof Error ? error.stack : String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true })
}
