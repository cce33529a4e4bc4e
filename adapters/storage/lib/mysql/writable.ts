import { Query } from './query.ts'

/**
 * Whether this server takes changes: a replica and a server that is set to be read only do not. Newer servers
 * answer a word for a number. Two comparisons would cost a lookup a sixth of its time.
 */
export const IS_WRITABLE =
  "(CONCAT(@@global.read_only, @@global.innodb_read_only) IN ('00', 'OFF0', '0OFF', 'OFFOFF'))"

/** Answers whether this server takes changes. */
export const isWritable = new Query(`SELECT ${IS_WRITABLE} AS is_writable`, [], 'get')

/**
 * Writes the row of a workspace, which locks it until the end of the transaction, and changes no row on a
 * server that takes no changes. It is written, not only locked: see the table.
 */
export function lockOf(workspaceId: string): Query {
  const text = `INSERT INTO miftah_workspaces (workspace_id, changes)
    SELECT ?, 1 FROM DUAL WHERE ${IS_WRITABLE} ON DUPLICATE KEY UPDATE changes = changes + 1`
  return new Query(text, [workspaceId], 'run')
}
