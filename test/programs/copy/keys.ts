import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'

const DAY_MS = 86_400_000
const OF_WORKSPACE = 500

/** Fills workspaces with keys of every status, uses, history, and events of which half are delivered. */
export async function fillKeys(storage: KeyStorage, keys: number): Promise<readonly string[]> {
  const nowMs = Date.now()
  const workspaces = Array.from({ length: Math.ceil(keys / OF_WORKSPACE) }, (_, at) => `ws_${at}`)
  for (const [at, workspaceId] of workspaces.entries()) {
    const count = Math.min(OF_WORKSPACE, keys - at * OF_WORKSPACE)
    const records = Array.from({ length: count }, (_, of) => recordOf(workspaceId, of, nowMs))
    await Promise.all(records.map((one) => storage.insert(one, null, sampleCreatedEvent(one))))
    await Promise.all(records.map((record, of) => changeOne(storage, record, of, nowMs)))
    await addUses(storage, records, nowMs, at + 1)
  }
  await deliver(storage, keys / 2)
  return workspaces
}

function recordOf(workspaceId: string, of: number, nowMs: number): KeyRecord {
  return sampleRecord({
    ...{ workspaceId, name: `Key ${of} 🔑`, createdAtMs: nowMs - 60 * DAY_MS },
    ...(of % 5 === 0 && { resources: { project: [`p_${of}`] }, networks: ['10.0.0.0/8'] }),
    ...(of % 7 === 0 && { expiresAtMs: nowMs + (of - 250) * DAY_MS }),
    ...(of % 3 === 0 && { metadata: { team: `t_${of}`, b: 'مرحبا' } }),
  })
}

async function changeOne(storage: KeyStorage, record: KeyRecord, of: number, nowMs: number) {
  if (of % 7 === 0) return
  const overlap = { retiresAtMs: nowMs + DAY_MS, retiringLimit: null }
  const pause = { pausedAtMs: nowMs, pausedBy: { id: 'u_1', name: 'Sami' } }
  if (of % 11 === 0) await storage.rotate({ ...sampleRotateChange(record), ...overlap })
  else if (of % 13 === 0) await storage.update(sampleUpdateChange(record, pause))
  else if (of % 4 === 0) await storage.revoke(sampleRevokeChange(record))
}

async function addUses(
  storage: KeyStorage,
  records: readonly KeyRecord[],
  nowMs: number,
  sequence: number,
): Promise<void> {
  const hour = Math.floor(nowMs / 3_600_000)
  const counts = records.flatMap(({ id }, of) =>
    [0, of % 40].map((back) => ({ id, hour: hour - back, outcome: 'accepted' as const, count: 5 })),
  )
  await storage.addUses({
    ...{ writer: 'w', sequence, history: { hourlyForDays: 30, dailyForDays: 365, counts } },
    uses: records.map(({ id }, of) => ({ id, uses: 10 + of, lastUsedAtMs: nowMs - of })),
  })
}

async function deliver(storage: KeyStorage, events: number): Promise<void> {
  for (let left = events; left > 0; left -= 1_000) {
    const claim = { relay: 'r', leaseMs: 60_000, limit: 1_000, except: [] }
    const ids = (await storage.claimEvents(claim)).map(({ id }) => id)
    await storage.acknowledgeEvents('r', ids)
  }
  await storage.releaseEvents('r')
}

/** All that a storage answers about keys, in parts. */
export async function* contentOf(storage: KeyStorage, workspaces: readonly string[]) {
  const to = Math.floor(Date.now() / DAY_MS) + 1
  const periods = { hours: { from: (to - 60) * 24, to: to * 24 }, days: { from: to - 60, to } }
  const atMs = to * DAY_MS
  for (const workspaceId of workspaces) {
    const query = { status: null, environment: null, atMs, after: null, limit: 2 * OF_WORKSPACE }
    const page = await storage.list(workspaceId, query)
    yield page && { ...page, records: page.records.map(withSortedNames) }
    for (const { id } of page?.records ?? []) {
      const usage = await storage.usage(workspaceId, { id, ...periods })
      const text = ({ at, outcome, count }: { at: number; outcome: string; count: number }) =>
        `${at} ${outcome} ${count}`
      yield [usage?.hours.map(text).sort(), usage?.days.map(text).sort()]
    }
    const events = await storage.events(workspaceId, { after: null, limit: 100_000 })
    yield events?.map(({ id, type, actor, atMs: eventAtMs }) => [id, type, actor, eventAtMs])
  }
  const due = await storage.dueNotices({ atMs: atMs + 1_000 * DAY_MS, limit: 1_000_000 })
  yield due.map(({ record, dueAtMs }) => `${record.id} ${dueAtMs}`).sort()
  const claim = { relay: 'c', leaseMs: 1, limit: 1_000_000, except: [] }
  const pending = await storage.claimEvents(claim)
  yield workspaces.map((workspaceId) =>
    pending.filter((event) => event.workspaceId === workspaceId).map(({ id }) => id),
  )
  await storage.releaseEvents('c')
}

/** PostgreSQL keeps the names of an object in an order of its own. */
function withSortedNames<T extends { readonly metadata: object }>(record: T): T {
  return { ...record, metadata: Object.entries(record.metadata).sort() }
}
