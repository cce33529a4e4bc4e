import { type Deadline, deadlineOf, untilAborted } from '../deadline.ts'
import { StorageError } from '../storage-error.ts'
import { type MysqlPool, onConnection } from './driver.ts'
import { checkSchema, migrateSchema } from './migrations.ts'
import { Progress } from './progress.ts'
import { type Server, serverOf } from './server.ts'

/** How long a migration may take. */
const MIGRATION_MS = 60_000

/** Makes sure, once, that the server fits and has the schema that this release works with. */
export interface Readiness {
  /** A failure is not remembered. */
  readonly ensure: (deadline: Deadline) => Server | Promise<Server>
  /** Brings the schema to this release's version, whatever the option `migrate` says. */
  readonly migrate: () => Promise<void>
}

export function readinessOf(pool: MysqlPool, migrates: boolean): Readiness {
  let ready: Server | null = null
  let running: Promise<Server> | null = null
  const prepare = (deadline: Deadline, bringUp: typeof checkSchema) =>
    onConnection(pool, deadline, async (connection) => {
      const server = await serverOf(connection)
      await bringUp(connection)
      ready = server
      return server
    })
  const start = (deadline: Deadline) => {
    running ??= (
      migrates
        ? within(MIGRATION_MS, (own) => prepare(own, migrateSchema))
        : prepare(deadline, checkSchema)
    ).finally(() => {
      running = null
    })
    return running
  }
  return {
    // A migration goes on after the deadline; only this caller stops waiting for it.
    ensure: (deadline) => ready ?? untilAborted(deadline.signal, start(deadline), () => notReady()),
    migrate: async () => {
      await within(MIGRATION_MS, (deadline) =>
        new Progress(deadline).run(() => prepare(deadline, migrateSchema)),
      )
    },
  }
}

/** Work with a deadline of its own. */
async function within<T>(ms: number, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), ms)
  try {
    return await work(deadlineOf({ timeoutMs: ms, signal: limit.signal }))
  } finally {
    clearTimeout(timer)
  }
}

function notReady(): StorageError {
  return new StorageError('timeout', 'the database was not ready in time')
}
