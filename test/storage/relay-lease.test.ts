import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { postgresStorage } from '../../adapters/storage/postgres.ts'
import {
  sampleEvent,
  sampleInsertion,
  sampleRecord,
} from '../../adapters/storage/testing/samples.ts'
import { relayEvents } from '../../src/events/index.ts'
import { type AuditEvent, ERASED_PERSON } from '../../src/index.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { inserted } from '../support/inserted.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { freshPath, rawAt, storageAt } from '../support/sqlite-files.ts'
import { until } from '../support/world.ts'

const HOUR_MS = 3_600_000

const db = databaseForFile()

let schemas = 0
const freshSchema = () => `lease_${++schemas}`

async function insertOne(storage: KeyStorage) {
  const record = sampleRecord()
  const event = sampleEvent(record)
  await storage.write([{ ...sampleInsertion(record), events: [event] }])
  return event
}

/** Runs with the clock of this process moved, as in a process on another machine. */
async function withClock<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now
  const moved = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  try {
    return await work()
  } finally {
    moved.mockRestore()
  }
}

function claim(storage: KeyStorage, relay: string, leaseMs: number) {
  return storage.claimEvents({ relay, leaseMs, limit: 5, except: [] })
}

const STORAGES: Readonly<Record<string, () => KeyStorage>> = {
  memory: () => memoryStorage(),
  SQLite: () => storageAt(freshPath()),
  PostgreSQL: () => postgresStorage(db.pool, { schema: freshSchema() }),
}

describe.each(Object.entries(STORAGES))('the lease on %s', (_, open) => {
  test('a process whose clock is ahead takes no lease from another', async () => {
    const storage = open()
    const event = await insertOne(storage)
    expect(await claim(storage, 'a', HOUR_MS / 2)).toEqual([event])
    expect(await withClock(HOUR_MS, () => claim(storage, 'b', 1_000))).toEqual([])
  })

  test('a process whose clock is ahead keeps it no longer than its lease', async () => {
    const storage = open()
    await insertOne(storage)
    expect(await withClock(HOUR_MS, () => claim(storage, 'a', 50))).toHaveLength(1)
    let taken = 0
    const poll = setInterval(async () => {
      taken ||= (await claim(storage, 'b', HOUR_MS)).length
    }, 20)
    await until(() => taken === 1).finally(() => clearInterval(poll))
  })

  test('a relay that stops releases it at once, also one whose clock is ahead', async () => {
    const storage = open()
    await insertOne(storage)
    const seen: string[] = []
    const start = (name: string) =>
      relayEvents({ storage, deliver: () => void seen.push(name), pollMs: 5, leaseMs: HOUR_MS })
    await withClock(HOUR_MS, async () => {
      const first = start('first')
      await until(() => seen.length === 1)
      await first.stop()
    })
    await insertOne(storage)
    const second = start('second')
    await until(() => seen.length === 2)
    await second.stop()
    expect(seen).toEqual(['first', 'second'])
  })
})

/** Lets the clock that measures durations jump ahead, by which `until` gives up too. */
function jumpingClock(): (ms: number) => void {
  const now = performance.now.bind(performance)
  let aheadMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
  onTestFinished(() => void vi.mocked(performance.now).mockRestore())
  return (ms) => {
    aheadMs += ms
  }
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

describe.each(Object.entries(STORAGES))('a relay that has claimed events on %s', (_, open) => {
  test('delivers none with the name of a person a second after the erasure', async () => {
    const storage = open()
    const ids = [await insertOne(storage), await insertOne(storage), await insertOne(storage)].map(
      ({ id }) => id,
    )
    const jump = jumpingClock()
    const seen: AuditEvent[] = []
    const done = deferred()
    const deliver = async (event: AuditEvent) => {
      if (seen.push(event) === 3) done.resolve()
      if (seen.length > 1) return
      await storage.renameActor({ personId: event.actor.id, limit: 10 })
      jump(1_001)
    }
    const relay = relayEvents({ storage, deliver, pollMs: 5 })
    await done.promise
    await relay.stop()
    expect(seen.map(({ id }) => id)).toEqual(ids)
    expect(seen.map(({ actor }) => actor.id)).toEqual([
      sampleEvent(sampleRecord()).actor.id,
      ...[ERASED_PERSON.id, ERASED_PERSON.id],
    ])
  })
})

test('a slow retry leaves the others as long as a delivery may take', async () => {
  const storage = memoryStorage()
  for (const workspaceId of ['ws_bad', ...Array(80).fill('ws_good')]) {
    await inserted(storage, { workspaceId })
  }
  const jump = jumpingClock()
  const offered: string[] = []
  let left = 80
  const done = deferred()
  const deliver = ({ workspaceId }: AuditEvent) => {
    offered.push(workspaceId)
    jump(workspaceId === 'ws_bad' ? 14_000 : 700)
    if (workspaceId === 'ws_bad') throw new Error('refused')
    left -= 1
    if (left === 0) done.resolve()
  }
  const relay = relayEvents({ storage, deliver, pollMs: 1 })
  await done.promise
  await relay.stop()
  const [, ...retries] = offered.flatMap((one, at) => (one === 'ws_bad' ? [at] : []))
  expect(retries.length).toBeGreaterThan(2)
  for (const [index, at] of retries.slice(1, -1).entries()) {
    expect(at - (retries[index] ?? 0)).toBeGreaterThan(20)
  }
})

describe('a lease from before the clock of the database was set back', () => {
  test('ends on SQLite', async () => {
    const path = freshPath()
    const storage = storageAt(path)
    await insertOne(storage)
    await claim(storage, 'a', 60_000)
    const raw = rawAt(path)
    raw.exec('UPDATE miftah_relay SET leased_until_ms = leased_until_ms + 50000')
    expect(await claim(storage, 'b', 60_000)).toEqual([])
    raw.exec(`UPDATE miftah_relay SET leased_until_ms = leased_until_ms + ${HOUR_MS}`)
    expect(await claim(storage, 'b', 60_000)).toHaveLength(1)
  })

  test('ends on PostgreSQL', async () => {
    const schema = freshSchema()
    const storage = postgresStorage(db.pool, { schema })
    await insertOne(storage)
    await claim(storage, 'a', 60_000)
    await db.pool.query(
      `UPDATE ${schema}.miftah_relay SET leased_until_ms = leased_until_ms + 50000`,
    )
    expect(await claim(storage, 'b', 60_000)).toEqual([])
    await db.pool.query(
      `UPDATE ${schema}.miftah_relay SET leased_until_ms = leased_until_ms + ${HOUR_MS}`,
    )
    expect(await claim(storage, 'b', 60_000)).toHaveLength(1)
  })
})
