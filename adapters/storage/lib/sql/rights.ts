import type { Table } from './dialect.ts'

interface Rights {
  /** To serve requests. */
  readonly use: string
  /** Whether a role that erases and purges also deletes from it. */
  readonly isErased?: true
  /** A column that can be written, with which MySQL tries a right. */
  readonly column: string
}

/** The rights that a role needs on each table. */
export const RIGHTS: Readonly<Record<Table | 'schema', Rights>> = {
  schema: { use: 'SELECT', column: 'version' },
  workspaces: { use: 'SELECT, INSERT, UPDATE', column: 'added' },
  keys: { use: 'SELECT, INSERT, UPDATE', isErased: true, column: 'version' },
  usage: { use: 'SELECT, INSERT, UPDATE', isErased: true, column: 'uses' },
  hourly_usage: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'hour' },
  writers: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'sequence' },
  events: { use: 'SELECT, INSERT, UPDATE', isErased: true, column: 'is_pending' },
  relay: { use: 'SELECT, UPDATE', column: 'lease_ms' },
  clock: { use: 'SELECT, UPDATE', column: 'head' },
  log: { use: 'SELECT, INSERT, DELETE', column: 'sequence' },
  nodes: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'renewal' },
}

/** The grants of a role who may use the tables at these names, or also erase. */
export function grantsTo(
  grantee: string,
  at: (table: string) => string,
  mayErase: boolean,
): readonly string[] {
  return Object.entries(RIGHTS).map(([table, { use, isErased }]) => {
    const rights = mayErase && isErased ? `${use}, DELETE` : use
    return `GRANT ${rights} ON ${at(table)} TO ${grantee};`
  })
}
