import type { Table } from '../sql/dialect.ts'

interface Rights {
  /** To serve requests. */
  readonly use: string
  /** To erase and purge as well. */
  readonly erase?: string
  /** A column that can be written, with which a right is tried. */
  readonly column: string
}

/** What a user needs on each table. */
export const RIGHTS: Readonly<Record<Table | 'schema', Rights>> = {
  schema: { use: 'SELECT', column: 'version' },
  workspaces: { use: 'SELECT, INSERT, UPDATE', column: 'added' },
  keys: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE', column: 'version' },
  usage: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE', column: 'uses' },
  hourly_usage: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'hour' },
  writers: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'sequence' },
  events: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE', column: 'is_pending' },
  relay: { use: 'SELECT, UPDATE', column: 'lease_ms' },
  clock: { use: 'SELECT, UPDATE', column: 'head' },
  log: { use: 'SELECT, INSERT, DELETE', column: 'sequence' },
  nodes: { use: 'SELECT, INSERT, UPDATE, DELETE', column: 'renewal' },
}

/** The grants of a user, `name` or `name@host`, who may use the tables, or also erase. */
export function grantsFor(user: string, mayErase: boolean): string {
  const grants = Object.entries(RIGHTS).map(([table, { use, erase }]) => {
    const rights = mayErase && erase !== undefined ? `${use}, ${erase}` : use
    return `GRANT ${rights} ON miftah_${table} TO ${account(user)};`
  })
  return grants.join('\n')
}

function account(user: string): string {
  const at = user.lastIndexOf('@')
  const [name, host] = at < 0 ? [user, '%'] : [user.slice(0, at), user.slice(at + 1)]
  return `${quoted(name)}@${quoted(host)}`
}

function quoted(name: string): string {
  if (/^[^\\'`"\p{Cc}]+$/u.test(name)) return `'${name}'`
  throw new TypeError('mysqlSchema: a user must be a name or name@host, without quotes.')
}
