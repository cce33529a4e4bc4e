import type { Table } from '../sql/dialect.ts'

/** What a user needs on each table: to serve requests, and to erase and purge as well. */
export const RIGHTS: Readonly<
  Record<Table | 'schema', { readonly use: string; readonly erase?: string }>
> = {
  schema: { use: 'SELECT' },
  workspaces: { use: 'SELECT, INSERT, UPDATE' },
  keys: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE' },
  usage: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE' },
  hourly_usage: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  writers: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  events: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE' },
  relay: { use: 'SELECT, UPDATE' },
  clock: { use: 'SELECT, UPDATE' },
  log: { use: 'SELECT, INSERT, DELETE' },
  nodes: { use: 'SELECT, INSERT, UPDATE, DELETE' },
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
