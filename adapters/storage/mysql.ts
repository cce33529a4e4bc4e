/**
 * Keys in MariaDB 10.6 or newer, or in MySQL 8.0 or newer, through the pool of `mysql2/promise`.
 *
 * @module miftah/mysql
 */

import type { KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { lookupsWith } from './lib/lookup-queue.ts'
import { diagnosisOf } from './lib/mysql/diagnosis.ts'
import { MYSQL } from './lib/mysql/dialect.ts'
import type { MysqlPool } from './lib/mysql/driver.ts'
import { changeLogOn, logDeleted } from './lib/mysql/log.ts'
import { readinessOf } from './lib/mysql/migrations.ts'
import { Runner } from './lib/mysql/runner.ts'
import { count, flag, OptionChecks } from './lib/options.ts'
import { acknowledgeEvents } from './lib/sql/events.ts'
import { storageOn } from './lib/sql/storage.ts'
import { storableLog, storableOnly } from './lib/storable-storage.ts'

export type { MysqlConnection, MysqlPool, MysqlQuery } from './lib/mysql/driver.ts'
export { type MysqlSchemaOptions, mysqlSchema } from './lib/mysql/migrations.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

/** How the storage uses the database. */
export interface MysqlStorageOptions {
  /**
   * Whether the first use creates the tables or brings them up to date. Default `true`. With `false` it
   * only checks their version, for a user who may not change tables.
   */
  readonly migrate?: boolean
  /**
   * How often a process that answers from memory looks for changes, in milliseconds: the server cannot notify
   * it. Default 100. Only the option `cache` of `createApiKeys` needs it.
   */
  readonly pollMs?: number
}

const checks = new OptionChecks('mysqlStorage')
const OPTIONS = { migrate: flag, pollMs: count(10, 60_000) }

/** Keys in MariaDB or MySQL. */
export interface MysqlStorage extends KeyStorage {
  /**
   * Creates the tables or brings them up to date, also with the option `migrate: false`. Safe at every start
   * and from many processes at once. Takes at most 60 seconds. Rejects with a `StorageError`:
   * `schema_too_new` when a later release has migrated them, `not_primary` on a read replica.
   */
  migrate(): Promise<void>
  /** As every storage, on a replica too. */
  diagnose(call?: StorageCall): Promise<StorageDiagnosis>
}

/**
 * Keeps keys in MariaDB 10.6 or MySQL 8.0, or newer, through a pool of `mysql2/promise` that the caller makes
 * and closes. The first use creates the tables, in the database of the pool. Every method rejects with a
 * {@link StorageError} when it cannot answer; invalid arguments throw a `TypeError` at once.
 *
 * @example
 * ```ts
 * import { createApiKeys, plans } from 'miftah'
 * import { mysqlStorage } from 'miftah/mysql'
 * import mysql from 'mysql2/promise'
 *
 * const keys = createApiKeys({
 *   storage: mysqlStorage(mysql.createPool('mysql://localhost/app')),
 *   entitlements: () => plans.business,
 * })
 * ```
 */
export function mysqlStorage(pool: MysqlPool, options: MysqlStorageOptions = {}): MysqlStorage {
  const { migrate = true, pollMs = 100 } = checks.object(options, OPTIONS)
  const isPool = typeof pool?.getConnection === 'function'
  checks.that(isPool, '"pool" must have a method "getConnection".')
  const isOfCallbacks = 'promise' in pool && typeof pool.promise === 'function'
  checks.that(!isOfCallbacks, '"pool" must answer with promises: pass pool.promise().')
  const readiness = readinessOf(pool, migrate)
  const runner = new Runner(pool, readiness)
  const { read, change, write } = runner
  return {
    migrate: () => readiness.migrate().then(() => undefined),
    diagnose: diagnosisOf(pool),
    changes: storableLog(changeLogOn(runner, pollMs)),
    ...storableOnly({
      ...storageOn({ ...MYSQL, logDeleted }, { read, change }),
      findByHash: lookupsWith(runner.find),
      write,
      acknowledgeEvents: (relay, ids, call) =>
        runner.changeWithoutDeleting(() => acknowledgeEvents(MYSQL, relay, ids), call),
    }),
  }
}
