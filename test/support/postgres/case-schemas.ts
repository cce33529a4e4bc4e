import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { isLong } from '../runs.ts'

/**
 * Names the schema of each case of a suite. In a long run every case has its own, which its first
 * use creates. Otherwise they share one, which is emptied for each: the first use has tests of its
 * own, and takes longer than most cases.
 */
export function caseSchemas(pool: () => PostgresPool, name: string): () => Promise<string> {
  let cases = 0
  return async () => {
    cases += 1
    if (isLong) return `${name}_${cases}`
    if (cases === 1) await postgresStorage(pool(), { schema: name }).migrate()
    await pool().query(emptying(name))
    return name
  }
}

/** The guards let all of this pass. */
function emptying(schema: string): string {
  const rows = ['keys', 'events', 'workspaces', 'writers', 'nodes', 'log']
  return `DO $$ BEGIN
    UPDATE ${schema}.miftah_events SET is_pending = false WHERE is_pending;
    ${rows.map((table) => `DELETE FROM ${schema}.miftah_${table};`).join('\n')}
    UPDATE ${schema}.miftah_clock SET head = 0, is_used = false;
    UPDATE ${schema}.miftah_relay SET relay = NULL, lease_ms = 0, leased_until_ms = 0;
  END $$`
}
