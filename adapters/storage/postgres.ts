/**
 * Keys in PostgreSQL 14 or newer, through `pg`, Neon, PGlite or any other driver that runs one
 * statement with parameters.
 *
 * @module miftah/postgres
 */

import type { KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { storableLog } from './lib/change-log.ts'
import { changeQueueOf } from './lib/change-queue.ts'
import { deadlineOf } from './lib/deadline.ts'
import { checkOptions } from './lib/options.ts'
import * as answers from './lib/postgres/answers.ts'
import { type Attempt, type Calls, callsOf } from './lib/postgres/calls.ts'
import { ChangeBatches } from './lib/postgres/change-batches.ts'
import { type CallFunction, changeLogOf } from './lib/postgres/changes/change-log.ts'
import { diagnosisOf } from './lib/postgres/diagnosis.ts'
import { driverOf, type PostgresPool, type Statement } from './lib/postgres/driver.ts'
import { asUnstorable } from './lib/postgres/errors.ts'
import { keyJson, stateJson } from './lib/postgres/key-json.ts'
import { KeyLines } from './lib/postgres/key-line.ts'
import { lookupsOf } from './lib/postgres/lookups.ts'
import { namesOf, type PostgresNaming } from './lib/postgres/names.ts'
import { type Readiness, readinessOf } from './lib/postgres/readiness.ts'
import { grantScript, migrationScript } from './lib/postgres/schema/script.ts'
import { ServerClock } from './lib/postgres/server-clock.ts'
import { type Statements, statementsOf } from './lib/postgres/statements.ts'
import { type StorableStorage, storableOnly } from './lib/storable-storage.ts'

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
  /**
   * Whether lookups are prepared statements, where the driver has them. Default `true`, which is safe
   * behind a transaction pooler too: if it loses them, the storage goes on without.
   */
  readonly preparedStatements?: boolean
}

const OPTIONS = {
  schema: 'other',
  tablePrefix: 'other',
  migrate: 'boolean',
  preparedStatements: 'boolean',
} as const

/** Keys in PostgreSQL. */
export interface PostgresStorage extends KeyStorage {
  /**
   * Brings the schema to this release's version, or does nothing if it has it. Safe at every start and
   * from many processes at once. Takes at most 60 seconds. Rejects with a `StorageError`:
   * `schema_too_new` when a later release has migrated it, `not_primary` on a read replica.
   */
  migrate(): Promise<void>
  /**
   * What an operator needs to know when something is wrong: server, schema, clock, rights, keys and
   * events. It changes nothing. Events count as unreadable for a role without `SELECT` on the table
   * `outbox`.
   */
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
  const own = checkOptions('postgresStorage', options, OPTIONS)
  const names = namesOf(own)
  const { migrate = true, preparedStatements = true } = own
  if (typeof pool?.query !== 'function')
    throw new TypeError('postgresStorage: "pool" must have a method "query".')
  if ('getConnection' in pool)
    throw new TypeError('postgresStorage: "pool" is one of MySQL: pass it to mysqlStorage.')
  if ('connectionParameters' in pool)
    throw new TypeError(
      'postgresStorage: "pool" is one connection, a pg.Client: pass a pool, `new pg.Pool(…)`, which ' +
        'connects by itself, replaces a connection that breaks, and keeps calls out of your transactions.',
    )
  const calls = callsOf(driverOf(pool, preparedStatements), changeQueueOf(pool))
  const clock = new ServerClock()
  const readiness = readinessOf({ calls, names, clock }, migrate)
  const statements = statementsOf(names)
  const lines = new KeyLines()
  const parts = { calls, readiness, statements, clock, lines }
  const run = runnerOf(parts)
  const runForCache: CallFunction = (name, argument, call) =>
    run({ name, lane: WITHOUT_TURN.has(name) ? undefined : CACHE, argument }, call)
  return {
    migrate: readiness.migrate,
    diagnose: diagnosisOf(calls, names),
    ...storableOnly({ ...reads(parts), ...changes(run) }),
    changes: storableLog(changeLogOf({ pool, names, run: runForCache, ...parts }), () =>
      lines.stop(),
    ),
  }
}

