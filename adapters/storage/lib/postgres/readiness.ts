import { StorageError } from '../storage-error.ts'
import type { Calls } from './calls.ts'
import { sqlStateOf } from './errors.ts'
import type { Names } from './names.ts'
import { type Deadline, pauseBefore } from './progress.ts'
import { migrationScript } from './schema/script.ts'
import { SCHEMA_VERSION } from './schema/versions.ts'
import { fromPrimary } from './statements.ts'

/** The oldest server with all that the schema uses. */
const OLDEST_SERVER = 140_000

/** How long a migration may take, which waits for those of other processes. */
const MIGRATION_MS = 60_000

/**
 * What two migrations at once, or one under an isolation level that shows the past, can run into
 * before the lock is taken or seen: the next attempt finds the work done.
 */
const MET_ANOTHER = new Set(['23505', '42P06', '42P07', '42710', '42723', '40001', '55P03'])

/** How often a migration that met another is tried. */
const MOST_MIGRATIONS = 5

/** Makes sure, once, that the server and its schema are fit to be used. */
export interface Readiness {
  /** Resolves at once when all is well; a failure is not remembered. */
  readonly ensure: (deadline: Deadline) => Promise<void> | undefined
  /** Brings the schema to this release's version, whatever the option `migrate` says. */
  readonly migrate: () => Promise<void>
}

/** `migrates` says whether the first use may change the schema. */
export function readinessOf(calls: Calls, names: Names, migrates: boolean): Readiness {
  let isReady = false
  let running: Promise<void> | null = null
  const prepare = async (mayMigrate: boolean) => {
    const version = await currentVersion(calls, names)
    if (version < SCHEMA_VERSION && mayMigrate) await applyMigrations(calls, names)
    else if (version < SCHEMA_VERSION) throw tooOld(version)
    isReady = true
  }
  const start = () => {
    running ??= prepare(migrates).finally(() => {
      running = null
    })
    return running
  }
  return {
    ensure: (deadline) => (isReady ? undefined : before(deadline, start())),
    migrate: () => prepare(true),
  }
}

/** The version in the database, 0 when there is none; throws when the server is unfit. */
async function currentVersion(calls: Calls, names: Names): Promise<number> {
  const table = names.at('schema_version')
  const server = await answerOf(calls, {
    text: fromPrimary(`SELECT pg_catalog.json_build_object(
  'version', pg_catalog.current_setting('server_version_num')::int,
  'isInstalled', pg_catalog.to_regclass($1::text) IS NOT NULL)`),
    values: [table],
  })
  if (!(Number(server['version']) >= OLDEST_SERVER)) {
    throw new StorageError('refused', 'PostgreSQL 14 or newer is needed')
  }
  if (server['isInstalled'] !== true) return 0
  const text = `SELECT pg_catalog.json_build_object(
  'version', coalesce(pg_catalog.max(version), 0))::text AS answer FROM ${table}`
  const version = Number((await answerOf(calls, { text, values: [] }))['version'])
  if (version > SCHEMA_VERSION) throw tooNew(version)
  return version
}

async function answerOf(
  calls: Calls,
  statement: { readonly text: string; readonly values: readonly string[] },
): Promise<Readonly<Record<string, unknown>>> {
  const answer: unknown = JSON.parse((await calls.read(statement, calls.deadline())) ?? 'null')
  return Object(answer)
}

async function applyMigrations(calls: Calls, names: Names): Promise<void> {
  const statement = { text: migrationScript(names), values: [] }
  const deadline = performance.now() + MIGRATION_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      await calls.change(() => statement, deadline)
      return
    } catch (error) {
      const state = error instanceof Error ? sqlStateOf(error.cause) : null
      if (attempt === MOST_MIGRATIONS || !MET_ANOTHER.has(state ?? '')) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseBefore(attempt, 250)))
    }
  }
}

/** The work goes on after the deadline; only this caller stops waiting for it. */
function before(deadline: Deadline, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = 'PostgreSQL was not ready in time'
    const timer = setTimeout(
      () => reject(new StorageError('timeout', message)),
      Math.max(0, deadline - performance.now()),
    )
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function tooOld(version: number): StorageError {
  const found = version === 0 ? 'there is no schema' : `the schema is at version ${version}`
  const message = `${found}, version ${SCHEMA_VERSION} is needed: apply the SQL of postgresSchema()`
  return new StorageError('schema_missing', message)
}

function tooNew(version: number): StorageError {
  const known = `this release knows up to ${SCHEMA_VERSION}`
  const message = `the schema is at version ${version}, ${known}: update miftah in this process`
  return new StorageError('schema_too_new', message)
}
