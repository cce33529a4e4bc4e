import type { Deadline } from '../deadline.ts'
import { foreignSchema, isCurrent, Readiness } from '../readiness.ts'
import { StorageError } from '../storage-error.ts'
import type { Calls } from './ask.ts'
import { stateIn } from './errors.ts'
import { hasOldTables, migrationScript, SCHEMA_VERSION } from './schema.ts'
import { fromPrimary } from './sql.ts'

/** The schema, or its table of the version, does not exist. */
const NOT_INSTALLED = /^(?:3F000|42P01)$/

/** How a migration fails beside another one, or where its isolation level hides that: the next attempt finds it done. */
const COLLISION = /^(?:23503|23505|40001|42704|42710|42723|42P06|42P07|55P03)$/

/** How often a migration that collides with another one is tried. */
const MOST_ATTEMPTS = 5

export function readinessOf({ one }: Calls, schema: string, migrates: boolean): Readiness<true> {
  /** The version of the tables; 0 without any. */
  const versionOf = async (deadline: Deadline) => {
    const text = fromPrimary(`SELECT max(version) FROM "${schema}".miftah_schema`)
    try {
      const answer = await one('read', { text, values: [] }, deadline)
      if (/^\d+$/.test(answer ?? '')) return Number(answer)
    } catch (error) {
      if (NOT_INSTALLED.test(stateIn(error))) return 0
      throw error
    }
    throw new StorageError('broken_row', 'the answer of the server is not a schema version')
  }
  const isInstalled = async (deadline: Deadline, mayMigrate: boolean) => {
    const version = await versionOf(deadline)
    const place = `the schema "${schema}"`
    if (isCurrent(version, SCHEMA_VERSION, place, true)) return true
    const text = fromPrimary(`SELECT ${hasOldTables(schema)}`)
    const isForeign = (await one('read', { text, values: [] }, deadline)) === 'true'
    if (isForeign) throw foreignSchema(place, 'use a new schema')
    return isCurrent(version, SCHEMA_VERSION, place, mayMigrate)
  }
  const runScript = async (deadline: Deadline, isLast: boolean) => {
    try {
      await one('change', { text: migrationScript(schema), values: [] }, deadline)
    } catch (error) {
      const { code, cause } = Object(error)
      // What the caller wanted to change was not sent.
      if (code === 'outcome_unknown')
        throw new StorageError('unavailable', 'PostgreSQL was lost as tables were made', { cause })
      if (isLast || !COLLISION.test(stateIn(error))) throw error
    }
  }
  const check = async (deadline: Deadline, mayMigrate: boolean) =>
    (await isInstalled(deadline, mayMigrate)) || null
  const migrate = async (deadline: Deadline) => {
    for (let attempt = 1; !(await isInstalled(deadline, true)); attempt += 1) {
      await runScript(deadline, attempt === MOST_ATTEMPTS)
    }
    return true as const
  }
  return new Readiness<true>({ check, migrate }, migrates)
}
