import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import { type ApiKeys, createApiKeys, type Entitlements, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { type GaleraServer, startCluster, untilReady } from './cluster.ts'

// A Galera cluster of three processes: a key that was revoked through one server is refused through every
// other at once, limits and guards hold across them, and a server that is killed, frozen or cut off changes neither.

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    races: { type: 'string', default: '20' },
    partitions: { type: 'string', default: '5' },
  },
})
const failures: string[] = []
const expectTrue = (isTrue: boolean, what: string) => {
  if (!isTrue && failures.length < 20) failures.push(what)
}
const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_galera'

interface Key {
  readonly id: string
  readonly secret: string
}

const { servers, stop } = await startCluster()
const pools: mysql.Pool[] = []
try {
  const [first] = servers
  const admin = await mysql.createConnection(first?.url ?? '')
  await admin.query('CREATE DATABASE miftah')
  await admin.end()
  const storages = servers.map(({ url }) => {
    const pool = mysql.createPool(`${url}/miftah`)
    pools.push(pool)
    return mysqlStorage(pool)
  })
  for (const storage of storages) await storage.migrate()
  const keysOf = (storageTimeoutMs: number) =>
    storages.map((storage) =>
      createApiKeys({ storage, storageTimeoutMs, entitlements: planOf, onEvent: () => {} }),
    )
  const patient = keysOf(60_000)
  const hasty = keysOf(4_000)
  report('revoke', await revocations(patient, Number(values.rounds)))
  report('races', await races(patient, Number(values.races)))
  report('frozen', await frozen({ patient, hasty }, servers, 5))
  report('partitioned', await partitioned({ patient, hasty }, servers, Number(values.partitions)))
  report('killed', await killed(patient, servers, 100))
  report('sound', await sound(storages))
} finally {
  await Promise.all(pools.map((pool) => pool.end().catch(() => undefined)))
  await stop()
}
process.exitCode = failures.length > 0 ? 1 : 0

function report(name: string, figures: Readonly<Record<string, number>>): void {
  console.log(JSON.stringify({ name, figures, failures }))
}

function planOf(workspaceId: string): Entitlements {
  return workspaceId === WORKSPACE ? plans.enterprise : { publicApi: true, activeKeyLimit: 5 }
}

