import type { Command } from './command.ts'

const OPTIONS = `Options:
  -d, --database URL|FILE   URL of PostgreSQL or MySQL, or SQLite file; default: DATABASE_URL
      --from, --to URL|FILE copy: the database with the keys, and the empty one
      --schema NAME         schema of the tables in PostgreSQL (miftah)
  -c, --config FILE         module with brand, catalogue, entitlements and formats;
                            serve: see docs/serve.md
  -w, --workspace ID        the workspace of the key or the events
  -n, --name TEXT           the name of the new key
  -e, --environment TYPE    live or test
  -s, --scope SCOPE         a scope of the new key; may be repeated
      --status STATUS       list only keys with this status
      --key ID              list only events of this key
      --ended-before DATE   purge: keys that ended before this date in UTC, such as 2026-01-31
      --events-before DATE  purge: delivered events from before this date
      --yes                 purge, erase-person, erase-workspace: required, to confirm
      --creator ID          list, revoke: keys that this person created
      --resource TYPE:ID    revoke: keys that are restricted to this resource alone
      --unused-for-days N   revoke: keys not used for so many days
      --reason REASON       revoke: leaked, unused, reported, exposed or other
      --actor-id ID         who is written into the audit log; default: cli: and your user name
      --actor-name NAME
      --print               migrate: print the SQL for PostgreSQL, or for MySQL with its URL
      --runtime-role ROLE   migrate --print: with the grants of a role that serves requests
      --erasure-role ROLE   migrate --print: with those of one that may erase and purge too
      --force               create, rotate: even if the new key has another brand or fewer scopes
      --dry-run             import, revoke with filters: say what would be done, write nothing
      --json                print JSON
  -h, --help
  -v, --version

A secret is never an argument. create and rotate print the new one alone on standard output.
Exit codes: 0 done, 1 failed, 2 wrong command line or config.`

/** The help: every command with its argument and its summary. */
export function help(commands: Readonly<Record<string, Command>>): string {
  const lines = Object.entries(commands).map(([name, { argument, isOptional, summary }]) => {
    const shown = isOptional ? `[${argument}]` : argument
    const call = shown === undefined ? name : `${name} ${shown}`
    return `  ${call.padEnd(20)}${summary}`
  })
  return `Usage: miftah COMMAND [OPTIONS]\n\nCommands:\n${lines.join('\n')}\n\n${OPTIONS}`
}
