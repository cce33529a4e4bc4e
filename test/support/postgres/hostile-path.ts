import type pg from 'pg'

/** Where a role that may create objects has put replacements of all that PostgreSQL has. */
const SCHEMA = 'hostile'

/** The setting of a connection that finds the replacements first. */
export const HOSTILE_PATH = `-c search_path=${SCHEMA},pg_catalog`

/**
 * Creates a function, an operator and a type of the same name for each one in `pg_catalog`, as far as
 * PostgreSQL lets it. A statement that uses one fails with an error that names it.
 */
export async function createHostileSchema(pool: pg.Pool): Promise<void> {
  await pool.query(`DO $do$
DECLARE v record;
BEGIN
  CREATE SCHEMA ${SCHEMA};
  CREATE FUNCTION ${SCHEMA}.hijacked(p_by text) RETURNS boolean LANGUAGE plpgsql
    AS 'BEGIN RAISE EXCEPTION ''hijacked by %'', p_by; END';
  FOR v IN
    SELECT typname AS name FROM pg_type
    WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typname NOT LIKE '\\_%'
  LOOP
    BEGIN
      EXECUTE format('CREATE DOMAIN ${SCHEMA}.%I AS pg_catalog.%I CHECK (${SCHEMA}.hijacked(%L))',
        v.name, v.name, v.name);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR v IN
    SELECT proname AS name, pg_get_function_identity_arguments(oid) AS arguments,
      pg_get_function_result(oid) AS result
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
      AND NOT ('{internal,cstring,trigger,event_trigger}'::regtype[]
        && (proargtypes::oid[] || prorettype)::regtype[])
  LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION ${SCHEMA}.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L',
        v.name, v.arguments, v.result,
        format('BEGIN RAISE EXCEPTION %L; END', 'hijacked by ' || v.name));
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR v IN
    SELECT o.oid, oprname AS name, nullif(oprleft, 0)::regtype::text AS left_type,
      oprright::regtype::text AS right_type, oprresult::regtype::text AS result
    FROM pg_operator o WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprresult <> 0
  LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION ${SCHEMA}.operator_%s(%s) RETURNS %s LANGUAGE plpgsql AS %L',
        v.oid, concat_ws(', ', v.left_type, v.right_type), v.result,
        format('BEGIN RAISE EXCEPTION %L; END', 'hijacked by ' || v.name));
      EXECUTE format('CREATE OPERATOR ${SCHEMA}.%s (%s RIGHTARG = %s, FUNCTION = ${SCHEMA}.operator_%s)',
        v.name, 'LEFTARG = ' || v.left_type || ',', v.right_type, v.oid);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
END $do$`)
}
