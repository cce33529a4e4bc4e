import type { StorageCall } from '../../../../src/storage/index.ts'
import { type Deadline, deadlineOf, untilAborted } from '../deadline.ts'
import { checkCurrent, checkNotNewer, foreignSchema } from '../schema-version.ts'
import { StorageError } from '../storage-error.ts'
import type { Calls } from './calls.ts'
import type { Answers, Statement } from './driver.ts'
import { sqlStateOf } from './errors.ts'
import { hasOldTables, migrationScript, SCHEMA_VERSION } from './schema.ts'
import { fromPrimary } from './sql.ts'

/** The schema, or its table of the version, does not exist. */
const NOT_INSTALLED = /^(?:3F000|42P01)$/

/**
 * How a migration fails if it collides with another one, or if its isolation level shows it the
 * state before another one: the next attempt finds the work done.
 */
const COLLISION = /^(?:23503|23505|40001|42704|42710|42723|42P06|42P07|55P03)$/

/** How often a migration that collides with another one is tried. */
const MOST_ATTEMPTS = 5

/** How long a migration may take, which waits for those of other processes. */
const MIGRATION_MS = 60_000

/** Makes sure, once, that the server has the tables that this release works with. A failure is not remembered. */
export class Readiness {
  readonly #calls: Calls
  readonly #schema: string
  readonly #migrates: boolean
  #isReady = false
  #running: Promise<void> | null = null

  /** `migrates` says whether the first use may make the tables. */
  constructor(calls: Calls, schema: string, migrates: boolean) {
    this.#calls = calls
    this.#schema = schema
    this.#migrates = migrates
  }

  /** `undefined` when they are known to be there. What was begun goes on after the time of this call. */
  ensure(call: StorageCall | undefined): Promise<void> | undefined {
    if (this.#isReady) return undefined
    const deadline = deadlineOf(call)
    // What another call began has that call's time, which may be over before ours.
    const running = this.#running?.catch((error) => {
      if (error instanceof StorageError && error.code === 'timeout') return this.#start(deadline)
      throw error
    })
    const late = () => new StorageError('timeout', 'PostgreSQL was not ready in time')
    return untilAborted(deadline.signal, running ?? this.#start(deadline), late)
  }

  /**
   * A read, once they are there. Where nothing is made, the first one brings the version with it: a process that starts
   * for one request waits for one round trip.
   */
  async read(
    statement: Statement,
    deadline: Deadline,
    call: StorageCall | undefined,
  ): Promise<Answers> {
    if (this.#isReady || this.#migrates) {
      // Each await that is spared counts for one caller of lookups.
      const notReady = this.ensure(call)
      if (notReady !== undefined) await notReady
      return this.#calls.all('read', statement, deadline)
    }
    const version = `SELECT 'version ' || max(version) AS answer FROM "${this.#schema}".miftah_schema`
    const text = `${version}\nUNION ALL ${statement.text}`
    const sent = this.#calls.all('read', { text, values: statement.values }, deadline)
    const answers = await sent.catch(async (error: unknown) => {
      await this.#prepare(deadline)
      throw error
    })
    if (answers.includes(`version ${SCHEMA_VERSION}`)) this.#isReady = true
    else await this.#prepare(deadline)
    return answers.filter((answer) => !answer?.startsWith('version '))
  }

  /** Makes the tables, whatever the option `migrate` says. */
  async migrate(): Promise<void> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), MIGRATION_MS)
    const deadline = deadlineOf({ timeoutMs: MIGRATION_MS, signal: limit.signal })
    try {
      for (let attempt = 1; !(await this.#isInstalled(deadline, true)); attempt += 1) {
        await this.#runScript(deadline, attempt === MOST_ATTEMPTS)
      }
      this.#isReady = true
    } finally {
      clearTimeout(timer)
    }
  }

  async #runScript(deadline: Deadline, isLast: boolean): Promise<void> {
    const statement = { text: migrationScript(this.#schema), values: [] }
    try {
      await this.#calls.one('change', statement, deadline)
    } catch (error) {
      // What the caller wanted to change was not sent.
      if (error instanceof StorageError && error.code === 'outcome_unknown')
        throw new StorageError('unavailable', 'PostgreSQL was lost as tables were made', {
          cause: error.cause,
        })
      if (isLast || !COLLISION.test(stateIn(error))) throw error
    }
  }

  #start(deadline: Deadline): Promise<void> {
    this.#running ??= this.#prepare(deadline).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #prepare(deadline: Deadline): Promise<void> {
    if (!(await this.#isInstalled(deadline, this.#migrates))) await this.migrate()
    this.#isReady = true
  }

  async #isInstalled(deadline: Deadline, mayMigrate: boolean): Promise<boolean> {
    const version = await this.#version(deadline)
    const place = `the schema "${this.#schema}"`
    checkNotNewer(version, SCHEMA_VERSION, place)
    if (version === SCHEMA_VERSION) return true
    if (await this.#hasOldTables(deadline)) throw foreignSchema(place, 'use a new schema')
    if (!mayMigrate) checkCurrent(version, SCHEMA_VERSION, place)
    return false
  }

  /** The version of the tables; 0 without any. */
  async #version(deadline: Deadline): Promise<number> {
    const text = fromPrimary(`SELECT max(version) FROM "${this.#schema}".miftah_schema`)
    try {
      const answer = await this.#calls.one('read', { text, values: [] }, deadline)
      if (/^\d+$/.test(answer ?? '')) return Number(answer)
    } catch (error) {
      if (NOT_INSTALLED.test(stateIn(error))) return 0
      throw error
    }
    throw new StorageError('broken_row', 'the answer of the server is not a schema version')
  }

  async #hasOldTables(deadline: Deadline): Promise<boolean> {
    const text = fromPrimary(`SELECT ${hasOldTables(this.#schema)}`)
    return (await this.#calls.one('read', { text, values: [] }, deadline)) === 'true'
  }
}

function stateIn(error: unknown): string {
  return (error instanceof StorageError && sqlStateOf(error.cause)) || ''
}
