import type { Names } from '../names.ts'

/** Version 1: rows as JSON, so that every driver hands out the same. */
export function records({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('key_record')}(k ${at('keys')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    'hash', pg_catalog.encode(k.hash, 'hex'),
    ${columns('k', KEY_COLUMNS)}
  );

  CREATE FUNCTION ${at('event_record')}(e ${at('events')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    ${columns('e', EVENT_COLUMNS)}
  );`
}

const KEY_COLUMNS = [
  ...['id', 'workspace_id', 'name', 'environment', 'scopes', 'prefix', 'creator_id'],
  ...['creator_name', 'created_at_ms', 'last_used_at_ms', 'uses', 'revoked_at_ms'],
  ...['replaces', 'replaced_by'],
]

const EVENT_COLUMNS = [
  ...['id', 'type', 'at_ms', 'workspace_id', 'actor_id', 'actor_name', 'key_id', 'data'],
]

function columns(row: string, names: readonly string[]): string {
  return names.map((name) => `'${name}', ${row}.${name}`).join(',\n    ')
}