async function create(keys: ApiKeys, workspaceId = WORKSPACE): Promise<Key> {
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

const isDone = (call: Promise<unknown>) =>
  call.then(
    () => true,
    () => false,
  )

/** Through one server, then at once through the two others. */
async function revocations(nodes: readonly ApiKeys[], rounds: number) {
  let lookups = 0
  let stale = 0
  for (let round = 0; round < rounds; round += 1) {
    const [by, ...others] = [0, 1, 2].map((at) => nodes[(round + at) % 3]) as [
      ApiKeys,
      ...ApiKeys[],
    ]
    const key = await create(by)
    for (const other of others) {
      expectTrue(await accepts(other, key), 'a new key is accepted elsewhere')
    }
    await revoke(by, key)
    const seen = await Promise.all(others.map((other) => accepts(other, key)))
    lookups += seen.length
    stale += seen.filter(Boolean).length
  }
  expectTrue(stale === 0, `${stale} stale accepts`)
  return { rounds, lookups, stale }
}

/** Limits, rotations and updates of one key through all servers at once. */
async function races(nodes: readonly ApiKeys[], rounds: number) {
  const count = async (times: number, call: (keys: ApiKeys, at: number) => Promise<unknown>) => {
    const calls = Array.from({ length: times }, (_, at) => call(nodes[at % 3] as ApiKeys, at))
    return (await Promise.all(calls.map(isDone))).filter(Boolean).length
  }
  for (let round = 0; round < rounds; round += 1) {
    const created = await count(30, (keys) => create(keys, `ws_${round}`))
    expectTrue(created === 5, `${created} keys at limit 5`)
    const action = { workspaceId: WORKSPACE, actor: ACTOR }
    const { id } = await create(nodes[0] as ApiKeys)
    const rotated = await count(9, (keys) => keys.rotateKey({ ...action, id }))
    expectTrue(rotated === 1, `${rotated} rotations of one key`)
    const other = { ...action, id: (await create(nodes[1] as ApiKeys)).id, version: 1 }
    const updated = await count(9, (keys, at) =>
      keys.updateKey({ ...other, change: { name: `n${at}` } }),
    )
    expectTrue(updated === 1, `${updated} updates at one version`)
  }
  return { rounds }
}

interface Nodes {
  readonly patient: readonly ApiKeys[]
  /** Whose calls end while a server is gone. */
  readonly hasty: readonly ApiKeys[]
}

/** A server is frozen, keys are revoked through the others, and it wakes: it must never accept one. */
async function frozen({ patient, hasty }: Nodes, all: readonly GaleraServer[], rounds: number) {
  const third = all[2]
  const looks = { accepted: 0, refused: 0, failed: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const known = await knownKeys(patient)
    third?.kill('SIGSTOP')
    await revokeAll(patient, known)
    third?.kill('SIGCONT')
    await lookFor(10_000, hasty[2], known, looks)
    await untilReady(third?.url ?? '')
  }
  expectTrue(looks.accepted === 0, `${looks.accepted} accepted by a server that was frozen`)
  expectTrue(looks.refused > 0, 'a server that was frozen answers again')
  return { rounds, ...looks }
}

/**
 * A server is cut off from the others while its clients still reach it; keys are revoked through the others, and
 * it comes back: it must accept none, neither while it is alone nor afterwards, nor take a change of its own.
 */
async function partitioned(
  { patient, hasty }: Nodes,
  all: readonly GaleraServer[],
  rounds: number,
) {
  const third = all[2]
  const alone = { accepted: 0, refused: 0, failed: 0 }
  const back = { ...alone }
  let changes = 0
  for (let round = 0; round < rounds; round += 1) {
    const known = await knownKeys(patient)
    await third?.isolate(true)
    await revokeAll(patient, known)
    if (await isDone(create(hasty[2] as ApiKeys))) changes += 1
    await lookFor(5_000, hasty[2], known, alone)
    await third?.isolate(false)
    await lookFor(5_000, hasty[2], known, back)
    await untilReady(third?.url ?? '')
    for (const key of known) {
      const isAccepted = await accepts(patient[2] as ApiKeys, key)
      expectTrue(!isAccepted, 'a server that came back does not know a revocation')
    }
  }
  const accepted = alone.accepted + back.accepted
  expectTrue(accepted === 0, `${accepted} accepted by a server that was cut off`)
  expectTrue(changes === 0, `${changes} changes by a server that was cut off`)
  const { failed: failedBack, refused } = back
  return { rounds, accepted, failedAlone: alone.failed, failedBack, refused }
}

/** Keys that the third server has already looked up. */
async function knownKeys([first, , third]: readonly ApiKeys[]): Promise<readonly Key[]> {
  const known = await Promise.all(Array.from({ length: 10 }, () => create(first as ApiKeys)))
  for (const key of known) await accepts(third as ApiKeys, key)
  return known
}

/** Through the first server, which may have to notice first that another one is gone. */
async function revokeAll([first]: readonly ApiKeys[], known: readonly Key[]) {
  await Promise.all(known.map((key) => revoke(first as ApiKeys, key)))
}

/** Looks up revoked keys for some time, and counts what becomes of it. */
async function lookFor(
  ms: number,
  keys: ApiKeys | undefined,
  known: readonly Key[],
  looks: { accepted: number; refused: number; failed: number },
): Promise<void> {
  const endMs = performance.now() + ms
  while (performance.now() < endMs) {
    const all = known.map((key) => accepts(keys as ApiKeys, key))
    for (const look of await Promise.allSettled(all)) {
      if (look.status === 'rejected') looks.failed += 1
      else looks[look.value ? 'accepted' : 'refused'] += 1
    }
    await pause(100)
  }
}

/** A server is killed in the middle of changes through all of them; what was answered stays. */
async function killed(nodes: readonly ApiKeys[], all: readonly GaleraServer[], changes: number) {
  const made = Array.from({ length: changes }, () => create(nodes[0] as ApiKeys))
  const answered: Key[] = []
  const revoking = (await Promise.all(made)).map(async (key, at) => {
    await pause(10 * at)
    if (await isDone(revoke(nodes[at % 3] as ApiKeys, key))) answered.push(key)
  })
  await pause(5 * changes)
  all[1]?.kill('SIGKILL')
  await Promise.all(revoking)
  for (const key of answered) {
    const isAccepted = await accepts(nodes[2] as ApiKeys, key)
    expectTrue(!isAccepted, 'a revocation that was answered is lost')
  }
  await all[1]?.start()
  const behind = await Promise.all(answered.map((key) => accepts(nodes[1] as ApiKeys, key)))
  const stale = behind.filter(Boolean).length
  expectTrue(stale === 0, `${stale} stale accepts by a server that came back`)
  return { changes, answered: answered.length, failed: changes - answered.length, stale }
}

/** The log of each workspace is the same through every server, in one order, with an event for each change. */
async function sound(storages: readonly KeyStorage[]) {
  const query = { after: null, limit: 100_000 }
  const logs = await Promise.all(
    storages.map(async (storage) => (await storage.events(WORKSPACE, query)).events),
  )
  const [one = '', ...others] = logs.map((log) => JSON.stringify(log))
  expectTrue(
    others.every((other) => other === one),
    'the logs of the servers differ',
  )
  const revoked = (logs[0] ?? []).filter(({ type }) => type === 'api_key.revoked')
  const ids = new Set(revoked.map(({ keyId }) => keyId))
  expectTrue(ids.size === revoked.length, 'a key has two events of its revocation')
  return { events: logs[0]?.length ?? 0 }
}
