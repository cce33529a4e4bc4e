import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startStandby } from '../support/postgres/standby.ts'
import { type PostgresServer, runEach, startPostgres } from '../support/postgres-server.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { type NodeProcess, startNode } from './reliability/strict/scenario.ts'

/*
 * `npm run reliability:failover -- [failovers]`: the primary of a PostgreSQL with a synchronous standby is killed or
 * frozen in turn, while keys are made and revoked, and the standby takes over. One process follows, as behind a proxy
 * that closes the connections to a server that is down. The other stays connected to the old primary, also when
 * that wakes.
 */

interface Key {
  readonly id: string
  readonly secret: string
}

/** What the failovers have shown. */
const shown = { failovers: 0, acknowledged: 0, lost: 0, verdicts: 0, stale: 0, worstOutageMs: 0 }

for (let round = 0; round < Number(process.argv[2] ?? 20); round += 1) {
  const kind = round % 2 === 0 ? 'kill' : 'freeze'
  const primary = await startPostgres()
  const proxies: TcpProxy[] = []
  const nodes: NodeProcess[] = []
  try {
    const standby = await startStandby(primary)
    const waits = "ALTER SYSTEM SET synchronous_standby_names = '*'"
    await runEach(primary.url('postgres'), [waits, 'SELECT pg_reload_conf()'])
    for (let at = 0; at < 2; at += 1) {
      const proxy = await openTcpProxy(primary.host, primary.port)
      proxies.push(proxy)
      const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
      nodes.push(await startNode({ url, leaseMs: 2_000, listens: true, isNaive: false }))
    }
    await failover(kind, { primary, standby, proxies, nodes })
    console.log(JSON.stringify({ kind, ...shown }))
    await standby.stop('immediate')
  } finally {
    await Promise.all(nodes.map((node) => node.kill()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await primary.dispose()
  }
}
process.exitCode = shown.stale + shown.lost > 0 ? 1 : 0

interface Place {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  readonly proxies: readonly TcpProxy[]
  readonly nodes: readonly NodeProcess[]
}

async function failover(
  kind: 'kill' | 'freeze',
  { primary, standby, proxies, nodes }: Place,
): Promise<void> {
  const [front, back] = proxies as [TcpProxy, TcpProxy]
  const [one, other] = nodes as [NodeProcess, NodeProcess]
  const keys: Key[] = []
  while (keys.length < 60) keys.push(await one.call('create'))
  for (const { secret } of keys) await Promise.all(nodes.map((node) => node.call('warm', secret)))
  const kept: Key[] = []
  const revoked: Key[] = []
  const state = { isOver: false, failedAtMs: 0 }
  const traffic = changes(nodes, { keys, kept, revoked, state })
  await pause(300)
  const before = revoked.length
  state.failedAtMs = performance.now()
  const wake = kind === 'freeze' ? freeze(primary) : undefined
  if (kind === 'kill') await primary.stop('kill')
  await runEach(standby.url('postgres'), ['SELECT pg_promote()'])
  front.lead(standby.port)
  front.cutAll()
  while (revoked.length < before + 10) await pause(20)
  state.isOver = true
  await traffic
  // A primary that wakes still takes itself for one: it is asked for seconds.
  wake?.()
  for (const endMs = performance.now() + 5_000; wake && performance.now() < endMs; ) {
    await ask([other], revoked)
    await pause(20)
  }
  back.lead(standby.port)
  back.cutAll()
  await other.call('warm', keys.at(-1)?.secret ?? '')
  await ask(nodes, revoked)
  const statusOf = ({ id }: Key) => one.call('status', id).catch(() => null)
  for (const key of revoked) if ((await statusOf(key)) !== 'revoked') shown.lost += 1
  for (const key of kept) if ((await statusOf(key)) !== 'active') shown.lost += 1
  shown.acknowledged += revoked.length + kept.length
  shown.failovers += 1
}

interface Traffic {
  readonly keys: readonly Key[]
  readonly kept: Key[]
  readonly revoked: Key[]
  readonly state: { readonly isOver: boolean; readonly failedAtMs: number }
}

/** Makes keys and revokes known ones but the last; a change counts once it is acknowledged. */
async function changes(nodes: readonly NodeProcess[], { keys, kept, revoked, state }: Traffic) {
  const [one, other] = nodes as [NodeProcess, NodeProcess]
  const asked: Promise<void>[] = []
  let isAnswered = false
  for (const key of keys.slice(0, -1)) {
    if (state.isOver) break
    await one.call('revoke', key.id)
    revoked.push(key)
    if (state.failedAtMs > 0 && !isAnswered) {
      isAnswered = true
      const outageMs = Math.round(performance.now() - state.failedAtMs)
      shown.worstOutageMs = Math.max(shown.worstOutageMs, outageMs)
    }
    // At once: a moment later most mistakes have healed. A frozen server keeps the other process waiting.
    await ask([one], [key])
    asked.push(ask([other], [key]))
    const made = await one.call('create').catch(() => null)
    if (made !== null) kept.push(made)
    await pause(20)
  }
  await Promise.all(asked)
}

/** Asks processes for revoked keys, and counts those that are accepted. */
async function ask(nodes: readonly NodeProcess[], revoked: readonly Key[]): Promise<void> {
  const verdicts = nodes.flatMap((node) =>
    revoked.map(({ secret }) => node.call('verdict', secret)),
  )
  shown.verdicts += verdicts.length
  for (const verdict of await Promise.all(verdicts)) if (verdict === 'accepted') shown.stale += 1
}

/** Stops a server with all its processes. Returns how to let it go on. */
function freeze({ data }: PostgresServer): () => void {
  const file = readFileSync(join(data, 'cluster/postmaster.pid'), 'utf8')
  const postmaster = Number(file.split('\n')[0])
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)])
  const all = [postmaster, ...String(stdout).trim().split(/\s+/).map(Number)]
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of all) process.kill(pid, 'SIGCONT')
  }
}
