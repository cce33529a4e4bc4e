import { countsAt, type KeyRecord, type KeyStorage, statusAt } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  activeKeysOf,
  contractGroup,
  eventsOf,
  firstPage,
  inParallel,
  inserted,
  insertedMany,
  stored,
} from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
  WORKSPACE,
} from './samples.ts'

const END_MS = Date.UTC(2026, 5, 1)
const PAUSE = { pausedAtMs: 1, pausedBy: { id: 'u_1', name: 'Sami' } }
const STATUSES = ['active', 'retiring', 'paused', 'expired', 'revoked'] as const

/** Keys that end by themselves count until their end, and not after it. */
export const expiryCases = contractGroup('expiry', {
  'limit 5 with one expiring at T: 200 inserts a minute before T, and at T': async (storage) => {
    await insertedMany(storage, 4)
    await inserted(storage, { expiresAtMs: END_MS })
    const outcomes = await inParallel(200, () => insertAt(storage, END_MS - 60_000))
    checkEqual(outcomes, Array(200).fill({ inserted: false, activeKeys: 5 }), 'before')
    const later = await inParallel(200, () => insertAt(storage, END_MS))
    checkEqual(later.filter(({ inserted }) => inserted).length, 1, 'how many were inserted')
    checkEqual(await activeKeysOf(storage, WORKSPACE, END_MS), 5, 'activeKeys')
  },

  'a key that loses its end counts until it is revoked, also as the first of its workspace': async (
    storage,
  ) => {
    const first = await inserted(storage, { expiresAtMs: END_MS })
    await inserted(storage, { expiresAtMs: END_MS })
    await storage.update(sampleUpdateChange(first, { expiresAtMs: null }))
    checkEqual(await activeKeysOf(storage, WORKSPACE, END_MS - 1), 2, 'before the end of the other')
    checkEqual(await activeKeysOf(storage, WORKSPACE, END_MS), 1, 'after it')
    const record = sampleRecord({ createdAtMs: END_MS })
    const event = sampleCreatedEvent(record)
    const none = await storage.insert(record, 1, event)
    checkEqual(none, { inserted: false, activeKeys: 1 }, 'an insert at the limit')
    await storage.revoke(sampleRevokeChange(await stored(storage, first)))
    checkEqual(await activeKeysOf(storage, WORKSPACE, END_MS), 0, 'after the revocation')
  },

  'the status filter goes by the instant of the query': async (storage) => {
    const keys = await keysOfEveryKind(storage)
    for (const atMs of [END_MS - 1, END_MS, END_MS + 1]) {
      for (const status of [...STATUSES, null]) {
        for (const environment of ['live', 'test', null] as const) {
          const expected = keys
            .filter((key) => status === null || statusAt(key, atMs) === status)
            .filter((key) => environment === null || key.environment === environment)
          const query = { status: status && [status], environment, atMs, after: null, limit: 1000 }
          const page = await storage.list(WORKSPACE, query)
          const ids = page?.records.map(({ id }) => id)
          const wanted = expected.map(({ id }) => id).toReversed()
          checkEqual(ids, wanted, `the ${status} keys of ${environment}`)
        }
      }
      const active = keys.filter((key) => countsAt(key, atMs)).length
      checkEqual((await firstPage(storage, WORKSPACE, atMs)).activeKeys, active, 'activeKeys')
    }
  },

  'an expired key can be revoked': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    const change = sampleRevokeChange(record, END_MS + 5)
    checkEqual((await storage.revoke(change)).outcome, 'revoked', 'the outcome')
    checkEqual((await stored(storage, record)).revokedAtMs, END_MS + 5, 'revokedAtMs')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },
})

function insertAt(storage: KeyStorage, createdAtMs: number) {
  const record = sampleRecord({ createdAtMs })
  return storage.insert(record, 5, sampleCreatedEvent(record))
}

/** Keys of every status, in both environments, oldest first. */
async function keysOfEveryKind(storage: KeyStorage): Promise<readonly KeyRecord[]> {
  for (const environment of ['live', 'test'] as const) {
    const fields = [
      ...[{}, PAUSE, { expiresAtMs: END_MS }, { ...PAUSE, expiresAtMs: END_MS }],
      ...[{ expiresAtMs: END_MS + 1 }, {}],
    ]
    for (const own of fields) await inserted(storage, { environment, ...own })
    const ended = await inserted(storage, { environment, expiresAtMs: END_MS })
    await storage.revoke(sampleRevokeChange(ended))
    for (const retiresAtMs of [END_MS, END_MS + 1, null]) {
      const old = await inserted(storage, { environment })
      const outcome = await storage.rotate({ ...sampleRotateChange(old), retiresAtMs })
      check(outcome.outcome === 'rotated', 'the key is rotated')
    }
  }
  return (await firstPage(storage, WORKSPACE)).records.toReversed()
}
