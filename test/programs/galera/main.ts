import { setTimeout as pause } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import { type GaleraServer, startCluster, untilReady } from './cluster.ts'

/*
 * `npm run reliability:galera -- [rounds]`: three servers of a Galera cluster. A key that was revoked through one is
 * refused through every other at once, limits and guards hold across them, and a server that is killed, frozen or
 * cut off changes neither.
 */

const ROUNDS = Number(process.argv[2] ?? 20)
const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_galera'

type Key = Awaited<ReturnType<typeof create>>
type Three<T> = readonly [T, T, T]

const failures: string[] = []
const expectTrue = (isTrue: boolean, what: string) => {
  if (!isTrue && failures.length < 20) failures.push(what)
}

const isDone = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  )

/** How the third server goes, and how it comes back. */
const AWAY = {
  frozen: (server: GaleraServer, isAway: boolean) => server.kill(isAway ? 'SIGSTOP' : 'SIGCONT'),
  'cut off': (server: GaleraServer, isAway: boolean) => server.isolate(isAway),
} as const

const { servers, stop } = await startCluster()
const pools: mysql.Pool[] = []
try {
  const admin = await mysql.createConnection(servers[0]?.url ?? '')
  await admin.query('CREATE DATABASE miftah')
  await admin.end()
  const storages = servers.map(({ url }) => {
    const pool = mysql.createPool(`${url}/miftah`)
    pools.push(pool)
    return mysqlStorage(pool)
  })
  for (const storage of storages) await storage.migrate()
  const nodesOf = (storageTimeoutMs: number) =>
    storages.map((storage) =>
      createApiKeys({
        ...{ storage, storageTimeoutMs, onEvent: () => {} },
        entitlements: (id) =>
          id === WORKSPACE ? plans.enterprise : { publicApi: true, activeKeyLimit: 5 },
      }),
    ) as unknown as Three<ApiKeys>
  const nodes = nodesOf(60_000)
  report('revoke', await revocations(nodes, 20 * ROUNDS))
  report('races', await races(nodes))
  // Their calls end while a server is gone.
  const hasty = nodesOf(4_000)
  report('frozen', await withoutThird({ nodes, hasty }, 'frozen'))
  report('cut off', await withoutThird({ nodes, hasty }, 'cut off'))
  report('killed', await killed(nodes))
  const query = { after: null, limit: 100_000 }
  const logs = await Promise.all(
    storages.map(async (storage) => JSON.stringify(await storage.events(WORKSPACE, query))),
  )
  expectTrue(new Set(logs).size === 1, 'the logs of the servers differ')
  report('logs', { differing: new Set(logs).size - 1 })
} finally {
  await Promise.all(pools.map((pool) => pool.end().catch(() => undefined)))
  await stop()
}
process.exitCode = failures.length > 0 ? 1 : 0

function report(name: string, figures: Readonly<Record<string, number>>): void {
  console.log(JSON.stringify({ name, figures, failures }))
}

async function create(keys: ApiKeys, workspaceId = WORKSPACE) {
  const { key, secret } = await keys.createKey({
    ...{ workspaceId, creator: ACTOR, name: 'k', environment: 'live' },
    scopes: ['contacts.read'],
  })
  return { id: key.id, secret }
}

function revoke(keys: ApiKeys, { id }: Key) {
  return keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
}

async function accepts(keys: ApiKeys, { secret }: Key): Promise<boolean> {
  return (await keys.authenticateSecret(secret, null)).ok
}

async function countOf(outcomes: readonly Promise<boolean>[]): Promise<number> {
  return (await Promise.all(outcomes)).filter(Boolean).length
}

/** Through one server, then at once through the two others. */
async function revocations(nodes: Three<ApiKeys>, rounds: number) {
  let stale = 0
  for (let round = 0; round < rounds; round += 1) {
    const by = nodes[round % 3] as ApiKeys
    const others = nodes.filter((one) => one !== by)
    const key = await create(by)
    const seen = await countOf(others.map((other) => accepts(other, key)))
    expectTrue(seen === 2, 'a new key is accepted elsewhere')
    await revoke(by, key)
    stale += await countOf(others.map((other) => accepts(other, key)))
  }
  expectTrue(stale === 0, `${stale} stale accepts`)
  return { rounds, stale }
}

