import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
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
const call = (timeoutMs: number) => ({ timeoutMs, signal: AbortSignal.timeout(timeoutMs) })

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
  report('revoke', await revocations(storages, Number(values.rounds)))
  report('races', await races(storages, Number(values.races)))
  report('frozen', await frozen(storages, servers, 5))
  report('partitioned', await partitioned(storages, servers, Number(values.partitions)))
  report('killed', await killed(storages, servers, 100))
  report('sound', await events(storages))
} finally {
  await Promise.all(pools.map((pool) => pool.end().catch(() => undefined)))
  await stop()
}
process.exitCode = failures.length > 0 ? 1 : 0

function report(name: string, figures: Readonly<Record<string, number>>): void {
  console.log(JSON.stringify({ name, figures, failures }))
}

async function insert(storage: KeyStorage, fields: Partial<KeyRecord> = {}): Promise<KeyRecord> {
  const record = sampleRecord(fields)
  await storage.insert(record, null, sampleCreatedEvent(record))
  return record
}

/** Through one server, then at once through the two others. */
async function revocations(storages: readonly KeyStorage[], rounds: number) {
  let lookups = 0
  let stale = 0
  for (let round = 0; round < rounds; round += 1) {
    const [by, ...others] = [0, 1, 2].map((at) => storages[(round + at) % 3]) as KeyStorage[]
    if (by === undefined) continue
    const record = await insert(by)
    for (const other of others) {
      expectTrue((await other.findByHash(record.hash)) !== null, 'a new key is found elsewhere')
    }
    await by.revoke(sampleRevokeChange(record))
    const seen = await Promise.all(others.map((other) => other.findByHash(record.hash)))
    lookups += seen.length
    stale += seen.filter((key) => key === null || key.revokedAtMs === null).length
  }
  expectTrue(stale === 0, `${stale} stale accepts`)
  return { rounds, lookups, stale }
}

/** Limits, rotations and updates of one key through all servers at once. */
async function races(storages: readonly KeyStorage[], rounds: number) {
  for (let round = 0; round < rounds; round += 1) {
    const workspaceId = `ws_${round}`
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const record = sampleRecord({ workspaceId })
        return storages[at % 3]?.insert(record, 5, sampleCreatedEvent(record))
      }),
    )
    const inserted = outcomes.filter((outcome) => outcome?.inserted).length
    expectTrue(inserted === 5, `${inserted} keys at limit 5`)
    const record = await insert(storages[0] as KeyStorage)
    const rotations = await Promise.all(
      Array.from({ length: 9 }, (_, at) => storages[at % 3]?.rotate(sampleRotateChange(record))),
    )
    const rotated = rotations.filter((rotation) => rotation?.outcome === 'rotated').length
    expectTrue(rotated === 1, `${rotated} rotations of one key`)
    const other = await insert(storages[1] as KeyStorage)
    const updates = await Promise.all(
      Array.from({ length: 9 }, (_, at) =>
        storages[at % 3]?.update(sampleUpdateChange(other, { name: `n${at}` })),
      ),
    )
    const updated = updates.filter((update) => update?.outcome === 'updated').length
    expectTrue(updated === 1, `${updated} updates at one version`)
  }
  return { rounds }
}

