import { rowFrom, type SqlRow } from '../sql/cells.ts'
import { KEY_COLUMNS } from '../sql/columns.ts'
import { StorageError } from '../storage-error.ts'

export type At = (table: string) => string

/** The server's clock in milliseconds since the epoch. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/**
 * What every change begins with: it waits for locks as long as its caller can ($1), and its commit for the disk,
 * and for a synchronous standby if there is one, whatever the session is set to. Both end with the statement.
 */
export const SETTINGS = `settings AS MATERIALIZED (
  SELECT set_config('lock_timeout', $1::text, true), set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
      ELSE current_setting('synchronous_commit') END, true)
)`

/**
 * Fails with SQLSTATE 25006 on a read replica, which may lag behind. An error rather than an answer,
 * because a pool closes the connection of an error, and the next one may lead to the primary.
 */
export const FAILS_ON_REPLICA = 'txid_current()::text'

/** A read of one value that fails on a replica. */
export function fromPrimary(value: string): string {
  return `SELECT CASE WHEN pg_is_in_recovery() THEN ${FAILS_ON_REPLICA} ELSE (${value})::text END AS answer`
}

const COLUMNS = KEY_COLUMNS.map(({ name }) =>
  name === 'hash' ? "'hash', encode(k.hash, 'hex')" : `'${name}', k.${name}`,
).join(', ')

/** A key `k` as a JSON object by column. A session can set how bytea looks as text, but not how hex digits do. */
export const HELD_KEY = `json_build_object(${COLUMNS}, 'edition', k.edition, 'place', k.place,
  'uses', u.uses, 'last_used_at_ms', u.last_used_at_ms)`

/** The texts in a parameter that is a JSON array, as an array in SQL. */
export function texts(parameter: string): string {
  return `ARRAY(SELECT jsonb_array_elements_text(${parameter}::text::jsonb))`
}

// Every answer is one JSON text. One that no statement here gives is an error (`broken_row`), never a guess.

export function objectOf(answer: string | null): SqlRow {
  return rowFrom(parsed(answer))
}

/** The JSON array in an answer, or in a part of one; `null` is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null) return []
  return Array.isArray(value) ? value : invalid()
}

export function parsed(answer: string | null): unknown {
  try {
    return JSON.parse(answer ?? 'null')
  } catch {
    return invalid()
  }
}

/** The message does not quote the answer. */
function invalid(): never {
  throw new StorageError('broken_row', 'the answer of the server is invalid')
}
