import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { AuditEventRecord, HeldKey, KeyStorage } from '../../../src/storage/index.ts'
import type { StorageModule } from './storage-module.ts'
import { GONE, TaskProcess } from './task-process.ts'
import type { StorageTasks } from './worker.ts'

/** Another process on the same storage. */
export type WorkerProcess = TaskProcess<StorageTasks>

/** What a scenario works with. */
export interface Stage {
  /** The storage as the parent process sees it. */
  readonly storage: KeyStorage
  readonly workers: readonly WorkerProcess[]
  /** For what processes write before they are killed. */
  readonly folder: string
  readonly rounds: number
  startWorker(): Promise<WorkerProcess>
  /** Notes a broken promise; the scenario goes on. */
  fail(message: string): void
  /** Notes a broken promise unless both are equal in depth. */
  expectEqual(actual: unknown, expected: unknown, what: string): void
}

/** How a scenario went. It was passed if nothing is in `failures`. */
export interface Report {
  readonly figures: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

// Enough to see what is wrong without burying it.
const MOST_FAILURES = 20

/** Plays a scenario on a fresh place with some worker processes, and cleans up after it. */
export async function onStage(
  { modulePath, workers, rounds }: { modulePath: string; workers: number; rounds: number },
  play: (stage: Stage) => Promise<Readonly<Record<string, number>>>,
): Promise<Report> {
  const module: StorageModule = await import(pathToFileURL(modulePath).href)
  const { target, remove } = await module.createPlace()
  const storage = module.openStorage(target)
  const folder = await mkdtemp(join(tmpdir(), 'miftah-reliability-'))
  const failures: string[] = []
  const fail = (message: string) => {
    if (failures.length < MOST_FAILURES) failures.push(message)
  }
  const expectEqual = (actual: unknown, expected: unknown, what: string) => {
    if (isDeepStrictEqual(plain(actual), plain(expected))) return
    fail(`${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`)
  }
  const code = `import * as storageModule from ${JSON.stringify(modulePath)}
    import { work } from './test/programs/reliability/worker.ts'
    work(storageModule)`
  const started: WorkerProcess[] = []
  const startWorker = async () => {
    const worker = await TaskProcess.start<StorageTasks>(code, target)
    started.push(worker)
    return worker
  }
  try {
    const starting = await Promise.allSettled(Array.from({ length: workers }, startWorker))
    for (const start of starting) if (start.status === 'rejected') throw start.reason
    const given = { storage, folder, rounds, workers: [...started] }
    const figures = await play({ ...given, startWorker, fail, expectEqual })
    await module.checkSound?.(target)
    return { figures, failures }
  } finally {
    await Promise.all(started.map((worker) => worker.kill()))
    await storage.close()
    await remove()
    await rm(folder, { recursive: true })
  }
}

/** Kills a process in the middle of its work, once it has `begun`; work that ends by itself is a failure. */
export async function killed(
  stage: Stage,
  { worker, work, begun }: { worker: WorkerProcess; work: Promise<never>; begun: Promise<unknown> },
): Promise<void> {
  const ended = work.catch((error: Error) => error.message)
  await Promise.race([begun, ended])
  await worker.kill()
  const message = await ended
  if (message !== GONE) stage.fail(`the work ended: ${message}`)
}

/** What a workspace holds. */
export interface WorkspaceState {
  readonly keys: readonly HeldKey[]
  readonly events: readonly AuditEventRecord[]
}

/** All keys and events of a workspace, read until two readings agree: a server may still work for a client that is gone. */
export async function stateOf(storage: KeyStorage, workspaceId: string): Promise<WorkspaceState> {
  const read = async () => {
    const query = { status: null, environment: null, atMs: 0, after: null, limit: 100_000 }
    const { keys } = await storage.list(workspaceId, { ...query, countUpTo: null })
    const { events } = await storage.events(workspaceId, { after: null, limit: 100_000 })
    return plain({ keys, events })
  }
  for (let last = await read(); ; ) {
    const again = await read()
    if (isDeepStrictEqual(again, last)) return again
    last = again
  }
}

/** The same data as any process would read it from JSON: order of keys and prototypes gone. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
