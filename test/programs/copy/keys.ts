import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { deliver } from '../../support/copy/world.ts'

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
  for (let left = keys / 2; left > 0; left -= 1_000) await deliver(storage, 1_000)
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
