import type { Names } from '../names.ts'
import { CALLED_FUNCTIONS, ERASURE_FUNCTIONS, READ_TABLES } from './2/functions.ts'
import { SCHEMA_VERSION, VERSIONS } from './versions.ts'

/** The oldest server that has all that the schema uses. */
const OLDEST_SERVER = 140_000

/**
 * Triggers, constraints and indexes keep the operators that they find as they are created, so these are
 * looked up in `pg_catalog`, whatever the search path of the session.
 *
 * The migration is one statement: any pool can run it, because it needs no session, and it happens
 * whole or not at all. Under an advisory lock a second process waits until the first is done, and
 * then finds nothing left to do.
 */
export function migrationScript(names: Names): string {
  const { at, quotedSchema, schema } = names
  const table = at('schema_version')
  return `DO $miftah$
DECLARE
  v_version integer;
  v_path pg_catalog.text := pg_catalog.current_setting('search_path');
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM pg_catalog.set_config('lock_timeout', '60s', true);
  PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
  PERFORM pg_catalog.pg_advisory_xact_lock(
    pg_catalog.hashtextextended('miftah ${schema} ${names.prefix}', 0));
  IF pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < ${OLDEST_SERVER} THEN
    RAISE EXCEPTION 'miftah: PostgreSQL 14 or newer is needed';
  END IF;
  IF pg_catalog.current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'miftah: the database must be encoded in UTF8';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = '${schema}') THEN
    CREATE SCHEMA ${quotedSchema};
  END IF;
  IF pg_catalog.to_regclass('${table}') IS NULL THEN
    CREATE TABLE ${table} (
      version integer PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
    );
  END IF;
  SELECT coalesce(max(version), 0) INTO v_version FROM ${table};
  IF v_version > ${SCHEMA_VERSION} THEN
    RAISE EXCEPTION 'miftah: the schema is at version %, newer than ${SCHEMA_VERSION}', v_version;
  END IF;
${VERSIONS.map((version, index) => step(table, index + 1, version(names))).join('\n')}
  PERFORM pg_catalog.set_config('search_path', v_path, true);
END
$miftah$;`
}

function step(table: string, version: number, sql: string): string {
  return `
  IF v_version < ${version} THEN
${sql}
  INSERT INTO ${table} (version) VALUES (${version});
  END IF;`
}

/** Whether a role may only use the schema, or erase and purge as well. */
export type Rights = 'use' | 'erase'

/** The rights of a program that uses the schema and can change nothing else in it. */
export function grantScript({ at, quotedSchema }: Names, role: string, rights: Rights): string {
  const grantee = `"${role.replaceAll('"', '""')}"`
  const functions = [...CALLED_FUNCTIONS, ...(rights === 'erase' ? ERASURE_FUNCTIONS : [])]
  const called = functions.map((signature) => {
    const [name = '', rest] = signature.split('(')
    return `${at(name)}(${rest}`
  })
  return `GRANT USAGE ON SCHEMA ${quotedSchema} TO ${grantee};
GRANT SELECT ON ${READ_TABLES.map(at).join(', ')} TO ${grantee};
GRANT EXECUTE ON FUNCTION
  ${called.join(',\n  ')}
  TO ${grantee};`
}
