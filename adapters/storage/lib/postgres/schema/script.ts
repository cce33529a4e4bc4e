import type { Names } from '../names.ts'
import { CALLED_FUNCTIONS, ERASURE_FUNCTIONS, READ_TABLES } from './grants.ts'
import { SCHEMA, type Schema, versionOf } from './index.ts'

/**
 * Creates the schema or brings it up to date. Triggers, constraints and indexes keep the operators that they
 * find as they are created, so these are looked up in `pg_catalog`, whatever the search path of the session.
 *
 * The migration is one statement: any pool can run it, because it needs no session, and it happens whole or
 * not at all. Under an advisory lock a second process waits until the first is done, and then finds nothing
 * left to do.
 */
export function migrationScript(names: Names, schema: Schema = SCHEMA): string {
  const newest = versionOf(schema)
  const steps = schema.migrations.map((sql, index) =>
    step(`v_version BETWEEN 1 AND ${index + 1}`, sql, index + 2),
  )
  return renamed(
    `DO $miftah$
DECLARE
  v_version integer;
  v_path pg_catalog.text := pg_catalog.current_setting('search_path');
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM pg_catalog.set_config('lock_timeout', '60s', true);
  PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
  PERFORM pg_catalog.pg_advisory_xact_lock(
    pg_catalog.hashtextextended('miftah ${names.schema} ${names.prefix}', 0));
  IF pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 140000 THEN
    RAISE EXCEPTION 'miftah: PostgreSQL 14 or newer is needed';
  END IF;
  IF pg_catalog.current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'miftah: the database must be encoded in UTF8';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '${names.schema}') THEN
    CREATE SCHEMA ${names.quotedSchema};
  END IF;
  IF pg_catalog.to_regclass('miftah.schema_version') IS NULL THEN
    CREATE TABLE miftah.schema_version (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
    );
  END IF;
  SELECT coalesce(max(version), 0) INTO v_version FROM miftah.schema_version;
  IF v_version > ${newest} THEN
    RAISE EXCEPTION 'miftah: the schema is at version %, newer than ${newest}', v_version;
  END IF;
${[step('v_version = 0', schema.newest, newest), ...steps].join('\n')}

  PERFORM pg_catalog.set_config('search_path', v_path, true);
END
$miftah$;`,
    names,
  )
}

function step(when: string, sql: string, version: number): string {
  return `
  IF ${when} THEN
${sql}

  INSERT INTO miftah.schema_version (version) VALUES (${version});
  END IF;`
}

/**
 * SQL that names the schema `miftah`, with the names of an installation: the prefix stands before what is in
 * the schema, and before indexes, constraints and triggers.
 */
function renamed(sql: string, { schema, quotedSchema, prefix }: Names): string {
  if (schema === 'miftah' && prefix === '') return sql
  return sql
    .replaceAll(/\bmiftah\.(?=\w)/g, `${quotedSchema}.${prefix}`)
    .replaceAll(/\b(INDEX|CONSTRAINT|TRIGGER) (?=\w)/g, `$1 ${prefix}`)
}

/** Whether a role may only use the schema, or erase and purge as well. */
export type Rights = 'use' | 'erase'

/** The rights of a program that uses the schema and can change nothing else in it. */
export function grantScript({ at, quotedSchema }: Names, role: string, rights: Rights): string {
  const grantee = `"${role.replaceAll('"', '""')}"`
  const functions = [...CALLED_FUNCTIONS, ...(rights === 'erase' ? ERASURE_FUNCTIONS : [])]
  return `GRANT USAGE ON SCHEMA ${quotedSchema} TO ${grantee};
GRANT SELECT ON ${READ_TABLES.map(at).join(', ')} TO ${grantee};
GRANT EXECUTE ON FUNCTION
  ${functions.map((name) => `${at(name)}(jsonb)`).join(',\n  ')}
  TO ${grantee};`
}
