import type { StorageCall } from '../../../../src/storage/index.ts'
import { type Deadline, deadlineOf } from '../deadline.ts'
import { Preparation, withinMigrationTime } from '../preparation.ts'
import { pause, pauseBefore } from '../progress.ts'
import { checkCurrent, checkNotNewer, type SchemaPlace } from '../schema-version.ts'
import { StorageError } from '../storage-error.ts'
import type { Calls } from './calls.ts'
import { ERRORS, sqlStateOf } from './errors.ts'
import { type Names, namesOf } from './names.ts'
import { qualified } from './qualified.ts'
import { SCHEMA_VERSION } from './schema/index.ts'
import { migrationScript } from './schema/script.ts'
import { type ServerClock, stamped } from './server-clock.ts'
import { fromPrimary } from './statements.ts'

/** The schema, or its table of versions, does not exist. */
const NOT_INSTALLED = new Set(['3F000', '42P01'])

/**
 * How a migration fails if it collides with another one, or if its isolation level shows it the
 * state before another one: the next attempt finds the work done.
 */
const COLLISIONS = new Set([
  ...['23503', '23505', '40001', '42704', '42710', '42723', '42883', '42P06', '42P07', '55P03'],
])

/** How often a migration that collides with another one is tried. */
const MOST_ATTEMPTS = 5

/** Makes sure, once, that the server has the schema that this release works with. */
export interface Readiness {
  /** `undefined` when it is known to be ready; a failure is not remembered. */
  readonly ensure: (call: StorageCall | undefined) => Promise<unknown> | undefined
  /** The same before a lookup, which checks the version itself where nothing may be migrated. */
  readonly ensureForLookup: (call: StorageCall | undefined) => Promise<unknown> | undefined
  /** Runs lookups. With `migrate: false` the first one asks for the version in its statement. */
  readonly lookups: Pick<Calls, 'readAll'>
  /** Brings the schema to this release's version, whatever the option `migrate` says. */
  readonly migrate: () => Promise<void>
}

/** What readiness is found out with. */
export interface ReadinessParts {
  readonly calls: Calls
  readonly names: Names
  /** Set by each answer, so that it is known before the first change. */
  readonly clock: ServerClock
}

/** `migrates` says whether the first use may change the schema. */
export function readinessOf(parts: ReadinessParts, migrates: boolean): Readiness {
  const { calls, names, clock } = parts
  const prepare = async (mayMigrate: boolean, deadline: Deadline) => {
    const version = await installedVersion(parts, deadline)
    checkVersion(version, mayMigrate, names)
    if (version < SCHEMA_VERSION) await withinMigrationTime(migrationOf(calls, names))
    return true
  }
  const preparation = new Preparation(ERRORS.server, (deadline) => prepare(migrates, deadline))
  const readFirst: Calls['readAll'] = async ({ text, values }, deadline) => {
    const answers = await calls
      .readAll({ text: `${versionLine(names)}\nUNION ALL ${text}`, values }, deadline)
      .catch(async (error: unknown) => {
        // An older schema lacks what the lookup reads: this says so.
        await prepare(false, deadline)
        throw error
      })
    const line = answers.find(isVersionLine)?.slice(VERSION.length) ?? null
    checkVersion(versionIn(clock.read(line)), false, names)
    preparation.ready = true
    return answers.filter((answer) => !isVersionLine(answer))
  }
  const ensure = (call: StorageCall | undefined) =>
    preparation.ready === null ? preparation.ensure(deadlineOf(call)) : undefined
  return {
    ensure,
    ensureForLookup: (call) => (migrates ? ensure(call) : undefined),
    lookups: {
      readAll: (statement, deadline) =>
        preparation.ready !== null || migrates
          ? calls.readAll(statement, deadline)
          : readFirst(statement, deadline),
    },
    migrate: async () => {
      preparation.ready = await withinMigrationTime((deadline) => prepare(true, deadline))
    },
  }
}

/** The version of the schema in the database, 0 without a schema. */
async function installedVersion(
  { calls, names, clock }: ReadinessParts,
  deadline: Deadline,
): Promise<number> {
  const text = fromPrimary(
    `SELECT ${stamped('coalesce(pg_catalog.max(version), 0)')} FROM ${names.at('schema_version')}`,
  )
  try {
    return versionIn(clock.read(await calls.read({ text, values: [] }, deadline)))
  } catch (error) {
    if (NOT_INSTALLED.has(causeOf(error))) return 0
    throw error
  }
}

/** What the line of the version begins with; that of a key begins with its hash. */
const VERSION = 'version '

function versionLine({ at }: Names): string {
  const line = stamped('coalesce(pg_catalog.max(version), 0)')
  return qualified(`SELECT '${VERSION}' || ${line} AS answer FROM ${at('schema_version')}`)
}

function isVersionLine(answer: string | null): answer is string {
  return answer?.startsWith(VERSION) === true
}

function checkVersion(version: number, mayMigrate: boolean, names: Names): void {
  if (mayMigrate) checkNotNewer(version, SCHEMA_VERSION)
  else checkCurrent(version, SCHEMA_VERSION, placeOf(names))
}

function placeOf({ schema, prefix }: Names): SchemaPlace {
  const usual = namesOf({ schema })
  const flags = [
    ...(schema === namesOf({}).schema ? [] : [` --schema ${schema}`]),
    ...(prefix === usual.prefix ? [] : [` --table-prefix ${prefix}`]),
  ]
  return { engine: 'postgres', place: `the schema "${schema}"`, flags: flags.join('') }
}

function versionIn(answer: string | null): number {
  if (answer !== null && /^\d+$/.test(answer)) return Number(answer)
  throw new StorageError('broken_row', 'the answer of the server is not a schema version')
}

function migrationOf(calls: Calls, names: Names): (deadline: Deadline) => Promise<void> {
  const statement = { text: migrationScript(names), values: [] }
  return async (deadline) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await calls.change(() => statement, deadline)
        return
      } catch (error) {
        const state = causeOf(error)
        // Throws what it meets on a read replica.
        if (state === '25006') await calls.read({ text: fromPrimary('NULL'), values: [] }, deadline)
        if (attempt === MOST_ATTEMPTS || !COLLISIONS.has(state)) throw error
        await pause(pauseBefore(attempt, 250))
      }
    }
  }
}

/** The SQLSTATE of the server's error behind one of ours. */
function causeOf(error: unknown): string {
  return (error instanceof Error ? sqlStateOf(error.cause) : null) ?? ''
}
