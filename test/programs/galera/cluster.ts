import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import mysql from 'mysql2/promise'

/** MariaDB refuses to run as root; `nobody` is there on every Linux. */
const NOBODY = 65_534

/** A server of the cluster: a process of its own on this machine. */
export interface GaleraServer {
  readonly url: string
  start(isFirst?: boolean): Promise<void>
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Cuts it off from the other servers, while clients still reach it, or ends that. */
  isolate(isCutOff: boolean): Promise<void>
}

/** Three servers in a folder of their own; needs `galera-4` and `rsync`, and to be root. */
export async function startCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-galera-'))
  chownSync(folder, NOBODY, NOBODY)
  const servers = [1, 2, 3].map((n) => serverAt(folder, n))
  const stop = async () => {
    for (const server of servers) server.kill('SIGKILL')
    await pause(500)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await servers[0]?.start(true)
    await Promise.all(servers.slice(1).map((server) => server.start()))
    return { servers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const sqlPort = (n: number) => 3_415 + n
const galeraPort = (n: number) => 4_657 + 10 * n

function serverAt(folder: string, n: number): GaleraServer {
  const data = join(folder, `d${n}`)
  const config = join(folder, `n${n}.cnf`)
  const url = `mysql://root@127.0.0.1:${sqlPort(n)}`
  writeFileSync(config, settings(folder, n))
  mkdirSync(data)
  chownSync(data, NOBODY, NOBODY)
  const as = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups']
  const install = ['mariadb-install-db', '--no-defaults', `--datadir=${data}`]
  const normal = ['--auth-root-authentication-method=normal', '--skip-test-db']
  const { status, stderr } = spawnSync('setpriv', [...as, ...install, ...normal])
  if (status !== 0) throw new Error(`mariadb-install-db: ${stderr}`)
  let running: ChildProcess | undefined
  return {
    url,
    async start(isFirst = false) {
      const first = isFirst ? ['--wsrep-new-cluster'] : []
      const command = ['mariadbd', `--defaults-file=${config}`, ...first]
      running = spawn('setpriv', [...as, ...command], { stdio: 'ignore' })
      await untilReady(url)
    },
    kill: (signal) => void running?.kill(signal),
    async isolate(isCutOff) {
      const connection = await mysql.createConnection(url)
      const option = `gmcast.isolate=${isCutOff ? 1 : 0}`
      await connection.query(`SET GLOBAL wsrep_provider_options = '${option}'`)
      await connection.end()
    },
  }
}

function settings(folder: string, n: number): string {
  const port = galeraPort(n)
  const addresses = [1, 2, 3].map((one) => `127.0.0.1:${galeraPort(one)}`).join(',')
  const provider = [
    ...[`base_port=${port}`, `gmcast.listen_addr=tcp://127.0.0.1:${port}`, 'gcache.size=16M'],
    ...[`ist.recv_addr=127.0.0.1:${port + 1}`, `ist.recv_bind=127.0.0.1:${port + 1}`],
  ].join(';')
  return `[mariadbd]
datadir=${folder}/d${n}
socket=${folder}/n${n}.sock
pid-file=${folder}/n${n}.pid
log-error=${folder}/n${n}.log
port=${sqlPort(n)}
bind-address=127.0.0.1
skip-name-resolve
performance-schema=OFF
innodb-buffer-pool-size=32M
innodb-log-file-size=16M
innodb-autoinc-lock-mode=2
binlog-format=ROW
wsrep-on=ON
wsrep-provider=/usr/lib/galera/libgalera_smm.so
wsrep-cluster-name=miftah
wsrep-cluster-address=gcomm://${addresses}
wsrep-node-name=n${n}
wsrep-node-address=127.0.0.1:${port}
wsrep-provider-options=${provider}
wsrep-sst-method=rsync
wsrep-sst-receive-address=127.0.0.1:${port + 5}
`
}

/** Waits until a server is part of the cluster. */
export async function untilReady(url: string): Promise<void> {
  const endMs = performance.now() + 300_000
  while (performance.now() < endMs) {
    if (await isReady(url)) return
    await pause(250)
  }
  throw new Error(`${url} is not part of the cluster after 300 s`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 1_000 })
    const [rows] = await connection.query<mysql.RowDataPacket[]>("SHOW STATUS LIKE 'wsrep_ready'")
    await connection.end()
    return rows[0]?.['Value'] === 'ON'
  } catch {
    return false
  }
}
