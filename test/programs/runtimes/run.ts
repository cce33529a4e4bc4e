import { existsSync } from 'node:fs'
import { outputOf, startServer } from '../../support/package/child.ts'
import { walk } from '../../support/package/walk.ts'
import { hang } from './hang.ts'
import { failuresIn, type GroupResult, passedIn, resultsIn } from './results.ts'
import { type Runtime, SHELF } from './runtimes.ts'

/** What came of one runtime. */
export interface Outcome {
  readonly runtime: Runtime
  readonly version: string
  readonly groups: readonly GroupResult[]
  readonly checks: number
  readonly failures: readonly string[]
  readonly seconds: number
}

/** Runs the suite on a runtime and walks through its server. Never rejects. */
export async function run(runtime: Runtime): Promise<Outcome> {
  const start = performance.now()
  const ended = (version: string, groups: readonly GroupResult[]): Outcome => ({
    runtime,
    version,
    groups,
    checks: passedIn(groups),
    failures: failuresIn(groups),
    seconds: (performance.now() - start) / 1_000,
  })
  let version = '?'
  try {
    if (!existsSync(runtime.binary)) throw new Error(`not installed: ${runtime.binary}`)
    version = await versionOf(runtime)
    const output = await outputOf([runtime.binary, ...runtime.suite], SHELF)
    return ended(version, [...resultsIn(output), ...(await served(runtime))])
  } catch (error) {
    const failures = [error instanceof Error ? `${error.message}` : String(error)]
    return ended(version, [{ name: runtime.name, passed: 0, failures }])
  }
}

async function versionOf({ binary }: Runtime): Promise<string> {
  const output = await outputOf([binary, '--version'], SHELF)
  return /\d+[\d.-]+\d/.exec(output)?.[0] ?? '?'
}

async function served({ server, portOn }: Runtime): Promise<readonly GroupResult[]> {
  if (server === null) return []
  const { port, stop } = await startServer(server, SHELF, { pipe: portOn })
  try {
    const passed = (await walk(port)) + (await hang(port))
    return [{ name: 'over its own server', passed, failures: [] }]
  } finally {
    await stop()
  }
}
