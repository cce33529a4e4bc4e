import { chown, cp, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { type PostgresServer, runCluster } from '../postgres-server.ts'
import { postgresBinaries } from './binaries.ts'

/**
 * Copies a running primary and starts the copy as a streaming standby of it. The primary restarts on
 * the way. The standby's files lie within those of the primary, which removes them when disposed.
 */
export async function startStandby(
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  await primary.stop('fast')
  const original = join(primary.data, 'cluster')
  const cluster = join(primary.data, 'standby')
  await cp(original, cluster, { recursive: true, preserveTimestamps: true })
  await writeFile(join(cluster, 'standby.signal'), '')
  await ownedAs(original, cluster)
  await primary.start()
  const { host, port } = primary
  return runCluster({
    ...{ binaries: await postgresBinaries(), data: primary.data, cluster },
    port: await freePort(),
    settings: { primary_conninfo: `host=${host} port=${port} user=postgres`, ...settings },
  })
}

/** Turns a stopped server into a standby that waits for its primary when it is started again. */
export async function demote(server: PostgresServer): Promise<void> {
  const cluster = join(server.data, 'cluster')
  await writeFile(join(cluster, 'standby.signal'), '')
  await ownedAs(join(cluster, 'PG_VERSION'), join(cluster, 'standby.signal'))
}

/** Makes a copy belong to the owner of its original. */
async function ownedAs(original: string, copy: string): Promise<void> {
  const { uid, gid } = await stat(original)
  await chown(copy, uid, gid)
  if (!(await stat(copy)).isDirectory()) return
  const inside = await readdir(copy, { recursive: true })
  await Promise.all(inside.map((path) => chown(join(copy, path), uid, gid)))
}
