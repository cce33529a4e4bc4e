import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { TaskProcess } from '../reliability/task-process.ts'
import { Cluster, sqlPort } from './cluster.ts'
import type { WorkerOptions, WorkerTasks } from './worker.ts'

// The primary of three PostgreSQL servers under Patroni is killed or frozen while keys are made and revoked. One
// process follows the primary, as behind HAProxy that closes the connections to a server that is down. The other
// stays connected to the old one until that has been awake for seconds.

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    freezes: { type: 'string', default: '20' },
    asynchronous: { type: 'boolean', default: false },
    'without-cache': { type: 'boolean', default: false },
    packages: { type: 'string', default: '/' },
  },
})
const WORKER = `import './test/programs/failover/worker.ts'`
const isSynchronous = !values.asynchronous

interface Key {
  readonly id: string
  readonly secret: string
}

/** What the failovers have shown. */
const shown = {
  ...{ failovers: 0, acknowledged: 0, lost: 0, verdicts: 0, stale: 0, refusedByTheWoken: 0 },
  outageMs: [] as number[],
}

let cluster: Cluster
const workers: TaskProcess<WorkerTasks>[] = []

if (Number(values.kills) > 0) await onCluster('kill', Number(values.kills))
// Each on a cluster of its own: Patroni 3.0.2 may keep an old version of the key that names the synchronous
// standby after its primary was frozen, and then it never names one again.
for (let n = 0; n < Number(values.freezes); n += 1) await onCluster('freeze', 1)
const mustHold = isSynchronous && !values['without-cache']
process.exitCode = mustHold && shown.stale + shown.lost > 0 ? 1 : 0

async function onCluster(kind: 'kill' | 'freeze', count: number): Promise<void> {
  cluster = new Cluster(values.packages)
  const proxies: TcpProxy[] = []
  try {
    await cluster.start(isSynchronous)
    const port = sqlPort((await cluster.primary()) ?? 1)
    for (let worker = 0; worker < 2; worker += 1) {
      const proxy = await openTcpProxy('127.0.0.1', port)
      proxies.push(proxy)
      const url = `postgres://postgres@127.0.0.1:${proxy.port}/postgres`
      const options: WorkerOptions = { url, hasCache: !values['without-cache'] }
      workers.push(await TaskProcess.start<WorkerTasks>(WORKER, JSON.stringify(options)))
    }
    const [front, back] = proxies as [TcpProxy, TcpProxy]
    for (let round = 0; round < count; round += 1) await failover(kind, front, back)
    console.log(JSON.stringify({ kind, ...figures() }))
  } finally {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await cluster.stop()
  }
}

function figures() {
  const { outageMs, ...counts } = shown
  const sorted = outageMs.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  return { ...counts, outageMs: { p50: at(0.5), worst: at(1) } }
}

async function failover(kind: 'kill' | 'freeze', front: TcpProxy, back: TcpProxy): Promise<void> {
  const [one, other] = workers as [TaskProcess<WorkerTasks>, TaskProcess<WorkerTasks>]
  await cluster.untilWhole(isSynchronous)
  const old = (await cluster.primary()) ?? 0
  const known: Key[] = []
  while (known.length < 60) known.push(await untilDone(() => one.call('create')))
  await untilAccepted([one, other], known)
  const kept: Key[] = []
  const revoked: Key[] = []
  const state = { isOver: false, failedAtMs: 0 }
  const traffic = changes({ known, kept, revoked, state })
  await pause(300)
  const before = revoked.length
  state.failedAtMs = performance.now()
  const wake = kind === 'kill' ? undefined : cluster.freeze(old)
  if (kind === 'kill') cluster.kill(old)
  const next = await cluster.newPrimary(old)
  front.lead(sqlPort(next))
  front.cutAll()
  while (revoked.length < before + 10) await pause(20)
  state.isOver = true
  await traffic
  if (wake !== undefined) await wakeAndAsk(other, { wake, revoked })
  back.lead(sqlPort(next))
  back.cutAll()
  await untilWorking(
    other,
    known.find((key) => !revoked.includes(key)),
  )
  await ask([one, other], revoked)
  for (const { id } of revoked) {
    if ((await untilDone(() => one.call('status', id))) !== 'revoked') shown.lost += 1
  }
  for (const { id } of kept) {
    if ((await one.call('status', id).catch(() => null)) === null) shown.lost += 1
  }
  shown.acknowledged += revoked.length + kept.length
  shown.failovers += 1
}

interface Traffic {
  readonly known: readonly Key[]
  readonly kept: Key[]
  readonly revoked: Key[]
  readonly state: { readonly isOver: boolean; readonly failedAtMs: number }
}

/** Makes keys and revokes known ones; a change counts once it is acknowledged. */
async function changes({ known, kept, revoked, state }: Traffic) {
  const [one, other] = workers as [TaskProcess<WorkerTasks>, TaskProcess<WorkerTasks>]
  const asked: Promise<number>[] = []
  let hasAnswered = false
  for (const key of known.slice(0, -5)) {
    if (state.isOver) break
    await untilDone(() => one.call('revoke', key.id))
    revoked.push(key)
    // At once: a moment later most mistakes have healed. A frozen server keeps the other process waiting.
    await ask([one], [key])
    asked.push(ask([other], [key]))
    const made = await one.call('create').catch(() => null)
    if (made !== null) kept.push(made)
    if (state.failedAtMs > 0 && !hasAnswered && made !== null) {
      hasAnswered = true
      shown.outageMs.push(performance.now() - state.failedAtMs)
    }
    await pause(20)
  }
  await Promise.all(asked)
}

/** The old primary wakes and still takes itself for the primary: it is asked for seconds. */
async function wakeAndAsk(
  other: TaskProcess<WorkerTasks>,
  { wake, revoked }: { readonly wake: () => void; readonly revoked: readonly Key[] },
): Promise<void> {
  wake()
  const endMs = performance.now() + 5_000
  while (performance.now() < endMs) {
    shown.refusedByTheWoken += await ask([other], revoked)
    await pause(20)
  }
}

/** Asks processes for revoked keys; returns how many answers were no acceptance. */
async function ask(of: readonly TaskProcess<WorkerTasks>[], revoked: readonly Key[]) {
  const secrets = revoked.map(({ secret }) => secret)
  const answers = await Promise.all(of.map((worker) => worker.call('verdicts', secrets)))
  const accepted = answers.reduce((sum, answer) => sum + answer.accepted, 0)
  shown.stale += accepted
  shown.verdicts += of.length * secrets.length
  return of.length * secrets.length - accepted
}

async function untilAccepted(of: readonly TaskProcess<WorkerTasks>[], keys: readonly Key[]) {
  const secrets = keys.map(({ secret }) => secret)
  for (const worker of of) {
    while ((await worker.call('verdicts', secrets)).accepted < keys.length) await pause(50)
  }
}

async function untilWorking(worker: TaskProcess<WorkerTasks>, key: Key | undefined) {
  if (key !== undefined) await untilAccepted([worker], [key])
}

/** Tries again while the answer is an outage: the outcome is unknown, and each of these can be repeated. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 300) throw error
      await pause(100)
    }
  }
}
