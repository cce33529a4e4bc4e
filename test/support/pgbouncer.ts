import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAvailable } from './available.ts'
import { freePort, isListening } from './free-port.ts'
import { enterableTemp, SERVER_USER } from './postgres/binaries.ts'
import type { PostgresServer } from './postgres-server.ts'

/** A real PgBouncer in front of a test server. */
export interface Pgbouncer {
  readonly url: (database: string) => string
  readonly close: () => Promise<void>
}

/** The program named by `MIFTAH_TEST_PGBOUNCER` or found on the path. */
const program = pgbouncerProgram()

export const hasPgbouncer = isAvailable('PgBouncer', program !== null, 'apt-get install pgbouncer')

function pgbouncerProgram(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/sbin')
  const named = process.env['MIFTAH_TEST_PGBOUNCER']
  const candidates = named ? [named] : folders.map((folder) => join(folder, 'pgbouncer'))
  return candidates.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts it in transaction mode with a few server connections, which callers have to share. */
export async function startPgbouncer(server: PostgresServer): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(enterableTemp(), 'miftah-bouncer-'))
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
  for (const path of SERVER_USER ? [folder, users, settings] : []) {
    chownSync(path, SERVER_USER?.uid ?? 0, SERVER_USER?.gid ?? 0)
  }
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
