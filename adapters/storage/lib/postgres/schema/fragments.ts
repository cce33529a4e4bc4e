/* What several functions and guards of the schema have in common. */

/** The frame of a function that a program calls: it has the rights of the schema's owner. */
export const CALLED = `RETURNS json
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $body$`

/** The frame of a step of such a function, after what it returns. */
export const STEP = `LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $body$`

/** The frame of a trigger that may write what its caller may not. */
export const TRIGGERED = `RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $body$`

/** Waits for locks for as long as the caller can. */
export const LOCK_TIMEOUT = `PERFORM set_config(
    'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);`

/** The last entry of the log of changes, null where no node ever registered. */
export const SEQUENCE = '(SELECT CASE WHEN c.is_used THEN c.head END FROM miftah.change_clock c)'

/** A key with its usage, by its id. */
export function storedKey(id: string): string {
  return `(SELECT miftah.stored_key(k, u)
      FROM miftah.keys k JOIN miftah.usage u ON u.id = k.id WHERE k.id = ${id})`
}

/** Fails where a condition holds: a trigger of the host may have swallowed a change. */
export function failIf(condition: string, message: string): string {
  return `IF ${condition} THEN
    RAISE EXCEPTION 'miftah: ${message}' USING ERRCODE = 'restrict_violation';
  END IF;`
}

/** Fails where a row of \`v_ids\` is left. */
export function failIfLeft(table: string): string {
  return failIf(
    `EXISTS (SELECT FROM miftah.${table} x WHERE x.id = ANY (v_ids))`,
    `rows of ${table} could not be deleted`,
  )
}