/** Limits, rotations and updates of one key through all servers at once. */
async function races(nodes: Three<ApiKeys>) {
  const won = (times: number, call: (keys: ApiKeys) => Promise<unknown>) =>
    countOf(Array.from({ length: times }, (_, at) => isDone(call(nodes[at % 3] as ApiKeys))))
  for (let round = 0; round < ROUNDS; round += 1) {
    const created = await won(30, (keys) => create(keys, `ws_${round}`))
    expectTrue(created === 5, `${created} keys at limit 5`)
    const { id } = await create(nodes[0])
    const action = { workspaceId: WORKSPACE, actor: ACTOR, id }
    const change = { name: 'Renamed' }
    const updated = await won(9, (keys) => keys.updateKey({ ...action, version: 1, change }))
    expectTrue(updated === 1, `${updated} updates at one version`)
    const rotated = await won(9, (keys) => keys.rotateKey(action))
    expectTrue(rotated === 1, `${rotated} rotations of one key`)
  }
  return { rounds: ROUNDS }
}

/**
 * The third server is frozen, or cut off from the others while its clients still reach it; keys are revoked through the
 * others, and it comes back: it must accept none, neither while it is alone nor afterwards, nor take a change.
 */
async function withoutThird(
  { nodes, hasty }: { readonly nodes: Three<ApiKeys>; readonly hasty: Three<ApiKeys> },
  kind: keyof typeof AWAY,
) {
  const third = servers[2] as GaleraServer
  const looks = { accepted: 0, refused: 0, failed: 0 }
  const rounds = Math.ceil(ROUNDS / 4)
  for (let round = 0; round < rounds; round += 1) {
    const known = await Promise.all(Array.from({ length: 10 }, () => create(nodes[0])))
    await Promise.all(known.map((key) => accepts(nodes[2], key)))
    await AWAY[kind](third, true)
    await Promise.all(known.map((key) => revoke(nodes[0], key)))
    if (kind === 'cut off') {
      expectTrue(!(await isDone(create(hasty[2]))), 'a server that was cut off took a change')
      await lookFor(5_000, hasty[2], known, looks)
    }
    await AWAY[kind](third, false)
    await lookFor(5_000, hasty[2], known, looks)
    await untilReady(third.url)
    const stale = await countOf(known.map((key) => accepts(nodes[2], key)))
    expectTrue(stale === 0, 'a server that came back does not know a revocation')
  }
  expectTrue(looks.accepted === 0, `${looks.accepted} accepted by a server that was ${kind}`)
  return { rounds, ...looks }
}

/** Looks up revoked keys for some time, and counts what becomes of it. */
async function lookFor(
  ms: number,
  keys: ApiKeys,
  known: readonly Key[],
  looks: { accepted: number; refused: number; failed: number },
): Promise<void> {
  const endMs = performance.now() + ms
  while (performance.now() < endMs) {
    for (const look of await Promise.allSettled(known.map((key) => accepts(keys, key)))) {
      if (look.status === 'rejected') looks.failed += 1
      else looks[look.value ? 'accepted' : 'refused'] += 1
    }
    await pause(100)
  }
}

/** A server is killed in the middle of changes through all of them; what was answered stays. */
async function killed(nodes: Three<ApiKeys>) {
  const changes = 100
  const made = await Promise.all(Array.from({ length: changes }, () => create(nodes[0])))
  const answered: Key[] = []
  const revoking = made.map(async (key, at) => {
    await pause(10 * at)
    if (await isDone(revoke(nodes[at % 3] as ApiKeys, key))) answered.push(key)
  })
  await pause(5 * changes)
  servers[1]?.kill('SIGKILL')
  await Promise.all(revoking)
  const lost = await countOf(answered.map((key) => accepts(nodes[2], key)))
  expectTrue(lost === 0, 'a revocation that was answered is lost')
  await servers[1]?.start()
  const stale = await countOf(answered.map((key) => accepts(nodes[1], key)))
  expectTrue(stale === 0, `${stale} stale accepts by a server that came back`)
  return { changes, answered: answered.length, lost, stale }
}
