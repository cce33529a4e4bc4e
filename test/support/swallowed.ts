import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'

interface Keys {
  readonly living: KeyRecord
  /** Has a notice that is due. */
  readonly expiring: KeyRecord
}

/** Inserts the keys that the changes are about, and a dead one. */
export async function insertKeys({ insert, revoke }: KeyStorage): Promise<Keys> {
  const living = sampleRecord()
  const dead = sampleRecord({ expiresAtMs: Date.UTC(2026, 1, 1) })
  const expiring = sampleRecord({ workspaceId: 'ws_x', expiresAtMs: Date.UTC(2026, 2, 1) })
  for (const record of [living, dead, expiring]) {
    await insert(record, null, sampleCreatedEvent(record))
  }
  await revoke(sampleRevokeChange(dead))
  return { living, expiring }
}

type Swallowed = readonly [
  verb: string,
  change: 'INSERT' | 'UPDATE' | 'DELETE',
  table: string,
  call: (storage: KeyStorage, keys: Keys) => Promise<unknown>,
]

const erasePerson: Swallowed[3] = (storage, { living }) =>
  allSteps(() => storage.erasePerson({ personId: living.creator.id, limit: 5 }))

const eraseActor: Swallowed[3] = (storage, { living }) =>
  allSteps(() => storage.erasePerson({ personId: sampleCreatedEvent(living).actor.id, limit: 5 }))

const eraseWorkspace: Swallowed[3] = (storage, { living: { workspaceId } }) =>
  allSteps(() => storage.eraseWorkspace({ workspaceId, erasedAtMs: 5, limit: 5 }))

const purge: Swallowed[3] = (storage) => {
  const before = Date.UTC(2026, 6, 1)
  return allSteps(() => storage.purge({ endedBeforeMs: before, eventsBeforeMs: before, limit: 5 }))
}

const insert: Swallowed[3] = (storage) => {
  const record = sampleRecord()
  return storage.insert(record, null, sampleCreatedEvent(record))
}

/** Each change of a storage that a trigger of the host can swallow, with nothing but an answer to tell. */
export const SWALLOWED: readonly Swallowed[] = [
  ['eraseWorkspace', 'UPDATE', 'keys', eraseWorkspace],
  ['eraseWorkspace', 'DELETE', 'keys', eraseWorkspace],
  ['eraseWorkspace', 'DELETE', 'usage', eraseWorkspace],
  ['eraseWorkspace', 'DELETE', 'events', eraseWorkspace],
  ['purge', 'DELETE', 'keys', purge],
  ['purge', 'DELETE', 'usage', purge],
  ['purge', 'DELETE', 'events', purge],
  ['erasePerson', 'UPDATE', 'keys', erasePerson],
  ['erasePerson', 'UPDATE', 'events', eraseActor],
  ['insert', 'INSERT', 'keys', insert],
  ['insert', 'INSERT', 'events', insert],
  ['storeNotices', 'UPDATE', 'notices', (...of) => storeNotice(...of, 7)],
  ['storeNotices', 'DELETE', 'notices', (...of) => storeNotice(...of, null)],
  ['storeNotices', 'INSERT', 'events', (...of) => storeNotice(...of, 7)],
]

async function allSteps(step: () => Promise<{ readonly more: boolean }>): Promise<void> {
  for (let steps = 0; (await step()).more; steps += 1) {
    if (steps > 20) throw new Error('it never ends')
  }
}

/** Stores the notice of a key that expires, and when the next is due. */
async function storeNotice(storage: KeyStorage, { expiring }: Keys, nextAtMs: number | null) {
  const { id, workspaceId, version } = expiring
  const query = { atMs: Date.UTC(2026, 5, 1), limit: 9 }
  const due = (await storage.dueNotices(query)).find((notice) => notice.record.id === id)
  const dueAtMs = due?.dueAtMs ?? 0
  const { data, ...event } = sampleCreatedEvent(expiring)
  const expiry = { ...data, expiresAt: '2026-03-01T00:00:00.000Z' }
  const notice = { ...event, type: 'api_key.expired' as const, data: expiry }
  return storage.storeNotices([{ workspaceId, id, version, dueAtMs, nextAtMs, event: notice }])
}