/**
 * The SQL that creates the schema or brings it up to date, as one statement that can be run again at
 * any time; for teams who apply it themselves and set `migrate: false`. With `runtimeRole`, also
 * the grants of a role that uses the schema and may change nothing else; with `erasureRole`, those of
 * a role that may erase and purge too. Throws a `TypeError` for an invalid name.
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
  const own: typeof options = Object.assign(Object.create(null), options)
  const names = namesOf(own)
  const { runtimeRole, erasureRole } = own
  const grants = [
    ...(runtimeRole ? [grantScript(names, runtimeRole, 'use')] : []),
    ...(erasureRole ? [grantScript(names, erasureRole, 'erase')] : []),
  ]
  return `${[migrationScript(names), ...grants].join('\n\n')}\n`
}

interface Parts {
  readonly calls: Calls
  readonly readiness: Readiness
  readonly statements: Statements
  readonly clock: ServerClock
  readonly lines: KeyLines
}

function reads({ calls, readiness, statements, lines }: Parts) {
  const lookUp = lookupsOf(readiness.lookups, {
    ...{ statements, lines },
    readiness: { ensure: readiness.ensureForLookup },
  })
  const read = async (statement: Statement, call: StorageCall | undefined) => {
    const deadline = deadlineOf(call)
    await readiness.ensure(call)
    return calls.read(statement, deadline)
  }
  return {
    findByHash: lookUp,
    findById: async (workspaceId, id, call) =>
      answers.key(await read(statements.findById(workspaceId, id), call)),
    list: async (workspaceId, query, call) =>
      answers.keyPage(await read(statements.list(workspaceId, query), call), query.limit),
    usage: async (workspaceId, query, call) =>
      answers.usageCounts(await read(statements.usage(workspaceId, query), call)),
    events: async (workspaceId, query, call) =>
      answers.eventPage(await read(statements.events(workspaceId, query), call)),
    dueNotices: async (query, call) =>
      answers.noticesDue(await read(statements.dueNotices(query), call)),
  } satisfies Partial<StorableStorage>
}

/** A call of a function that changes something. */
interface Change {
  readonly name: string
  /**
   * The lane it waits in: its workspace's, or one for its kind of change; without one it is sent at
   * once.
   */
  readonly lane: string | undefined
  readonly argument: object
}

const USAGE = 'usage'
const RELAY = 'relay'
const CACHE = 'cache'
const ERASURE = 'erasure'
const NOTICES = 'notices'

/** Behind a burst of other changes, the lease of the process would run out. */
const WITHOUT_TURN: ReadonlySet<string> = new Set(['register_node', 'renew_node'])

/** The changes of a key that wait for the log together. */
const SHARED: ReadonlySet<string> = new Set(['update_key', 'rotate_key', 'revoke_key'])

/** Calls functions of the schema that change something. */
function runnerOf(parts: Parts) {
  const { calls, readiness, statements, clock } = parts
  const batches = batchesOf(parts)
  return async ({ name, lane, argument }: Change, call: StorageCall | undefined) => {
    const deadline = deadlineOf(call)
    const timeOfCall = clock.startCall()
    // Written at once: what the caller does to the argument later changes nothing.
    const json = JSON.stringify(argument)
    await readiness.ensure(call)
    const ask = async () => {
      if (lane !== undefined && SHARED.has(name)) {
        return batches.run({ name, lane, deadline, json, timeOfCall, isRepeat: false })
      }
      const statement = (attempt: Attempt) =>
        statements.call(name, json, { ...attempt, ...timeOfCall() })
      return clock.read(await calls.change(statement, deadline, lane))
    }
    const answer = await ask()
    // To the server, a suspension of this process looks like a wait. The answer has set the clock.
    return answers.saysExpired(answer) ? ask() : answer
  }
}

