/**
 * Keys in PostgreSQL 14 or newer, through `pg`, Neon, PGlite or any driver that runs a statement with parameters.
 *
 * @module miftah/postgres
 */

import type { KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { flag, OptionChecks } from './lib/options.ts'
import { askOf, callsOf } from './lib/postgres/ask.ts'
import { changeLogOf } from './lib/postgres/change-log.ts'
import { diagnosisOf } from './lib/postgres/diagnosis.ts'
import { driverOf, type PostgresPool } from './lib/postgres/driver.ts'
import { erasureOn } from './lib/postgres/erasure.ts'
import { lookupsOf } from './lib/postgres/lookups.ts'
import { pagesOn } from './lib/postgres/pages.ts'
import { readinessOf } from './lib/postgres/readiness.ts'
import { relaysOn } from './lib/postgres/relay.ts'
import { grantScript, migrationScript } from './lib/postgres/schema.ts'
import { usesOn } from './lib/postgres/usage.ts'
import { writesOn } from './lib/postgres/write.ts'
import { storableLog, storableOnly } from './lib/storable-storage.ts'

export type { PostgresPool } from './lib/postgres/driver.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

/** Where the tables live. */
export interface PostgresNaming {
  /**
   * The schema of all tables: lower-case letters, digits and `_`. The first use creates it if it does
   * not exist. Default `miftah`.
   */
  readonly schema?: string
}

/** How the storage uses the database. */
export interface PostgresStorageOptions extends PostgresNaming {
  /**
   * Whether the first use creates the tables. Default `true`. With `false` it only checks their
   * version, for a role that may not.
   */
  readonly migrate?: boolean
  /**
   * Whether the statements of lookups and changes are prepared, where the driver can. Default `true`, which is safe
   * behind a transaction pooler too: if it loses them, the storage goes on without.
   */
  readonly preparedStatements?: boolean
}

const checks = new OptionChecks('postgresStorage')
const OPTIONS = { schema: true, migrate: flag, preparedStatements: flag } as const

/** Keys in PostgreSQL. */
export interface PostgresStorage extends KeyStorage {
  /**
   * Creates the tables, or does nothing where they are. Safe at every start and from many processes at
   * once. Takes at most 60 seconds. Rejects with a `StorageError`: `schema_too_new` for tables of a later
   * release, `schema_foreign` for those of a version before 1, `not_primary` on a read replica.
   */
  migrate(): Promise<void>
  /** As every storage, on a replica too. */
  diagnose(call?: StorageCall): Promise<StorageDiagnosis>
}

/**
 * Keeps keys in PostgreSQL 14 or newer, through a pool that the caller makes and closes. The first
 * use creates the tables. Every method rejects with a {@link StorageError} when it cannot answer;
 * invalid options throw a `TypeError` at once.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { postgresStorage } from 'miftah/postgres'
 * import pg from 'pg'
 *
 * const pool = new pg.Pool({ connectionString: 'postgres://localhost/app' })
 * // Without a listener, an idle connection that breaks ends the process.
 * pool.on('error', () => {})
 *
 * const keys = createApiKeys({
 *   storage: postgresStorage(pool),
 *   entitlements: () => plans.business,
 * })
 * ```
 */
export function postgresStorage(
  pool: PostgresPool,
  options: PostgresStorageOptions = {},
): PostgresStorage {
  const own = checks.object(options, OPTIONS)
  const schema = schemaOf(own)
  const { migrate = true, preparedStatements = true } = own
  checks.that(typeof pool?.query === 'function', '"pool" must have a method "query".')
  checks.that(!('getConnection' in pool), '"pool" is one of MySQL: pass it to mysqlStorage.')
  checks.that(
    !('connectionParameters' in pool),
    '"pool" is one connection, a pg.Client: pass a pool, `new pg.Pool(…)`, which connects by itself, ' +
      'replaces a connection that breaks, and keeps calls out of your transactions.',
  )
  const calls = callsOf(driverOf(pool, preparedStatements))
  const readiness = readinessOf(calls, schema, migrate)
  const ask = askOf(calls, readiness, schema, migrate)
  return {
    migrate: () => readiness.migrate().then(() => undefined),
    diagnose: diagnosisOf(calls, schema),
    ...storableOnly({
      findByHash: lookupsOf(ask),
      ...writesOn(ask),
      ...pagesOn(ask),
      ...usesOn(ask),
      ...relaysOn(ask),
      ...erasureOn(ask),
    }),
    changes: storableLog(changeLogOf(pool, schema, ask)),
  }
}

/**
 * The SQL that creates the tables, as one statement that can be run again at any time; for teams who apply
 * it themselves and set `migrate: false`. With `runtimeRole`, also the grants of a role that serves
 * requests and can delete neither keys nor events; with `erasureRole`, those of a role that may erase and
 * purge too. Throws a `TypeError` for an invalid name.
 *
 * @example
 * ```ts
 * import { postgresSchema } from 'miftah/postgres'
 * import { writeFileSync } from 'node:fs'
 *
 * writeFileSync('miftah.sql', postgresSchema({ schema: 'auth', runtimeRole: 'app' }))
 * ```
 */
export function postgresSchema(
  options: PostgresNaming & {
    readonly runtimeRole?: string
    readonly erasureRole?: string
  } = {},
): string {
  const rules = { schema: true, runtimeRole: true, erasureRole: true } as const
  const own = new OptionChecks('postgresSchema').object(options, rules)
  const { runtimeRole, erasureRole } = own
  const schema = schemaOf(own)
  const grants = [
    ...(runtimeRole ? [grantScript(schema, runtimeRole, false)] : []),
    ...(erasureRole ? [grantScript(schema, erasureRole, true)] : []),
  ]
  return `${[migrationScript(schema), ...grants].join('\n\n')}\n`
}

// A String object of plain JavaScript, with its own `toString`, would pass the pattern and then be written differently.
function schemaOf({ schema = 'miftah' }: PostgresNaming): string {
  const isValid = typeof schema === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(schema)
  if (isValid && !schema.startsWith('pg_') && schema !== 'information_schema') return schema
  throw new TypeError(
    'Option "schema" must be lower-case letters, digits and _, and no schema of PostgreSQL itself.',
  )
}
