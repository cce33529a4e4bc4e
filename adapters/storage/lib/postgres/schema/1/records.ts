import type { Names } from '../../names.ts'

/** The functions of version 1 that write rows as JSON. Released, and so never changed. */
export function records({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('key_record')}(k ${at('keys')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    'hash', pg_catalog.encode(k.hash, 'hex'),
    'id', k.id,
    'workspace_id', k.workspace_id,
    'name', k.name,
    'environment', k.environment,
    'scopes', k.scopes,
    'prefix', k.prefix,
    'creator_id', k.creator_id,
    'creator_name', k.creator_name,
    'created_at_ms', k.created_at_ms,
    'last_used_at_ms', k.last_used_at_ms,
    'uses', k.uses,
    'revoked_at_ms', k.revoked_at_ms,
    'replaces', k.replaces,
    'replaced_by', k.replaced_by
  );

  CREATE FUNCTION ${at('event_record')}(e ${at('events')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    'id', e.id,
    'type', e.type,
    'at_ms', e.at_ms,
    'workspace_id', e.workspace_id,
    'actor_id', e.actor_id,
    'actor_name', e.actor_name,
    'key_id', e.key_id,
    'data', e.data
  );`
}
