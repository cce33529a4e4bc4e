/**
 * Keys in PostgreSQL 14 or newer, through `pg`, Neon, PGlite or any other driver that runs one
 * statement with parameters.
 *
 * @module miftah/postgres
 */

import type { KeyPage, KeyStorage } from '../../src/storage/index.ts'
import { Alarms } from './lib/postgres/alarms.ts'
import * as answers from './lib/postgres/answers.ts'
import { type Attempt, type Calls, callsOf } from './lib/postgres/calls.ts'
import { driverOf, type PostgresPool, type Statement } from './lib/postgres/driver.ts'
import { lookupsOf } from './lib/postgres/lookups.ts'
import { namesOf, type PostgresNaming } from './lib/postgres/names.ts'
import { type Readiness, readinessOf } from './lib/postgres/readiness.ts'
import { grantScript, migrationScript } from './lib/postgres/schema/script.ts'
import { type Statements, statementsOf } from './lib/postgres/statements.ts'
import {
  checkIntegers,
  checkStorableEvent,
  checkStorableRecord,
  checkTexts,
  isStorableText,
} from './lib/storable.ts'

export type { PostgresPool } from './lib/postgres/driver.ts'
export type { PostgresNaming } from './lib/postgres/names.ts'
export { StorageError, type StorageErrorCode } from './lib/storage-error.ts'

/** How the storage uses the database. */
export interface PostgresStorageOptions extends PostgresNaming {
  /**
   * Whether the first use brings the schema up to date. Default `true`. With `false` it only checks
   * the version, for a role that may not change tables.
   */
  readonly migrate?: boolean
  /** Milliseconds from a call to its answer or error, whatever the server does. Default 5,000. */
  readonly timeoutMs?: number
  /**
   * Whether lookups are prepared under names, where the driver can. Default `true`, which is safe
   * behind a transaction pooler too: one that loses the names is noticed and goes on without.
   */
  readonly preparedStatements?: boolean
}

/** Keys in PostgreSQL. */
export interface PostgresStorage extends KeyStorage {
  /**
   * Brings the schema to this release's version; does nothing when it is there. Safe from many
   * processes at once and at every start. Rejects with a `StorageError`:
   * `schema_too_new` when a later release has migrated it, `not_primary` on a read replica.
   */
  migrate(): Promise<void>
}

/**
 * Keeps keys in PostgreSQL 14 or newer, through a pool that the caller makes and closes. The tables
 * are made on first use. Every method rejects with a {@link StorageError} when it cannot answer;
 * wrong options throw a `TypeError` at once.
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
  const names = namesOf(options)
  const { migrate = true, preparedStatements = true, timeoutMs = 5_000 } = options
  if (typeof pool?.query !== 'function') throw new TypeError('pool: needs a method query')
  if (!(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1)) {
    throw new TypeError('timeoutMs: a positive number of milliseconds')
  }
  const alarms = new Alarms()
  const calls = callsOf(driverOf(pool, preparedStatements), timeoutMs, alarms)
  const readiness = readinessOf(calls, names, migrate)
  const statements = statementsOf(names)
  const room = { calls, readiness, statements, alarms }
  return { migrate: readiness.migrate, ...reads(room), ...changes(room) }
}

/**
 * The SQL that makes the schema or brings it up to date, as one statement that can be run again at
 * any time; for teams who apply it themselves and set `migrate: false`. With `runtimeRole`, also
 * the grants of a role that works with the schema and may change nothing else. Throws a `TypeError`
 * for a bad name.
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
  options: PostgresNaming & { readonly runtimeRole?: string } = {},
): string {
  const names = namesOf(options)
  const grants = options.runtimeRole ? `\n\n${grantScript(names, options.runtimeRole)}` : ''
  return `${migrationScript(names)}${grants}\n`
}

interface Room {
  readonly calls: Calls
  readonly readiness: Readiness
  readonly statements: Statements
  readonly alarms: Alarms
}

const HASH = /^[0-9a-f]{64}$/

const EMPTY_PAGE: KeyPage = { records: [], more: false, activeKeys: 0 }

// What PostgreSQL cannot store names nothing that it holds; a driver would turn it into other text.
function reads({ calls, readiness, statements, alarms }: Room) {
  const lookUp = lookupsOf(calls, statements, readiness, alarms)
  const read = async (statement: Statement) => {
    const deadline = calls.deadline()
    await readiness.ensure(deadline)
    return calls.read(statement, deadline)
  }
  return {
    // What is not a hash names no key, and must not spoil the lookup it would share.
    findByHash: (hash) => (HASH.test(hash) ? lookUp(hash) : null),
    findById: async (workspaceId, id) => {
      if (![workspaceId, id].every(isStorableText)) return null
      return answers.key(await read(statements.findById(workspaceId, id)))
    },
    list: async (workspaceId, query) => {
      if (!isStorableText(query.after ?? '')) return null
      if (!isStorableText(workspaceId)) return query.after === null ? { ...EMPTY_PAGE } : null
      return answers.keyPage(await read(statements.list(workspaceId, query)), query.limit)
    },
    events: async (workspaceId, query) => {
      if (!isStorableText(query.after ?? '')) return null
      if (!isStorableText(workspaceId)) return query.after === null ? [] : null
      return answers.eventPage(await read(statements.events(workspaceId, query)))
    },
  } satisfies Partial<KeyStorage>
}

function changes({ calls, readiness, statements }: Room) {
  const change = async (statement: (attempt: Attempt) => Statement) => {
    const deadline = calls.deadline()
    await readiness.ensure(deadline)
    return calls.change(statement, deadline)
  }
  const call = (name: string, argument: object) => {
    // Written down at once: what the caller does to the argument later changes nothing.
    const json = JSON.stringify(argument)
    return change((attempt) => statements.call(name, json, attempt))
  }
  return {
    insert: async (record, activeLimit, event) => {
      checkStorableRecord(record)
      checkStorableEvent(event)
      checkIntegers([activeLimit ?? 0])
      return answers.insertOutcome(await call('insert_key', { record, activeLimit, event }))
    },
    rotate: async (rotation) => {
      checkTexts([rotation.workspaceId, rotation.id])
      checkIntegers([rotation.revokedAtMs])
      checkStorableRecord(rotation.replacement)
      checkStorableEvent(rotation.event)
      return answers.rotateOutcome(await call('rotate_key', rotation))
    },
    revoke: async (revocation) => {
      checkTexts([revocation.workspaceId, revocation.id])
      checkIntegers([revocation.revokedAtMs])
      checkStorableEvent(revocation.event)
      return answers.revokeOutcome(await call('revoke_key', revocation))
    },
    claimEvents: async (claim) => {
      checkTexts([claim.relay])
      checkIntegers([claim.leaseMs, claim.limit])
      const except = claim.except.filter(isStorableText)
      return answers.events(await call('claim_events', { ...claim, except }))
    },
    addUses: async ({ writer, sequence, uses }) => {
      checkTexts([writer])
      const known = uses.filter(({ id }) => isStorableText(id))
      checkIntegers([sequence, ...known.flatMap((entry) => [entry.uses, entry.lastUsedAtMs])])
      const statement = statements.addUses({ writer, sequence, uses: known })
      await change(() => statement)
    },
    settleEvents: async (relay, eventIds) => {
      if (!isStorableText(relay)) return
      const statement = statements.settleEvents(relay, eventIds.filter(isStorableText))
      await change(() => statement)
    },
    releaseEvents: async (relay) => {
      if (isStorableText(relay)) await call('release_events', { relay })
    },
  } satisfies Partial<KeyStorage>
}
