import { earlyRevocation, nextNotice } from '../../notice-sql.ts'

/** When the log next tells of the end of each key that has one. */
export const NOTICES = `
CREATE TABLE miftah_notices (
  key_id TEXT PRIMARY KEY,
  due_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_notices_by_time ON miftah_notices (due_at_ms);

CREATE TRIGGER miftah_keys_plan_a_notice AFTER INSERT ON miftah_keys
WHEN NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL
BEGIN
  INSERT INTO miftah_notices
  SELECT NEW.id, due FROM (SELECT ${nextNotice('NEW', 'NEW.updated_at_ms')} AS due)
  WHERE due IS NOT NULL;
END;

CREATE TRIGGER miftah_keys_plan_another_notice
AFTER UPDATE OF expires_at_ms, retires_at_ms, revoked_at_ms ON miftah_keys
WHEN NEW.expires_at_ms IS NOT OLD.expires_at_ms OR NEW.retires_at_ms IS NOT OLD.retires_at_ms
  OR ${earlyRevocation('NEW')} IS NOT ${earlyRevocation('OLD')}
BEGIN
  DELETE FROM miftah_notices WHERE key_id = NEW.id;
  INSERT INTO miftah_notices
  SELECT NEW.id, due FROM (SELECT ${nextNotice('NEW', 'NEW.updated_at_ms')} AS due)
  WHERE due IS NOT NULL;
END;

CREATE TRIGGER miftah_keys_take_their_notices AFTER DELETE ON miftah_keys
BEGIN
  DELETE FROM miftah_notices WHERE key_id = OLD.id;
END;
`.trim()
