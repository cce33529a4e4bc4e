import type { StorageCall, StorageDiagnosis } from '../../../../src/storage/index.ts'
import { clockSkew } from '../clock-skew.ts'
import { deadlineOf } from '../deadline.ts'
import { countsByStatus } from '../key-conditions.ts'
import { countAllAgain, wrongCounts } from './active-keys.ts'
import type { Calls } from './calls.ts'
import type { Names } from './names.ts'
import { qualified } from './qualified.ts'
import { CALLED_FUNCTIONS, READ_TABLES } from './schema/grants.ts'
import { SCHEMA_VERSION } from './schema/index.ts'

/** It moves within a statement, which makes no difference to counts. */
const CLOCK_MS = '(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint'

/** What the catalogue of the server says, whatever the role may read. */
interface Facts {
  readonly version: string
  readonly isReplica: boolean
  readonly isReadOnly: boolean
  readonly mayUseSchema: boolean
  readonly isInstalled: boolean
  /** The tables and functions that are missing, or that the role may not use. */
  readonly closed: readonly string[]
}

/**
 * Answers `KeyStorage.diagnose`. It reads only what the role may read, and works on a replica too.
 */
export function diagnosisOf(calls: Calls, names: Names) {
  return async (call?: StorageCall): Promise<StorageDiagnosis> => {
    const deadline = deadlineOf(call)
    const ask = async (select: string) => {
      const text = qualified(`SELECT (${select})::text AS answer`)
      return JSON.parse((await calls.read({ text, values: [] }, deadline)) ?? 'null')
    }
    const facts: Facts = await ask(factsSelect(names))
    const skew = await clockSkew(() => ask(`SELECT ${CLOCK_MS}`))
    const { isInstalled, mayUseSchema, closed } = facts
    const mayRead = (...tables: readonly string[]) =>
      mayUseSchema && tables.every((table) => !closed.includes(table))
    const version = async () => (mayRead('schema_version') ? ask(versionSelect(names)) : null)
    const schemaVersion: number | null = isInstalled ? await version() : 0
    const isCurrent = schemaVersion === SCHEMA_VERSION
    const askWith = async (select: string, ...tables: readonly string[]) =>
      isCurrent && mayRead(...tables) ? ask(select) : null
    const counts = await askWith(wrongCounts(names.at), 'workspaces', 'keys')
    return {
      system: `PostgreSQL ${facts.version.split(' ')[0]}`,
      mode: facts.isReplica ? 'replica' : facts.isReadOnly ? 'read_only' : 'primary',
      schemaVersion,
      neededVersion: SCHEMA_VERSION,
      ...skew,
      missingRights: isCurrent || schemaVersion === null ? missingRights(facts, names) : [],
      keys: await askWith(keysSelect(names), 'keys'),
      activeKeyCounts: counts && { ...counts, repair: countAllAgain(names.at) },
      pendingEvents: await askWith(unsettledSelect(names), 'outbox', 'events'),
      sequenceRepair: await askWith(repairSelect(names), 'outbox', 'relay'),
    }
  }
}

function missingRights({ mayUseSchema, closed }: Facts, { schema, at }: Names): readonly string[] {
  const rights = (names: readonly string[], right: string) =>
    names.filter((name) => closed.includes(name)).map((name) => `${right} ${at(name)}`)
  return [
    ...(mayUseSchema ? [] : [`USAGE ON SCHEMA ${schema}`]),
    ...rights(READ_TABLES, 'SELECT ON'),
    ...rights(CALLED_FUNCTIONS, 'EXECUTE ON FUNCTION'),
  ]
}

/**
 * Names are looked up in the catalogue: `to_regclass` and the like fail where the role may not use the
 * schema.
 */
function factsSelect({ schema, prefix }: Names): string {
  const values = (names: readonly string[]) =>
    names.map((name) => `('${name}', '${prefix}${name}')`).join(', ')
  return `WITH own AS (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = '${schema}'),
  tables AS (SELECT t.name, pg_catalog.has_table_privilege(c.oid, 'SELECT') AS allowed
    FROM (VALUES ${values([...READ_TABLES, 'outbox', 'relay'])}) AS t (name, stored) LEFT JOIN
      (pg_catalog.pg_class c JOIN own ON own.oid = c.relnamespace) ON c.relname = t.stored),
  functions AS (SELECT f.name, pg_catalog.has_function_privilege(p.oid, 'EXECUTE') AS allowed
    FROM (VALUES ${values(CALLED_FUNCTIONS)}) AS f (name, stored) LEFT JOIN
      (pg_catalog.pg_proc p JOIN own ON own.oid = p.pronamespace) ON p.proname = f.stored),
  closed AS (SELECT name FROM tables WHERE allowed IS NOT TRUE
    UNION ALL SELECT name FROM functions WHERE allowed IS NOT TRUE)
  SELECT pg_catalog.json_build_object(
    'version', pg_catalog.current_setting('server_version'),
    'isReplica', pg_catalog.pg_is_in_recovery(),
    'isReadOnly', pg_catalog.current_setting('transaction_read_only') = 'on',
    'mayUseSchema', (SELECT coalesce(
      pg_catalog.bool_and(pg_catalog.has_schema_privilege(oid, 'USAGE')), true) FROM own),
    'isInstalled', EXISTS (SELECT FROM tables
      WHERE name = 'schema_version' AND allowed IS NOT NULL),
    'closed', (SELECT coalesce(pg_catalog.json_agg(name), '[]') FROM closed))`
}

function versionSelect({ at }: Names): string {
  return `SELECT coalesce(pg_catalog.max(version), 0) FROM ${at('schema_version')}`
}

function keysSelect({ at }: Names): string {
  const counts = countsByStatus(CLOCK_MS)
  return `SELECT pg_catalog.to_json(c) FROM (SELECT ${counts} FROM ${at('keys')}) c`
}

function unsettledSelect({ at }: Names): string {
  return `SELECT pg_catalog.json_build_object(
    'count', pg_catalog.count(*), 'oldestAtMs', pg_catalog.min(e.at_ms))
  FROM ${at('outbox')} o JOIN ${at('events')} e ON e.id = o.event_id`
}

/** Where the sequence is behind a position that was taken before, the statement that moves it there. */
function repairSelect({ at }: Names): string {
  return `SELECT CASE WHEN pg_catalog.has_sequence_privilege(s.name, 'SELECT') THEN (
    SELECT pg_catalog.to_json(
      pg_catalog.format('SELECT pg_catalog.setval(%L, %s)', s.name, t.highest))
    FROM (SELECT GREATEST(r.acknowledged_to, r.next_acknowledged_to,
        (SELECT pg_catalog.max(o.position) FROM ${at('outbox')} o)) AS highest
      FROM ${at('relay')} r) t
    WHERE coalesce(pg_catalog.pg_sequence_last_value(s.name::regclass), 0) < t.highest) END
  FROM (SELECT pg_catalog.pg_get_serial_sequence('${at('outbox')}', 'position') AS name) s`
}
