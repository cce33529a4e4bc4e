import { ERASED_PERSON } from '../../../../../src/storage/index.ts'
import { KEY_COLUMNS } from '../../key-columns.ts'

/** The pseudonym, as SQL writes it. */
const PSEUDONYM = `('${ERASED_PERSON.id}', '${ERASED_PERSON.name}')`

/** SQLite's clock in milliseconds since the epoch. */
const NOW_MS = "CAST(strftime('%s', 'now') || substr(strftime('%f', 'now'), 4) AS INTEGER)"

/** The columns of a key in which people stand, and the version, which counts their erasure. */
const ERASABLE = ['creator_id', 'creator_name', 'paused_by_id', 'paused_by_name', 'version']

function isSame(columns: readonly string[]): string {
  return columns.map((name) => `NEW.${name} IS OLD.${name}`).join(' AND ')
}

function isErased(id: string, name: string): string {
  return `((NEW.${id} IS OLD.${id} AND NEW.${name} IS OLD.${name})
    OR (OLD.${id} IS NOT NULL AND (NEW.${id}, NEW.${name}) IS ${PSEUDONYM}))`
}

/** Whether a change of a key does nothing but put the pseudonym in the place of people. */
export const IS_ERASURE_OF_KEY = `(${isSame(
  ['hash', 'position', ...KEY_COLUMNS.map(({ name }) => name)].filter(
    (name) => !ERASABLE.includes(name),
  ),
)} AND ${isErased('creator_id', 'creator_name')} AND ${isErased('paused_by_id', 'paused_by_name')})`

/** The same of an event. */
export const IS_ERASURE_OF_EVENT = `(${isSame([
  'position',
  'id',
  'workspace_id',
  'key_id',
  'type',
  'at_ms',
  'data',
])} AND ${isErased('actor_id', 'actor_name')})`

/** Whether a deleted row is a key that cannot authenticate any more. */
export const IS_DEAD = `(OLD.revoked_at_ms IS NOT NULL
  OR coalesce(OLD.retires_at_ms <= ${NOW_MS}, 0) OR coalesce(OLD.expires_at_ms <= ${NOW_MS}, 0))`

/** Later than every instant that can be stored. */
const NEVER = Number.MAX_SAFE_INTEGER

/** When a key stopped or stops for good. */
export const END_OF_KEY = `min(coalesce(revoked_at_ms, ${NEVER}), coalesce(retires_at_ms, ${NEVER}),
  coalesce(expires_at_ms, ${NEVER}))`

/** What finds a person, dead keys and old events, and what stays of purged rows. */
export const ERASURE = `
CREATE INDEX miftah_keys_by_creator ON miftah_keys (creator_id);
CREATE INDEX miftah_keys_by_pauser ON miftah_keys (paused_by_id) WHERE paused_by_id IS NOT NULL;
CREATE INDEX miftah_keys_by_end ON miftah_keys (${END_OF_KEY})
  WHERE format IS NULL;
CREATE INDEX miftah_events_by_actor ON miftah_events (actor_id);
CREATE INDEX miftah_events_by_time ON miftah_events (at_ms);

-- Where purged keys and events were, for cursors.
CREATE TABLE miftah_purged (
  kind TEXT NOT NULL CHECK (kind IN ('key', 'event')),
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_purged_of_workspace ON miftah_purged (workspace_id);

CREATE TRIGGER miftah_workspaces_stay_erased BEFORE UPDATE OF is_erased, workspace_id ON miftah_workspaces
WHEN NEW.is_erased < OLD.is_erased OR NEW.workspace_id <> OLD.workspace_id
BEGIN
  SELECT RAISE(ABORT, 'miftah: a workspace keeps its id, and an erased one is closed for good');
END;

-- INSERT OR REPLACE would put an open workspace in the place of an erased one.
CREATE TRIGGER miftah_workspaces_are_not_replaced BEFORE INSERT ON miftah_workspaces
WHEN EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: this workspace is there already');
END;

CREATE TRIGGER miftah_keys_are_not_added_after_erasure BEFORE INSERT ON miftah_keys
WHEN EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id AND is_erased)
BEGIN
  SELECT RAISE(ABORT, 'miftah: an erased workspace is closed for good');
END;
`.trim()
