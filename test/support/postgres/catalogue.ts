import type pg from 'pg'

/**
 * All that the catalogue of the server says about a schema, one line for each fact, without the order in which
 * columns were added and without the layout of SQL.
 */
export async function catalogueOf(pool: pg.Pool, schema: string): Promise<readonly string[]> {
  const client = await pool.connect()
  // Every name is written with its schema.
  await client.query("SET search_path = ''")
  const { rows } = await client.query(
    `WITH own AS (SELECT oid FROM pg_namespace WHERE nspname = $1),
    tables AS (SELECT c.* FROM pg_class c JOIN own ON own.oid = c.relnamespace)
    SELECT pg_catalog.concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, a.attcollation::regcollation, a.attidentity, pg_get_expr(d.adbin, d.adrelid)) AS fact
      FROM tables c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'S')
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'relation', c.relname, c.relkind, c.reloptions, c.relacl)
      FROM tables c
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'constraint', c.relname, o.conname,
        pg_get_constraintdef(o.oid)) FROM tables c JOIN pg_constraint o ON o.conrelid = c.oid
      WHERE o.contype <> 'n'
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid)
      FROM tables c JOIN pg_index i ON i.indrelid = c.oid
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'trigger', t.tgenabled, pg_get_triggerdef(t.oid))
      FROM tables c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
    UNION ALL SELECT pg_catalog.concat_ws(' ', 'function', pg_get_functiondef(p.oid), p.proacl)
      FROM pg_proc p JOIN own ON own.oid = p.pronamespace`,
    [schema],
  )
  client.release(true)
  return rows
    .map(({ fact }) =>
      String(fact)
        .replaceAll(/--.*|\s+/g, ' ')
        .replaceAll(/ +/g, ' '),
    )
    .sort()
}
