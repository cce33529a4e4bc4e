import { type Deadline, deadlineOf, untilAborted } from './deadline.ts'
import { StorageError } from './storage-error.ts'

/** How long a migration may take, which waits for those of other processes. */
const MIGRATION_MS = 60_000

/** How a database gets the tables of this release. */
interface Tables<T> {
  /** What is known of the server once the tables are there; `null` where they may be made. */
  readonly check: (deadline: Deadline, mayMigrate: boolean) => Promise<T | null>
  readonly migrate: (deadline: Deadline) => Promise<T>
}

/** Makes sure, once, that the server has the tables of this release. A failure is not remembered. */
export class Readiness<T> {
  /** What is known of the server; `null` until the tables are there. */
  ready: T | null = null
  readonly #tables: Tables<T>
  readonly #mayMigrate: boolean
  #migrating: Promise<T> | null = null

  /** `mayMigrate` says whether the first use may make the tables. */
  constructor(tables: Tables<T>, mayMigrate: boolean) {
    this.#tables = tables
    this.#mayMigrate = mayMigrate
  }

  /** A migration that was begun goes on after the deadline. */
  async ensure(deadline: Deadline): Promise<T> {
    this.ready ??= await this.#tables.check(deadline, this.#mayMigrate)
    const late = () => new StorageError('timeout', 'the database was not ready in time')
    return this.ready ?? untilAborted(deadline.signal, this.migrate(), late)
  }

  /** Makes the tables, whatever the option `migrate` says. */
  migrate(): Promise<T> {
    this.#migrating ??= this.#migrate().finally(() => {
      this.#migrating = null
    })
    return this.#migrating
  }

  async #migrate(): Promise<T> {
    const signal = AbortSignal.timeout(MIGRATION_MS)
    this.ready = await this.#tables.migrate(deadlineOf({ timeoutMs: MIGRATION_MS, signal }))
    return this.ready
  }
}

/**
 * Whether the database called `name`, such as `the file keys.db`, has the newest tables. Throws `StorageError`:
 * `schema_too_new` for tables of a later release, `schema_missing` if they may not be made.
 */
export function isCurrent(
  version: number,
  newest: number,
  name: string,
  mayMigrate: boolean,
): boolean {
  if (version > newest) {
    const known = `this release only knows versions up to ${newest}: update miftah in this process`
    const message = `${name} has version ${version} of the tables; ${known}`
    throw new StorageError('schema_too_new', message)
  }
  if (version === newest || mayMigrate) return version === newest
  const found = version === 0 ? 'no tables of miftah' : `version ${version} of the tables`
  const message = `${name} has ${found}; version ${newest} is needed: run npx miftah migrate`
  throw new StorageError('schema_missing', message)
}

/** The error for the tables of a version before 1; `mend` says what else to use. */
export function foreignSchema(name: string, mend: string): StorageError {
  const message = `${name} has tables made by a version of miftah before 1: ${mend}`
  return new StorageError('schema_foreign', message)
}
