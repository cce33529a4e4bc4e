import { HIGHEST_CODE } from '../../usage-history.ts'

const COUNT = `outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND ${HIGHEST_CODE}),
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 9007199254740991)`

/**
 * The requests of each key by hour and by day. The period comes first, so that all rows of the current
 * hour are in a few pages. A key is its position; a trigger deletes its rows with it, because
 * foreign keys do nothing on a connection that has not turned them on.
 */
export const USAGE_HISTORY = `
CREATE TABLE miftah_usage_hours (
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  ${COUNT},
  PRIMARY KEY (hour, key, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_usage_hours_of_key ON miftah_usage_hours (key, hour);

CREATE TABLE miftah_usage_days (
  day INTEGER NOT NULL,
  key INTEGER NOT NULL,
  ${COUNT},
  PRIMARY KEY (day, key, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_usage_days_of_key ON miftah_usage_days (key, day);

CREATE TRIGGER miftah_keys_take_their_history_along AFTER DELETE ON miftah_keys
BEGIN
  DELETE FROM miftah_usage_hours WHERE key = OLD.position;
  DELETE FROM miftah_usage_days WHERE key = OLD.position;
END;
`.trim()
