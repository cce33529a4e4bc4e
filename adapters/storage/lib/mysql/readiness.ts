import { type Deadline, deadlineOf, untilAborted } from '../deadline.ts'
import { StorageError } from '../storage-error.ts'
import { attempts } from './attempts.ts'
import { type MysqlPool, onConnection, type Run } from './driver.ts'
import { checkSchema, migrateSchema } from './migrations.ts'
import { type Server, serverOf } from './server.ts'
import { Session } from './session.ts'

/** How long it may take, also to wait for the migrations of other processes. */
const LONGEST_MS = 60_000

/** Makes sure, once, that the server fits and has the tables of this release. A failure is not remembered. */
export class Readiness {
  readonly #pool: MysqlPool
  readonly #migrates: boolean
  #ready: Server | null = null
  #running: Promise<Server> | null = null

  constructor(pool: MysqlPool, migrates: boolean) {
    this.#pool = pool
    this.#migrates = migrates
  }

  /** What was begun goes on after the deadline; only this caller stops waiting. */
  async ensure({ signal }: Deadline): Promise<Server> {
    if (this.#ready !== null) return this.#ready
    this.#running ??= this.#prepare(this.#migrates).finally(() => {
      this.#running = null
    })
    const notReady = () => new StorageError('timeout', 'the database was not ready in time')
    return untilAborted(signal, this.#running, notReady)
  }

  /** Brings the schema to this release's version, whatever the option `migrate` says. */
  async migrate(): Promise<void> {
    await this.#prepare(true)
  }

  async #prepare(migrates: boolean): Promise<Server> {
    const signal = AbortSignal.timeout(LONGEST_MS)
    const deadline = deadlineOf({ timeoutMs: LONGEST_MS, signal })
    const prepared = async (run: Run) => {
      const server = await serverOf(run)
      await new Session(run, server).check()
      await (migrates ? migrateSchema(run, server) : checkSchema(run, server))
      return server
    }
    this.#ready = await attempts('read', deadline, () =>
      onConnection(this.#pool, deadline, prepared),
    )
    return this.#ready
  }
}
