import { openNode, type Tasks } from './tasks.ts'

interface Order {
  readonly number: number
  readonly task: keyof Tasks
  readonly argument: never
}

/** One process with keys: told what to do by its parent, gone when the parent is. */
export function work(): void {
  const tasks = openNode(JSON.parse(process.argv[2] ?? '{}'))
  process.on('message', async ({ number, task, argument }: Order) => {
    try {
      process.send?.({ number, result: await tasks[task](argument) })
    } catch (error) {
      process.send?.({ number, error: String(error) })
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true })
}
