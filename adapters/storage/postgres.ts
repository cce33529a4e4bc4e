/**
 * Keys in PostgreSQL 14 or newer, through `pg`, Neon, PGlite or any other driver that runs one
 * statement with parameters.
 *
 * @module miftah/postgres
 */

import type { KeyPage, KeyStorage, StorageCall, StorageDiagnosis } from '../../src/storage/index.ts'
import { checkOptions } from './lib/options.ts'
import * as answers from './lib/postgres/answers.ts'
import { type Attempt, type Calls, callsOf } from './lib/postgres/calls.ts'
import { changeQueueOf } from './lib/postgres/change-queue.ts'
import { type CallFunction, changeLogOf } from './lib/postgres/changes/change-log.ts'
import { deadlineOf } from './lib/postgres/deadline.ts'
import { diagnosisOf } from './lib/postgres/diagnosis.ts'
import { driverOf, type PostgresPool, type Statement } from './lib/postgres/driver.ts'
import { asUnstorable } from './lib/postgres/errors.ts'
import { keyJson, stateJson } from './lib/postgres/key-json.ts'
import { lookupsOf } from './lib/postgres/lookups.ts'
import { namesOf, type PostgresNaming } from './lib/postgres/names.ts'
import { type Readiness, readinessOf } from './lib/postgres/readiness.ts'
import { grantScript, migrationScript } from './lib/postgres/schema/script.ts'
import { ServerClock } from './lib/postgres/server-clock.ts'
import { type Statements, statementsOf } from './lib/postgres/statements.ts'
import {
  checkIntegers,
  checkStorableEvent,
  checkStorableRecord,
  checkStorableState,
  checkTexts,
  isStorableText,
} from './lib/storable.ts'
import { storableCount } from './lib/usage-history.ts'

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
  const calls = callsOf(driverOf(pool, preparedStatements), changeQueueOf(pool))
  const clock = new ServerClock()
  const readiness = readinessOf({ calls, names, clock }, migrate)
  const statements = statementsOf(names)
  const parts = { calls, readiness, statements, clock }
  const run = runnerOf(parts)
  const runForCache: CallFunction = (name, argument, call) =>
    run({ name, lane: WITHOUT_TURN.has(name) ? undefined : CACHE, argument }, call)
  return {
    migrate: readiness.migrate,
    diagnose: diagnosisOf(calls, names),
    ...reads(parts),
    ...changes(run),
    changes: changeLogOf({ pool, names, run: runForCache, ...parts }),
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
}

const HASH = /^[0-9a-f]{64}$/

const EMPTY_PAGE: KeyPage = { records: [], more: false, activeKeys: 0, total: 0 }

