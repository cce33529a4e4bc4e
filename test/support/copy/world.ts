import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'

const DAY_MS = 86_400_000

/** The workspaces of {@link fill}. */
const WORKSPACES = ['ws_ä', 'ws_b', 'ws_closed']

/**
 * Keys of every status with restrictions, lineage, uses and a history, in three workspaces of which one is
 * erased, and events of which some are delivered and some purged, as is a key.
 */
export async function fill(storage: KeyStorage): Promise<void> {
  const nowMs = Date.now()
  const insert = async (fields: Partial<KeyRecord>) => {
    const record = sampleRecord({
      createdAtMs: nowMs - 40 * DAY_MS,
      workspaceId: 'ws_ä',
      ...fields,
    })
    await storage.insert(record, null, sampleCreatedEvent(record))
    return record
  }
  await insert({ name: 'the oldest' })
  const old = await insert({ name: 'ended', createdAtMs: nowMs - 60 * DAY_MS })
  const plain = await insert({ name: 'مفتاح 🔑', note: 'a note', metadata: { b: '1', aa: '2' } })
  const other = await insert({ workspaceId: 'ws_b', createdAtMs: nowMs - 60 * DAY_MS })
  for (const record of [old, other]) await storage.revoke(sampleRevokeChange(record))
  await insert({ resources: { project: ['p_2', 'p_1'], team: [] }, networks: ['10.0.0.0/8'] })
  await insert({ expiresAtMs: nowMs + 30 * DAY_MS })
  const expired = await insert({ expiresAtMs: nowMs - DAY_MS })
  await storage.insert(sampleRecord({ ...newIn('ws_ä'), createdAtMs: nowMs }), 100, {
    ...sampleCreatedEvent(expired),
    id: 'evt_counted',
  })
  const paused = await insert({ workspaceId: 'ws_b' })
  const pause = { pausedAtMs: nowMs, pausedBy: { id: 'u_gone', name: 'Gone' } }
  await storage.update(sampleUpdateChange(paused, pause))
  const rotated = await insert({ workspaceId: 'ws_b', createdAtMs: nowMs - DAY_MS })
  const overlap = { retiresAtMs: nowMs + DAY_MS, retiringLimit: null }
  await storage.rotate({ ...sampleRotateChange(rotated), ...overlap })
  await use(storage, [plain, rotated], nowMs)
  const closed = await insert({ workspaceId: 'ws_closed' })
  await deliver(storage, 6)
  await storage.erasePerson({ personId: 'u_gone', limit: 100 })
  const limits = { endedBeforeMs: nowMs - 30 * DAY_MS, eventsBeforeMs: nowMs - 50 * DAY_MS }
  await storage.purge({ ...limits, limit: 4 })
  await storage.eraseWorkspace({ workspaceId: closed.workspaceId, erasedAtMs: nowMs, limit: 1 })
}

function newIn(workspaceId: string): Partial<KeyRecord> {
  return { workspaceId, name: 'counted' }
}

async function use(storage: KeyStorage, keys: readonly KeyRecord[], nowMs: number): Promise<void> {
  const hour = Math.floor(nowMs / 3_600_000)
  const hours = [hour, hour - 1, hour - 50, hour - 24 * 20]
  const writer = `w_${Math.random()}`
  const counts = keys.flatMap(({ id }) =>
    hours.map((at, index) => ({ id, hour: at, outcome: 'accepted' as const, count: index + 1 })),
  )
  // What the second batch does not keep by the hour any more is read by the day.
  for (const [at, hourlyForDays] of [30, 7].entries()) {
    await storage.addUses({
      ...{ writer, sequence: at + 1 },
      uses: keys.map(({ id }) => ({ id, uses: 10, lastUsedAtMs: nowMs - 1_000 })),
      history: { hourlyForDays, dailyForDays: 90, counts: at === 0 ? counts : [] },
    })
  }
}

/** Delivers the oldest events, but for those of some workspaces. */
export async function deliver(
  storage: KeyStorage,
  limit: number,
  except: readonly string[] = [],
): Promise<void> {
  const claim = { relay: 'r', leaseMs: 60_000, limit, except }
  const events = await storage.claimEvents(claim)
  await storage.acknowledgeEvents(
    'r',
    events.map(({ id }) => id),
  )
  await storage.releaseEvents('r')
}

/**
 * All that a storage answers about workspaces, one after the other; by default those of {@link fill}. It takes
 * and ends the lease of a relay.
 */
export async function* contentOf(
  storage: KeyStorage,
  workspaces: readonly string[] = WORKSPACES,
): AsyncGenerator<unknown> {
  const atMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const hour = Math.floor(Date.now() / 3_600_000)
  const periods = {
    hours: { from: hour - 24 * 30, to: hour + 1 },
    days: { from: Math.floor(hour / 24) - 90, to: Math.floor(hour / 24) + 1 },
  }
  for (const workspaceId of workspaces) {
    const page = await storage.list(workspaceId, {
      ...{ status: null, environment: null, atMs, after: null, limit: 1_000 },
    })
    const records = page?.records ?? []
    const ids = [null, ...records.map(({ id }) => id)]
    yield {
      page,
      usage: await Promise.all(ids.map((id) => usageOf(storage, workspaceId, { id, ...periods }))),
      events: await storage.events(workspaceId, { after: null, limit: 100_000 }),
      found: await Promise.all(records.map(({ hash }) => storage.findByHash(hash))),
    }
  }
  const pending = await storage.claimEvents({
    ...{ relay: 'c', leaseMs: 1, limit: 1_000_000, except: [] },
  })
  await storage.releaseEvents('c')
  yield workspaces.map((workspaceId) =>
    pending.filter((event) => event.workspaceId === workspaceId).map(({ id }) => id),
  )
  const due = await storage.dueNotices({ atMs: Date.now() + 1_000 * DAY_MS, limit: 1_000_000 })
  yield due.map(({ record, dueAtMs }) => `${record.id} ${dueAtMs}`).sort()
}

async function usageOf(
  storage: KeyStorage,
  workspaceId: string,
  query: Parameters<KeyStorage['usage']>[1],
) {
  const { hours = [], days = [] } = (await storage.usage(workspaceId, query)) ?? {}
  const text = ({ at, outcome, count }: (typeof hours)[number]) => `${at} ${outcome} ${count}`
  return { hours: hours.map(text).sort(), days: days.map(text).sort() }
}
