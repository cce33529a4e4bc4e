import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** PostgreSQL refuses to run as root; `nobody` is there on every Linux. */
const NOBODY = 65_534
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
const NODES = [1, 2, 3]

/** What Patroni says of a server. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export const sqlPort = (n: number) => 5_450 + n
const restPort = (n: number) => 8_010 + n

/** Three PostgreSQL servers under Patroni, with etcd, in a folder of their own. */
export class Cluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'miftah-failover-'))
  readonly #root: string
  readonly #running = new Map<string, ChildProcess>()

  /** `root`: where Debian's packages are unpacked; `/` where they are installed. */
  constructor(root: string) {
    this.#root = root
    chownSync(this.#folder, NOBODY, NOBODY)
  }

  /** Resolves once there is a primary and both others follow it. */
  async start(isSynchronous: boolean): Promise<void> {
    const peer = 'http://127.0.0.1:2398'
    const client = 'http://127.0.0.1:2399'
    const data = ['--data-dir', join(this.#folder, 'etcd'), '--unsafe-no-fsync']
    const clients = ['--listen-client-urls', client, '--advertise-client-urls', client]
    const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer]
    const etcd = join(this.#root, 'usr/bin/etcd')
    const cluster = ['--name', 'e1', '--initial-cluster', `e1=${peer}`]
    this.#spawn('etcd', [etcd, ...data, ...clients, ...peers, ...cluster])
    for (const n of NODES) {
      writeFileSync(join(this.#folder, `n${n}.yml`), settings(this.#folder, n, isSynchronous))
      mkdirSync(join(this.#folder, `d${n}`), { mode: 0o700 })
      chownSync(join(this.#folder, `d${n}`), NOBODY, NOBODY)
      const main = 'from patroni.__main__ import main; main()'
      this.#spawn(`n${n}`, ['/usr/bin/python3', '-c', main, join(this.#folder, `n${n}.yml`)])
    }
    await this.untilWhole(isSynchronous)
  }

  /** The number of the server that Patroni calls the primary, or `null`. */
  async primary(): Promise<number | null> {
    const answers = await Promise.all(
      NODES.map(async (n) => ((await ask(n, 'primary')) ? n : null)),
    )
    return answers.find((n) => n !== null) ?? null
  }

  /** Waits for the primary to be another one than `before`. */
  async newPrimary(before: number): Promise<number> {
    for (let tries = 0; tries < 1_200; tries += 1) {
      const now = await this.primary()
      if (now !== null && now !== before) return now
      await pause(50)
    }
    throw await this.#failure('there is no new primary')
  }

  /** Waits until all three run, one of them as a synchronous standby if there is to be one. */
  async untilWhole(isSynchronous: boolean): Promise<void> {
    for (let tries = 0; tries < 360; tries += 1) {
      const { members = [] } = (await this.#members()) ?? {}
      const isUp = ({ state }: Member) => state === 'running' || state === 'streaming'
      const hasStandby = members.some(({ role }) => role === 'sync_standby')
      const isWhole = members.length === NODES.length && members.every(isUp)
      if (isWhole && hasStandby === isSynchronous) return
      await pause(500)
    }
    throw await this.#failure('the cluster did not recover')
  }

  /** Ends the server as a crash does; Patroni goes on. */
  kill(n: number): void {
    process.kill(this.#postmaster(n), 'SIGKILL')
  }

  /** Stops a machine where it is: Patroni, the server and all its processes. Returns how to let it go on. */
  freeze(n: number): () => void {
    const postmaster = this.#postmaster(n)
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)])
    const backends = String(stdout).trim().split(/\s+/).map(Number)
    const patroni = this.#running.get(`n${n}`)?.pid ?? 0
    const all = [patroni, postmaster, ...backends]
    for (const pid of all) signal(pid, 'SIGSTOP')
    return () => {
      // The manager comes last: a machine that wakes serves reads before it learns that it was replaced.
      for (const pid of all.toReversed()) signal(pid, 'SIGCONT')
    }
  }

  async stop(): Promise<void> {
    // The managers first: one of them may be about to start its server.
    for (const child of this.#running.values()) child.kill('SIGKILL')
    await pause(500)
    const postmasters = NODES.map((n) => this.#postmasterOrNone(n))
    for (const pid of postmasters) if (pid !== null) signal(pid, 'SIGKILL')
    await pause(1_000)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** An error with what Patroni says, and the end of each log. */
  async #failure(message: string): Promise<Error> {
    const logs = NODES.map((n) =>
      readFileSync(join(this.#folder, `n${n}.log`), 'utf8').slice(-2_000),
    )
    return new Error([message, JSON.stringify(await this.#members()), ...logs].join('\n\n'))
  }

  async #members(): Promise<{ readonly members?: readonly Member[] } | null> {
    const n = await this.primary()
    return n === null ? null : ((await ask(n, 'cluster')) as { readonly members: Member[] } | null)
  }

  #postmaster(n: number): number {
    return Number(
      readFileSync(join(this.#folder, `d${n}`, 'postmaster.pid'), 'utf8').split('\n')[0],
    )
  }

  #postmasterOrNone(n: number): number | null {
    try {
      return this.#postmaster(n)
    } catch {
      return null
    }
  }

  #spawn(name: string, command: readonly string[]): void {
    const log = openSync(join(this.#folder, `${name}.log`), 'a')
    const env = {
      HOME: this.#folder,
      PATH: `${this.#root}/usr/bin:/usr/lib/postgresql/15/bin:/usr/bin:/bin`,
      PYTHONPATH: join(this.#root, 'usr/lib/python3/dist-packages'),
    }
    const stdio = ['ignore', log, log] as const
    this.#running.set(
      name,
      spawn('setpriv', [...AS_NOBODY, ...command], { env, stdio: [...stdio] }),
    )
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

/** What Patroni answers, or `null` where it says no or nothing. */
async function ask(n: number, path: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(1_000)
    const answer = await fetch(`http://127.0.0.1:${restPort(n)}/${path}`, { signal })
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}

function settings(folder: string, n: number, isSynchronous: boolean): string {
  const user = (name: string) => `{ username: ${name}, password: x }`
  return `scope: miftah
name: n${n}
restapi: { listen: '127.0.0.1:${restPort(n)}', connect_address: '127.0.0.1:${restPort(n)}' }
etcd3: { hosts: ['127.0.0.1:2399'] }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    primary_start_timeout: 0
    synchronous_mode: ${isSynchronous}
    postgresql:
      use_pg_rewind: true
      parameters: { fsync: 'off', shared_buffers: 32MB, max_connections: 60, wal_keep_size: 256MB }
  initdb: [ { encoding: UTF8 }, { locale: C }, { auth: trust } ]
postgresql:
  listen: '127.0.0.1:${sqlPort(n)}'
  connect_address: '127.0.0.1:${sqlPort(n)}'
  data_dir: ${folder}/d${n}
  bin_dir: /usr/lib/postgresql/15/bin
  pgpass: ${folder}/pgpass${n}
  parameters: { unix_socket_directories: ${folder} }
  # A standby that cannot be rewound is made anew, as an operator would.
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
  pg_hba: [ 'local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust' ]
  authentication: { superuser: ${user('postgres')}, replication: ${user('rep')}, rewind: ${user('rew')} }
`
}
