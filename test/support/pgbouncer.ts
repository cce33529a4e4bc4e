import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAvailable } from './available.ts'
import { freePort, isListening } from './free-port.ts'
import { SERVER_USER, serverFolder } from './postgres/binaries.ts'
import type { PostgresServer } from './postgres-server.ts'

/** A real PgBouncer in front of a test server. */
export interface Pgbouncer {
  readonly url: (database: string) => string
  readonly close: () => Promise<void>
}

/** The program named by `MIFTAH_TEST_PGBOUNCER` or found on the path. */
const program = (process.env['PATH'] ?? '')
  .split(delimiter)
  .concat('/usr/sbin')
  .map((folder) => join(folder, 'pgbouncer'))
  .concat(process.env['MIFTAH_TEST_PGBOUNCER'] ?? [])
  .findLast((path) => existsSync(path))

export const hasPgbouncer = isAvailable(
  'PgBouncer',
  program !== undefined,
  'apt-get install pgbouncer',
)

/** Starts it in transaction mode with a few server connections, which callers have to share. */
export async function startPgbouncer(server: PostgresServer): Promise<Pgbouncer> {
  const folder = serverFolder('miftah-bouncer-')
  const port = await freePort()
  const users = join(folder, 'users.txt')
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(users, '"postgres" ""\n')
  writeFileSync(
    settings,
    `[databases]
* = host=${server.host} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
`,
  )
  const bouncer = spawn(program ?? 'pgbouncer', ['--quiet', settings], {
    ...SERVER_USER,
    stdio: 'ignore',
  })
  for (let tries = 0; tries < 600 && !(await isListening(port)); tries += 1) await pause(50)
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    close: async () => {
      if (bouncer.exitCode === null) {
        bouncer.kill('SIGINT')
        await once(bouncer, 'exit')
      }
      await rm(folder, { recursive: true })
    },
  }
}
