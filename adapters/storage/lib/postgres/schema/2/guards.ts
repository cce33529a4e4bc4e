import { ERASED_PERSON } from '../../../../../../src/storage/index.ts'
import { STATE_COLUMNS } from '../../../key-columns.ts'
import type { Names } from '../../names.ts'
import { enabledAlways } from './functions.ts'

/** The columns of a key that an update sets. */
const STATE = STATE_COLUMNS.map(({ name }) => name)

/** The columns of a key that may change; the guard on its identity covers all others. */
const CHANGEABLE = `'{${[
  ...STATE,
  ...['version', 'updated_at_ms', 'retires_at_ms', 'revoked_at_ms', 'replaced_by'],
].join(',')}}'::pg_catalog.text[]`

/** Where people stand in a row. */
const PEOPLE = { keys: ['creator', 'paused_by'], events: ['actor'] } as const

/** Whether a change does nothing but put the pseudonym in the place of people, and count that. */
function isErasure(table: keyof typeof PEOPLE): string {
  const people = PEOPLE[table]
  const columns = people.flatMap((person) => [`${person}_id`, `${person}_name`])
  const rest = (row: string) =>
    `(pg_catalog.to_jsonb(${row}) - '{${[...columns, 'version'].join(',')}}'::pg_catalog.text[])`
  const erased = people.map((person) => {
    const [id, name] = [`${person}_id`, `${person}_name`]
    return `AND (${rowOf('NEW', [id, name])} IS NOT DISTINCT FROM ${rowOf('OLD', [id, name])}
      OR (OLD.${id} IS NOT NULL AND NEW.${id} = '${ERASED_PERSON.id}'
        AND NEW.${name} = '${ERASED_PERSON.name}'))`
  })
  return `(${rest('NEW')} = ${rest('OLD')} ${erased.join(' ')}) IS TRUE`
}

/** Whether a key that is deleted cannot authenticate any more. */
const IS_DEAD = `OLD.revoked_at_ms IS NOT NULL OR coalesce(
    LEAST(OLD.retires_at_ms, OLD.expires_at_ms)::pg_catalog.float8 <=
      pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000, false)`

/**
 * What no program may do, ours included. The guards look at a row after all other triggers, so that
 * no trigger of another program can slip a change past them.
 */
export function guards(names: Names): string {
  const { at } = names
  return `
  CREATE FUNCTION ${at('refuse')}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    RAISE EXCEPTION 'miftah: % of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
      USING ERRCODE = 'restrict_violation';
  END
  $body$;
  ${onUpdate(
    names,
    'keys_identity',
    `${identityOf('NEW')} IS DISTINCT FROM ${identityOf('OLD')} AND NOT ${isErasure('keys')}`,
    'a key keeps what it was created with',
  )}
  ${onUpdate(
    names,
    'keys_revocation',
    `OLD.revoked_at_ms IS NOT NULL AND NEW IS DISTINCT FROM OLD AND NOT ${isErasure('keys')}`,
    'a revocation is final',
  )}
  ${onUpdate(
    names,
    'keys_version',
    // Who revokes a key by hand need not count: a revoked key never changes again.
    `NEW IS DISTINCT FROM OLD AND NEW.version <> OLD.version + 1
      AND (NEW.version <> OLD.version OR NEW.revoked_at_ms IS NULL)`,
    'every change of a key adds 1 to its version',
  )}
  ${onUpdate(
    names,
    'keys_replacement',
    `OLD.replaced_by IS NOT NULL AND
      ${rowOf('NEW', ['replaced_by', ...STATE])} IS DISTINCT FROM ${rowOf('OLD', ['replaced_by', ...STATE])}
      AND NOT ${isErasure('keys')}`,
    'a key is replaced once, and does not change after that',
  )}
  ${onUpdate(
    names,
    'keys_retirement',
    'OLD.retires_at_ms IS NOT NULL AND (NEW.retires_at_ms <= OLD.retires_at_ms) IS NOT TRUE',
    'the end of an overlap never moves later',
  )}
  ${onUpdate(
    names,
    'usage_forward',
    'NEW.id <> OLD.id OR NEW.uses < OLD.uses',
    'uses are only counted up',
  )}
  ${onUpdate(
    names,
    'workspaces_forward',
    `NEW.workspace_id <> OLD.workspace_id OR NEW.changes < OLD.changes
      OR (OLD.is_erased AND NOT NEW.is_erased)`,
    'changes are only counted up, and an erased workspace is closed for good',
  )}
  ${onUpdate(
    names,
    'events_append_only',
    `NOT ${isErasure('events')}`,
    'the audit log is only added to',
  )}
  ${neverRemoved(names, 'keys', { unless: IS_DEAD, why: 'a key that is not dead is kept' })}
  ${neverRemoved(names, 'workspaces', { unless: 'false', why: 'its rows are kept' })}
  ${keptUntilDelivered(names)}
  ${neverEmptied(names, 'usage')}${neverEmptied(names, 'events')}`
}

function identityOf(row: string): string {
  return `(pg_catalog.to_jsonb(${row}) - ${CHANGEABLE})`
}

function rowOf(row: string, columns: readonly string[]): string {
  return `(${columns.map((name) => `${row}.${name}`).join(', ')})`
}

function onUpdate(names: Names, trigger: string, when: string, why: string): string {
  const { at, bare } = names
  const [table = ''] = trigger.split('_')
  return `
  CREATE TRIGGER ${bare(trigger)} AFTER UPDATE ON ${at(table)}
    FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${at('refuse')}('${why}');
  ${enabledAlways(names, table, trigger)}`
}

interface Kept {
  /** When a row may be deleted all the same. */
  readonly unless: string
  readonly why: string
}

function neverRemoved(names: Names, table: string, { unless, why }: Kept): string {
  const { at, bare } = names
  return `
  CREATE TRIGGER ${bare(`${table}_kept`)} BEFORE DELETE ON ${at(table)}
    FOR EACH ROW WHEN (NOT (${unless})) EXECUTE FUNCTION ${at('refuse')}('${why}');
  ${enabledAlways(names, table, `${table}_kept`)}
  ${neverEmptied(names, table)}`
}

function neverEmptied(names: Names, table: string): string {
  const { at, bare } = names
  return `
  CREATE TRIGGER ${bare(`${table}_never_emptied`)} BEFORE TRUNCATE ON ${at(table)}
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('refuse')}('its rows are kept');
  ${enabledAlways(names, table, `${table}_never_emptied`)}`
}

/** A condition of a trigger cannot look into another table. */
function keptUntilDelivered(names: Names): string {
  const { at, bare } = names
  return `
  CREATE FUNCTION ${at('keep_until_delivered')}() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    IF EXISTS (SELECT FROM ${at('outbox')} o WHERE o.event_id = OLD.id) THEN
      RAISE EXCEPTION 'miftah: DELETE of % is refused: an event is kept until it is delivered',
        TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
  END
  $body$;
  CREATE TRIGGER ${bare('events_kept')} BEFORE DELETE ON ${at('events')}
    FOR EACH ROW EXECUTE FUNCTION ${at('keep_until_delivered')}();
  ${enabledAlways(names, 'events', 'events_kept')}`
}
