import type { Names } from '../../names.ts'

/**
 * Locks the tables and drops the triggers and functions of version 1. Every lookup waits while this
 * waits for its locks, so it gives up after two seconds, and the migration is tried again.
 */
export function dropped({ at, bare }: Names): string {
  return `
  PERFORM pg_catalog.set_config('lock_timeout', '2s', true);
  LOCK TABLE ${at('workspaces')}, ${at('keys')}, ${at('events')}, ${at('relay')}
    IN ACCESS EXCLUSIVE MODE;

  DROP TRIGGER ${bare('keys_identity')} ON ${at('keys')};
  DROP TRIGGER ${bare('keys_revocation')} ON ${at('keys')};
  DROP TRIGGER ${bare('keys_kept')} ON ${at('keys')};
  DROP TRIGGER ${bare('keys_never_emptied')} ON ${at('keys')};
  DROP TRIGGER ${bare('workspaces_forward')} ON ${at('workspaces')};
  DROP TRIGGER ${bare('workspaces_kept')} ON ${at('workspaces')};
  DROP TRIGGER ${bare('workspaces_never_emptied')} ON ${at('workspaces')};
  DROP TRIGGER ${bare('events_append_only')} ON ${at('events')};
  DROP TRIGGER ${bare('events_kept')} ON ${at('events')};
  DROP TRIGGER ${bare('events_never_emptied')} ON ${at('events')};

  DROP FUNCTION ${at('insert_key')}(jsonb);
  DROP FUNCTION ${at('rotate_key')}(jsonb);
  DROP FUNCTION ${at('revoke_key')}(jsonb);
  DROP FUNCTION ${at('add_uses')}(text, bigint, text[], bigint[], bigint[]);
  DROP FUNCTION ${at('claim_events')}(jsonb);
  DROP FUNCTION ${at('settle_events')}(text, text[]);
  DROP FUNCTION ${at('lock_workspace')}(text, boolean);
  DROP FUNCTION ${at('store_key')}(jsonb, text, bigint, text);
  DROP FUNCTION ${at('store_event')}(jsonb, text, bigint);
  DROP FUNCTION ${at('key_record')}(${at('keys')});
  DROP FUNCTION ${at('event_record')}(${at('events')});
  DROP FUNCTION ${at('refuse')}();`
}