/** The lane of changes that are made together. */
const TOGETHER = 'together'

function batchesOf({ calls, statements, clock }: Parts): ChangeBatches {
  return new ChangeBatches({
    together: async (changes, deadline) => {
      const statement = (attempt: Attempt) => {
        const texts = changes.map((change) => {
          const { name, json, timeOfCall } = change
          change.isRepeat = attempt.isRepeat
          const about = JSON.stringify({ ...attempt, ...timeOfCall() })
          return `{"name":"${name}","argument":${json.slice(0, -1)},${about.slice(1)}}`
        })
        return statements.call('change_keys', `{"changes":[${texts.join()}]}`, attempt)
      }
      return answers.changed(clock.read(await calls.change(statement, deadline, TOGETHER)))
    },
    alone: async ({ name, lane, deadline, json, timeOfCall, isRepeat }) => {
      const statement = (attempt: Attempt) =>
        statements.call(name, json, {
          ...{ ...attempt, isRepeat: isRepeat || attempt.isRepeat },
          ...timeOfCall(),
        })
      return clock.read(await calls.change(statement, deadline, lane))
    },
  })
}

function changes(run: ReturnType<typeof runnerOf>) {
  return {
    insert: async (record, activeLimit, event, call) => {
      const argument = { record: keyJson(record), activeLimit, event }
      const change = { name: 'insert_key', lane: record.workspaceId, argument }
      return answers.insertOutcome(await run(change, call))
    },
    update: async (update, call) => {
      const argument = { ...update, state: stateJson(update.state) }
      const change = { name: 'update_key', lane: update.workspaceId, argument }
      return answers.updateOutcome(await run(change, call))
    },
    rotate: async (rotation, call) => {
      const argument = { ...rotation, replacement: keyJson(rotation.replacement) }
      const change = { name: 'rotate_key', lane: rotation.workspaceId, argument }
      return answers.rotateOutcome(await run(change, call))
    },
    revoke: async (revocation, call) => {
      const change = { name: 'revoke_key', lane: revocation.workspaceId, argument: revocation }
      return answers.revokeOutcome(await run(change, call))
    },
    revokeMany: async (change, call) => {
      const { workspaceId: lane } = change
      return answers.revokedMany(await run({ name: 'revoke_keys', lane, argument: change }, call))
    },
    confirm: async (workspaceId, call) => {
      const change = { name: 'confirm_keys', lane: workspaceId, argument: { workspaceId } }
      return answers.confirmation(await run(change, call))
    },
    claimEvents: async (claim, call) =>
      answers.events(await run({ name: 'claim_events', lane: RELAY, argument: claim }, call)),
    addUses: async (batch, call) => {
      await run({ name: 'add_uses', lane: USAGE, argument: batch }, call).catch(
        (error: unknown) => {
          throw asUnstorable(error)
        },
      )
    },
    acknowledgeEvents: async (relay, eventIds, call) => {
      await run({ name: 'acknowledge_events', lane: RELAY, argument: { relay, eventIds } }, call)
    },
    releaseEvents: async (relay, call) => {
      await run({ name: 'release_events', lane: RELAY, argument: { relay } }, call)
    },
    storeNotices: async (notices, call) => {
      const change = { name: 'store_notices', lane: NOTICES, argument: { notices } }
      return answers.storedNotices(await run(change, call))
    },
    erasePerson: async (erasure, call) => {
      const change = { name: 'erase_person', lane: ERASURE, argument: erasure }
      return answers.erasureOutcome(await run(change, call))
    },
    eraseWorkspace: async (erasure, call) => {
      const change = { name: 'erase_workspace', lane: erasure.workspaceId, argument: erasure }
      return answers.erasureOutcome(await run(change, call))
    },
    purge: async (limits, call) => {
      const change = { name: 'purge', lane: ERASURE, argument: limits }
      return answers.erasureOutcome(await run(change, call))
    },
  } satisfies Partial<StorableStorage>
}
