import { isDeepStrictEqual } from 'node:util'
import type { KeyStorage } from '../../../src/storage/index.ts'
import type { WorkspaceState } from './operations.ts'
import { loadStorageModule, type OpenStorage, type StorageModule } from './storage-module.ts'
import { type WorkerProcess, withWorkers } from './worker-process.ts'

/** How a scenario went. It was passed if nothing is in `failures`. */
export interface Report {
  readonly scenario: string
  readonly ms: number
  readonly figures: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

/** What a scenario works with. */
export interface Stage {
  readonly modulePath: string
  readonly module: StorageModule
  readonly target: string
  /** The storage as the parent process sees it. */
  readonly storage: OpenStorage
  readonly workers: readonly WorkerProcess[]
  /** Notes a broken promise; the scenario goes on. */
  fail(message: string): void
  /** Notes a broken promise unless both are equal in depth. */
  expectEqual(actual: unknown, expected: unknown, what: string): void
}

// Enough to see what is wrong without burying it.
const MOST_FAILURES = 20

/** Runs one scenario on a fresh place with some worker processes, and cleans up after it. */
export async function playScenario(
  { scenario, modulePath, workers }: { scenario: string; modulePath: string; workers: number },
  play: (stage: Stage) => Promise<Readonly<Record<string, number>>>,
): Promise<Report> {
  const module = await loadStorageModule(modulePath)
  const { target, remove } = await module.createPlace()
  const storage = await module.openStorage(target)
  const failures: string[] = []
  const fail = (message: string) => {
    if (failures.length < MOST_FAILURES) failures.push(message)
  }
  const expectEqual = (actual: unknown, expected: unknown, what: string) => {
    if (isDeepStrictEqual(plain(actual), plain(expected))) return
    fail(`${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
  }
  try {
    return await withWorkers({ modulePath, target, count: workers }, async (started) => {
      const begun = performance.now()
      const stage = { modulePath, module, target, storage, workers: started, fail, expectEqual }
      const figures = await play(stage)
      await module.checkSound?.(target)
      return { scenario, ms: Math.round(performance.now() - begun), figures, failures }
    })
  } finally {
    await storage.close()
    await remove()
  }
}

/** All keys and events of a workspace, read until two readings agree. */
export async function stateOf(storage: KeyStorage, workspaceId: string): Promise<WorkspaceState> {
  let last = await readState(storage, workspaceId)
  for (;;) {
    const again = await readState(storage, workspaceId)
    if (isDeepStrictEqual(plain(again), plain(last))) return plain(last)
    last = again
  }
}

async function readState(storage: KeyStorage, workspaceId: string): Promise<WorkspaceState> {
  const query = { status: null, environment: null, atMs: 0, after: null, limit: 100_000 }
  const { keys } = await storage.list(workspaceId, { ...query, countUpTo: null })
  const { events } = await storage.events(workspaceId, { after: null, limit: 100_000 })
  return { keys, events }
}

/** The same data as any process would read it from JSON: order of keys and prototypes gone. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
