import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { isLong } from '../runs.ts'

/**
 * Names the schema of each case of a suite. In a long run every case has its own, which its first
 * use creates. Otherwise they share one, which is reset for each: the first use has tests of its
 * own, and takes longer than most cases.
 */
export function caseSchemas(pool: () => PostgresPool, name: string): () => Promise<string> {
  let cases = 0
  let reset = ''
  return async () => {
    cases += 1
    if (isLong) return `${name}_${cases}`
    if (cases > 1) await pool().query(reset)
    else reset = await resetOf(pool(), name)
    return name
  }
}

/** Creates a schema, and returns the statement that resets it to how it is then. */
async function resetOf(pool: PostgresPool, schema: string): Promise<string> {
  await postgresStorage(pool, { schema }).migrate()
  const tables = await read<{ name: string }>(
    pool,
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace ORDER BY relname`,
  )
  // They hold without foreign keys too.
  const guards = await read<{ name: string; table: string }>(
    pool,
    `SELECT quote_ident(tgname) AS name, tgrelid::regclass::text AS table FROM pg_trigger
     WHERE tgenabled = 'A' AND tgname ~ '_kept$'
       AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = '${schema}'::regnamespace)`,
  )
  const set = (state: string) =>
    guards.map(({ name, table }) => `ALTER TABLE ${table} ${state} TRIGGER ${name};`).join('\n')
  const steps: string[] = []
  for (const { name } of tables) {
    const table = `${schema}.${name}`
    const [{ rows } = { rows: null }] = await read<{ rows: string | null }>(
      pool,
      `SELECT json_agg(t)::text AS rows FROM ${table} t`,
    )
    steps.push(`DELETE FROM ${table};`)
    if (rows === null) continue
    const values = `json_populate_recordset(NULL::${table}, '${rows.replaceAll("'", "''")}')`
    steps.push(`INSERT INTO ${table} SELECT * FROM ${values};`)
  }
  // Foreign keys and guards are off meanwhile.
  return `DO $reset$ BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    ${set('DISABLE')}
    ${steps.join('\n')}
    ${set('ENABLE ALWAYS')}
  END $reset$`
}

async function read<T>(pool: PostgresPool, text: string): Promise<readonly T[]> {
  return (await pool.query(text)).rows as readonly T[]
}