/** A server is frozen, keys are revoked through the others, and it wakes: it must never accept one. */
async function frozen(
  storages: readonly KeyStorage[],
  all: readonly GaleraServer[],
  rounds: number,
) {
  const third = all[2]
  const looks = { accepted: 0, refused: 0, failed: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const records = await knownKeys(storages)
    third?.kill('SIGSTOP')
    await revokeAll(storages, records)
    third?.kill('SIGCONT')
    await lookFor(10_000, storages[2], records, looks)
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
  storages: readonly KeyStorage[],
  all: readonly GaleraServer[],
  rounds: number,
) {
  const third = all[2]
  const alone = { accepted: 0, refused: 0, failed: 0 }
  const back = { ...alone }
  let changes = 0
  for (let round = 0; round < rounds; round += 1) {
    const records = await knownKeys(storages)
    await third?.isolate(true)
    await revokeAll(storages, records)
    const own = sampleRecord()
    const inserting = storages[2]?.insert(own, null, sampleCreatedEvent(own), call(4_000))
    changes += await Promise.resolve(inserting).then(
      () => 1,
      () => 0,
    )
    await lookFor(5_000, storages[2], records, alone)
    await third?.isolate(false)
    await lookFor(5_000, storages[2], records, back)
    await untilReady(third?.url ?? '')
    for (const { hash } of records) {
      const key = await storages[2]?.findByHash(hash, call(20_000))
      expectTrue(key?.revokedAtMs != null, 'a server that came back does not know a revocation')
    }
  }
  const accepted = alone.accepted + back.accepted
  expectTrue(accepted === 0, `${accepted} accepted by a server that was cut off`)
  expectTrue(changes === 0, `${changes} changes by a server that was cut off`)
  return {
    rounds,
    accepted,
    failedAlone: alone.failed,
    failedBack: back.failed,
    refused: back.refused,
  }
}

/** Keys that the third server has already looked up. */
async function knownKeys(storages: readonly KeyStorage[]): Promise<readonly KeyRecord[]> {
  const records = await Promise.all(
    Array.from({ length: 10 }, () => insert(storages[0] as KeyStorage)),
  )
  for (const { hash } of records) await storages[2]?.findByHash(hash)
  return records
}

/** Through the first server, which may have to notice first that another one is gone. */
async function revokeAll(storages: readonly KeyStorage[], records: readonly KeyRecord[]) {
  const [one] = storages
  await Promise.all(records.map((record) => one?.revoke(sampleRevokeChange(record), call(60_000))))
}

/** Looks up revoked keys for some time, and counts what becomes of it. */
async function lookFor(
  ms: number,
  storage: KeyStorage | undefined,
  records: readonly KeyRecord[],
  looks: { accepted: number; refused: number; failed: number },
): Promise<void> {
  const endMs = performance.now() + ms
  while (performance.now() < endMs) {
    const all = records.map(({ hash }) => storage?.findByHash(hash, call(3_000)))
    for (const look of await Promise.allSettled(all)) {
      if (look.status === 'rejected') looks.failed += 1
      else if (look.value?.revokedAtMs == null) looks.accepted += 1
      else looks.refused += 1
    }
    await pause(100)
  }
}

/** A server is killed in the middle of changes through all of them; what was answered stays. */
async function killed(
  storages: readonly KeyStorage[],
  all: readonly GaleraServer[],
  changes: number,
) {
  const records = await Promise.all(
    Array.from({ length: changes }, () => insert(storages[0] as KeyStorage)),
  )
  const answered: KeyRecord[] = []
  let failed = 0
  const revoking = records.map(async (record, at) => {
    await pause(10 * at)
    try {
      await storages[at % 3]?.revoke(sampleRevokeChange(record), call(20_000))
      answered.push(record)
    } catch {
      failed += 1
    }
  })
  await pause(5 * changes)
  all[1]?.kill('SIGKILL')
  await Promise.all(revoking)
  for (const record of answered) {
    const key = await storages[2]?.findByHash(record.hash, call(20_000))
    expectTrue(key?.revokedAtMs != null, 'a revocation that was answered is lost')
  }
  await all[1]?.start()
  const behind = await Promise.all(
    answered.map(({ hash }) => storages[1]?.findByHash(hash, call(20_000))),
  )
  const stale = behind.filter((key) => key?.revokedAtMs == null).length
  expectTrue(stale === 0, `${stale} stale accepts by a server that came back`)
  return { changes, answered: answered.length, failed, stale }
}

/** The log of each workspace is the same through every server, in one order, with an event for each change. */
async function events(storages: readonly KeyStorage[]) {
  const query = { after: null, limit: 100_000 }
  const { workspaceId } = sampleRecord()
  const logs = await Promise.all(storages.map((storage) => storage.events(workspaceId, query)))
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