// A text that PostgreSQL cannot store names nothing that it holds; a driver would send other text.
function reads({ calls, readiness, statements }: Parts) {
  const lookUp = lookupsOf(readiness.lookups, statements, { ensure: readiness.ensureForLookup })
  const read = async (statement: Statement, call: StorageCall | undefined) => {
    const deadline = deadlineOf(call)
    await readiness.ensure(call)
    return calls.read(statement, deadline)
  }
  return {
    // A text that is not a hash names no key, and must not fail the lookups that share a statement.
    findByHash: (hash, call) => (HASH.test(hash) ? lookUp(hash, call) : null),
    findById: async (workspaceId, id, call) => {
      if (![workspaceId, id].every(isStorableText)) return null
      return answers.key(await read(statements.findById(workspaceId, id), call))
    },
    list: async (workspaceId, query, call) => {
      if (!isStorableText(query.after ?? '')) return null
      if (!isStorableText(workspaceId)) return query.after === null ? { ...EMPTY_PAGE } : null
      const { scope = '', creatorId = '', resource, ids = [] } = query
      checkTexts([scope, creatorId, resource?.type ?? '', resource?.id ?? '', ...ids])
      checkIntegers([query.notUsedAfterMs ?? 0])
      return answers.keyPage(await read(statements.list(workspaceId, query), call), query.limit)
    },
    usage: async (workspaceId, query, call) => {
      if (![workspaceId, query.id ?? ''].every(isStorableText)) {
        return query.id === null ? { hours: [], days: [] } : null
      }
      return answers.usageCounts(await read(statements.usage(workspaceId, query), call))
    },
    events: async (workspaceId, query, call) => {
      if (!isStorableText(query.after ?? '')) return null
      if (![workspaceId, query.keyId ?? ''].every(isStorableText)) {
        return query.after === null ? [] : null
      }
      return answers.eventPage(await read(statements.events(workspaceId, query), call))
    },
    dueNotices: async (query, call) => {
      checkIntegers([query.atMs, query.limit])
      return answers.noticesDue(await read(statements.dueNotices(query), call))
    },
  } satisfies Partial<KeyStorage>
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

/** Calls functions of the schema that change something. */
function runnerOf({ calls, readiness, statements, clock }: Parts) {
  return async ({ name, lane, argument }: Change, call: StorageCall | undefined) => {
    const deadline = deadlineOf(call)
    const timeOfCall = clock.startCall()
    // Written at once: what the caller does to the argument later changes nothing.
    const json = JSON.stringify(argument)
    await readiness.ensure(call)
    const ask = async () => {
      const statement = (attempt: Attempt) =>
        statements.call(name, json, { ...attempt, ...timeOfCall() })
      return clock.read(await calls.change(statement, deadline, lane))
    }
    const answer = await ask()
    // To the server, a suspension of this process looks like a wait. The answer has set the clock.
    return answers.saysExpired(answer) ? ask() : answer
  }
}

function changes(run: ReturnType<typeof runnerOf>) {
  return {
    insert: async (record, activeLimit, event, call) => {
      checkStorableRecord(record)
      checkStorableEvent(event)
      checkIntegers([activeLimit ?? 0])
      const argument = { record: keyJson(record), activeLimit, event }
      const lane = record.workspaceId
      return answers.insertOutcome(await run({ name: 'insert_key', lane, argument }, call))
    },
    update: async (change, call) => {
      checkTexts([change.workspaceId, change.id])
      checkIntegers([change.version, change.updatedAtMs])
      checkStorableState(change.state)
      checkStorableEvent(change.event)
      const argument = { ...change, state: stateJson(change.state) }
      const lane = change.workspaceId
      return answers.updateOutcome(await run({ name: 'update_key', lane, argument }, call))
    },
    rotate: async (rotation, call) => {
      const { version, rotatedAtMs, retiresAtMs, retiringLimit } = rotation
      checkTexts([rotation.workspaceId, rotation.id])
      checkIntegers([version, rotatedAtMs, retiresAtMs ?? 0, retiringLimit ?? 0])
      checkStorableRecord(rotation.replacement)
      checkStorableEvent(rotation.event)
      const argument = { ...rotation, replacement: keyJson(rotation.replacement) }
      const lane = rotation.workspaceId
      return answers.rotateOutcome(await run({ name: 'rotate_key', lane, argument }, call))
    },
    revoke: async (revocation, call) => {
      checkTexts([revocation.workspaceId, revocation.id])
      checkIntegers([revocation.revokedAtMs])
      checkStorableEvent(revocation.event)
      const change = { name: 'revoke_key', lane: revocation.workspaceId, argument: revocation }
      return answers.revokeOutcome(await run(change, call))
    },
    revokeMany: async (change, call) => {
      checkTexts([change.workspaceId, ...change.keys.map(({ id }) => id)])
      checkIntegers([change.revokedAtMs, change.notUsedAfterMs ?? 0])
      for (const { event } of change.keys) checkStorableEvent(event)
      const { workspaceId: lane } = change
      return answers.revokedMany(await run({ name: 'revoke_keys', lane, argument: change }, call))
    },
    confirm: async (workspaceId, call) => {
      if (!isStorableText(workspaceId)) return {}
      const change = { name: 'confirm_keys', lane: workspaceId, argument: { workspaceId } }
      return answers.confirmation(await run(change, call))
    },
    claimEvents: async (claim, call) => {
      checkTexts([claim.relay])
      checkIntegers([claim.leaseMs, claim.limit])
      const except = claim.except.filter(isStorableText)
      const argument = { ...claim, except }
      return answers.events(await run({ name: 'claim_events', lane: RELAY, argument }, call))
    },
    addUses: async ({ writer, sequence, uses, history }, call) => {
      checkTexts([writer])
      const known = uses.filter(({ id }) => isStorableText(id))
      checkIntegers([sequence, ...known.flatMap((entry) => [entry.uses, entry.lastUsedAtMs])])
      const counts = history?.counts.filter(({ id }) => isStorableText(id)).map(storableCount)
      const argument = { writer, sequence, uses: known, history: history && { ...history, counts } }
      await run({ name: 'add_uses', lane: USAGE, argument }, call).catch((error: unknown) => {
        throw asUnstorable(error)
      })
    },
    acknowledgeEvents: async (relay, eventIds, call) => {
      if (!isStorableText(relay)) return
      const argument = { relay, eventIds: eventIds.filter(isStorableText) }
      await run({ name: 'acknowledge_events', lane: RELAY, argument }, call)
    },
    releaseEvents: async (relay, call) => {
      if (!isStorableText(relay)) return
      await run({ name: 'release_events', lane: RELAY, argument: { relay } }, call)
    },
    storeNotices: async (notices, call) => {
      const storable = notices.filter(({ workspaceId, id }) =>
        [workspaceId, id].every(isStorableText),
      )
      for (const { version, dueAtMs, nextAtMs, event } of storable) {
        checkIntegers([version, dueAtMs, nextAtMs ?? 0])
        checkStorableEvent(event)
      }
      const change = { name: 'store_notices', lane: NOTICES, argument: { notices: storable } }
      return answers.storedNotices(await run(change, call))
    },
    erasePerson: async (erasure, call) => {
      checkIntegers([erasure.limit])
      if (!isStorableText(erasure.personId)) return { keys: 0, events: 0, more: false }
      const change = { name: 'erase_person', lane: ERASURE, argument: erasure }
      return answers.erasureOutcome(await run(change, call))
    },
    eraseWorkspace: async (erasure, call) => {
      checkTexts([erasure.workspaceId])
      checkIntegers([erasure.erasedAtMs, erasure.limit])
      const change = { name: 'erase_workspace', lane: erasure.workspaceId, argument: erasure }
      return answers.erasureOutcome(await run(change, call))
    },
    purge: async (asked, call) => {
      checkIntegers([asked.endedBeforeMs ?? 0, asked.eventsBeforeMs ?? 0, asked.limit])
      const change = { name: 'purge', lane: ERASURE, argument: asked }
      return answers.erasureOutcome(await run(change, call))
    },
  } satisfies Partial<KeyStorage>
}
