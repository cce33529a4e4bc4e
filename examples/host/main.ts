import { startHost } from './start.ts'
import { whyNot } from './start-error.ts'

try {
  const stop = await startHost(process.env)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      console.log('\nWriting the last counts and stopping.')
      stop().catch(fail)
    })
  }
} catch (error) {
  fail(error)
}

function fail(error: unknown): void {
  console.error(`\n${whyNot(error)}`)
  process.exitCode = 1
}
