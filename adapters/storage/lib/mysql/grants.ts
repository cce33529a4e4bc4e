/** What a user needs on each table: to serve requests, and to erase and purge as well. */
export const RIGHTS: Readonly<Record<string, { readonly use: string; readonly erase?: string }>> = {
  migrations: { use: 'SELECT' },
  keys: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE' },
  usage: { use: 'SELECT, INSERT, UPDATE', erase: 'DELETE' },
  usage_hours: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  usage_days: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  usage_retention: { use: 'SELECT, UPDATE' },
  writers: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  workspaces: { use: 'SELECT, INSERT, UPDATE' },
  // Those of an erased workspace are deleted once they are acknowledged.
  events: { use: 'SELECT, INSERT, UPDATE, DELETE' },
  lease: { use: 'SELECT, UPDATE' },
  purged: { use: 'SELECT', erase: 'INSERT, DELETE' },
  change_clock: { use: 'SELECT, UPDATE' },
  changes: { use: 'SELECT, INSERT, DELETE' },
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
