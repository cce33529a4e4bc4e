import type { StorageCall, StorageDiagnosis } from '../../../../src/storage/index.ts'
import { deadlineOf } from '../deadline.ts'
import { integerIn, oneOfIn, textIn, textsIn } from '../sql/cells.ts'
import { RIGHTS } from '../sql/rights.ts'
import { MODES, pendingEventsFrom } from '../sql/rows.ts'
import type { Calls } from './ask.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { objectOf } from './sql.ts'

/** Answers `KeyStorage.diagnose`. It reads only what the role may read, and works on a replica too. */
export function diagnosisOf(calls: Calls, schema: string) {
  return async (call?: StorageCall): Promise<StorageDiagnosis> => {
    const deadline = deadlineOf(call)
    const ask = async (value: string) => {
      const text = `SELECT (${value})::text AS answer`
      return objectOf(await calls.one('read', { text, values: [] }, deadline))
    }
    const facts = await ask(factsOf(schema))
    const missing = textsIn(facts, 'missing')
    const may = (table: string) =>
      facts['mayUseSchema'] === true && !missing.includes(`SELECT ON ${schema}.${table}`)
    const versionOf = async () => {
      if (facts['isInstalled'] !== true) return 0
      if (!may('miftah_schema')) return null
      return integerIn(await ask(`SELECT to_json(s) FROM "${schema}".miftah_schema s`), 'version')
    }
    const schemaVersion = await versionOf()
    const isCurrent = schemaVersion === SCHEMA_VERSION
    const pending = isCurrent && may('miftah_events') ? await ask(pendingOf(schema)) : null
    const usage = facts['mayUseSchema'] === true ? [] : [`USAGE ON SCHEMA ${schema}`]
    return {
      system: `PostgreSQL ${textIn(facts, 'version').split(' ')[0]}`,
      mode: oneOfIn(facts, 'mode', MODES),
      schemaVersion,
      neededVersion: SCHEMA_VERSION,
      missingRights: isCurrent || schemaVersion === null ? [...usage, ...missing] : [],
      pendingEvents: pending && pendingEventsFrom(pending),
    }
  }
}

/**
 * What the catalogue of the server says, whatever the role may read. Names are looked up there: `to_regclass` and the
 * like fail where the role may not use the schema.
 */
function factsOf(schema: string): string {
  const needed = Object.entries(RIGHTS).flatMap(([table, { use }]) =>
    use.split(', ').map((right) => `('miftah_${table}', '${right}')`),
  )
  return `WITH own AS (SELECT oid FROM pg_namespace WHERE nspname = '${schema}'),
  tables AS (SELECT c.oid, c.relname FROM pg_class c JOIN own ON own.oid = c.relnamespace)
  SELECT json_build_object(
    'version', current_setting('server_version'),
    'mode', CASE WHEN pg_is_in_recovery() THEN 'replica'
      WHEN current_setting('transaction_read_only') = 'on' THEN 'read_only' ELSE 'primary' END,
    'mayUseSchema', (SELECT coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), true) FROM own),
    'isInstalled', EXISTS (SELECT FROM tables WHERE relname = 'miftah_schema'),
    'missing', (SELECT coalesce(json_agg(n.privilege || ' ON ${schema}.' || n.name), '[]')
      FROM (VALUES ${needed.join(', ')}) AS n (name, privilege) LEFT JOIN tables t ON t.relname = n.name
      WHERE has_table_privilege(t.oid, n.privilege) IS NOT TRUE))`
}

function pendingOf(schema: string): string {
  return `SELECT json_build_object('count', count(*), 'oldest_at_ms', min(e.at_ms))
  FROM "${schema}".miftah_events e WHERE e.is_pending`
}
