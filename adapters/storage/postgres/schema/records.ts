import type { Names } from '../names.ts'

/** Version 1: rows as the records of the contract. */
export function records({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('key_record')}(k ${at('keys')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    'hash', pg_catalog.encode(k.hash, 'hex'),
    'id', k.id,
    'workspaceId', k.workspace_id,
    'name', k.name,
    'environment', k.environment,
    'scopes', k.scopes,
    'prefix', k.prefix,
    'creator', pg_catalog.json_build_object('id', k.creator_id, 'name', k.creator_name),
    'createdAtMs', k.created_at_ms,
    'lastUsedAtMs', k.last_used_at_ms,
    'uses', k.uses,
    'revokedAtMs', k.revoked_at_ms,
    'replaces', k.replaces,
    'replacedBy', k.replaced_by
  );

  CREATE FUNCTION ${at('event_record')}(e ${at('events')}) RETURNS json LANGUAGE sql STABLE
  RETURN pg_catalog.json_build_object(
    'id', e.id,
    'type', e.type,
    'atMs', e.at_ms,
    'workspaceId', e.workspace_id,
    'actor', pg_catalog.json_build_object('id', e.actor_id, 'name', e.actor_name),
    'keyId', e.key_id,
    'data', e.data
  );`
}
