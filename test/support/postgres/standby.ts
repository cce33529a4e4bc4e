import { chown, cp, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PostgresServer, runCluster } from '../postgres-server.ts'

/**
 * Copies a running primary and starts the copy as a streaming standby of it. The primary restarts on
 * the way. The standby's files lie within those of the primary, which removes them when disposed.
 */
export async function startStandby(
  primary: PostgresServer,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const { host, port, data } = primary
  await primary.stop('fast')
  const cluster = join(data, 'standby')
  await cp(join(data, 'cluster'), cluster, { recursive: true, preserveTimestamps: true })
  await waitForPrimary(data, cluster)
  await primary.start()
  const primary_conninfo = `host=${host} port=${port} user=postgres`
  return runCluster({ data, cluster, settings: { primary_conninfo, ...settings } })
}

/** Turns a stopped server into a standby that waits for its primary when it is started again. */
export function demote({ data }: PostgresServer): Promise<void> {
  return waitForPrimary(data, join(data, 'cluster'))
}

/** Makes the cluster that of a standby, owned by the user of the server. */
async function waitForPrimary(data: string, cluster: string): Promise<void> {
  await writeFile(join(cluster, 'standby.signal'), '')
  const { uid, gid } = await stat(data)
  const inside = await readdir(cluster, { recursive: true })
  await Promise.all(['', ...inside].map((path) => chown(join(cluster, path), uid, gid)))
}
