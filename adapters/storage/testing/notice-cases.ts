import {
  type AuditEventRecord,
  type KeyRecord,
  type KeyStorage,
  type Notice,
  type NoticeDue,
  nextNoticeAt,
} from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, inParallel, inserted, insertedMany } from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
  WORKSPACE,
} from './samples.ts'

const DAY_MS = 86_400_000
const START_MS = Date.UTC(2026, 0, 1)
const END_MS = START_MS + 30 * DAY_MS
/** After everything that these cases store. */
const LATE_MS = START_MS + 400 * DAY_MS

/** Each key that has an end gets each of its notices once, when it is due. */
export const noticeCases = contractGroup('notices', {
  'a key without an end is never due': async (storage) => {
    await insertedMany(storage, 3)
    checkEqual(await due(storage), [], 'dueNotices')
  },

  'a key that was imported long after its creation is due after the import': async (storage) => {
    const createdAtMs = START_MS - 365 * DAY_MS
    const expiresAtMs = START_MS + 3 * DAY_MS
    await inserted(storage, { createdAtMs, updatedAtMs: START_MS, expiresAtMs })
    checkEqual((await theDue(storage)).dueAtMs, expiresAtMs - DAY_MS, 'dueAtMs')
  },

  'a new key is due 7 days before it expires, or at what is left': async (storage) => {
    for (const [days, before] of [
      [30, 7],
      [7, 1],
      [6, 1],
      [1, 0],
      [0.5, 0],
    ] as const) {
      const expiresAtMs = START_MS + days * DAY_MS
      const { id } = await inserted(storage, { expiresAtMs })
      const dueAtMs = expiresAtMs - before * DAY_MS
      const isDue = async (atMs: number) =>
        (await due(storage, atMs)).some((one) => one.record.id === id && one.dueAtMs === dueAtMs)
      checkEqual(await isDue(dueAtMs), true, `due of ${days} days`)
      checkEqual(await isDue(dueAtMs - 1), false, `due of ${days} days before`)
    }
  },

  'a notice is stored with the next one, once': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: END_MS })
    const first = await theDue(storage)
    const notice = noticeOf(first, END_MS - DAY_MS)
    checkEqual(await storage.storeNotices([notice]), 1, 'storeNotices')
    checkEqual(await storage.storeNotices([{ ...noticeOf(first, END_MS) }]), 0, 'a second one')
    checkEqual((await theDue(storage)).dueAtMs, END_MS - DAY_MS, 'the next')
    const last = noticeOf(await theDue(storage), null)
    checkEqual(await storage.storeNotices([last]), 1, 'the last')
    checkEqual(await due(storage), [], 'afterwards')
    const events = (await eventsOf(storage, WORKSPACE)).slice(1)
    checkEqual(events, [notice.event, last.event], 'the events')
    const page = await storage.findById(WORKSPACE, key.id)
    checkEqual(page, key, 'the key')
  },

  'many writers at once store one notice once': async (storage) => {
    await insertedMany(storage, 5, (index) => ({
      expiresAtMs: START_MS + 5,
      workspaceId: `ws_${index % 2}`,
    }))
    const dues = await due(storage)
    const counts = await inParallel(8, (index) => {
      const order = index % 2 === 0 ? dues : [...dues].reverse()
      return storage.storeNotices(order.map((one) => noticeOf(one, null)))
    })
    checkEqual(
      counts.reduce((sum, count) => sum + count, 0),
      5,
      'the sum of what was stored',
    )
    const logged = [...(await eventsOf(storage, 'ws_0')), ...(await eventsOf(storage, 'ws_1'))]
    checkEqual(logged.length, 10, 'the number of events')
  },

  'a key that was changed is passed over, and due again': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: END_MS })
    const notice = noticeOf(await theDue(storage), null)
    await storage.update(sampleUpdateChange(key))
    checkEqual(await storage.storeNotices([notice]), 0, 'storeNotices')
    checkEqual((await theDue(storage)).record.version, 2, 'the version that is due')
  },

  'an expiry that moves is due again, and one that is removed is not': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: END_MS })
    await storage.storeNotices([noticeOf(await theDue(storage), null)])
    const later = sampleUpdateChange(key, { expiresAtMs: END_MS + 30 * DAY_MS })
    await storage.update(later)
    checkEqual((await theDue(storage)).dueAtMs, END_MS + 23 * DAY_MS, 'the moved one')
    const changed = { ...key, ...later.state, version: 2 }
    await storage.update(sampleUpdateChange(changed, { expiresAtMs: null }))
    checkEqual(await due(storage), [], 'without an expiry')
  },

  'a change that leaves the expiry leaves the notice': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: END_MS })
    await storage.storeNotices([noticeOf(await theDue(storage), END_MS - DAY_MS)])
    await storage.update(sampleUpdateChange(key))
    checkEqual((await theDue(storage)).dueAtMs, END_MS - DAY_MS, 'the next')
  },

  'an overlap is due at its end, and a revocation ends the wait': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: END_MS })
    const retiresAtMs = await overlapOf(storage, key)
    checkEqual((await theDue(storage)).dueAtMs, retiresAtMs, 'the end of the overlap')
    await storage.revoke(sampleRevokeChange(key, retiresAtMs - 60_000))
    checkEqual(await due(storage), [], 'after the revocation')
  },

  'the end of an overlap is due also when the key is revoked after it, once': async (storage) => {
    const key = await inserted(storage)
    const retiresAtMs = await overlapOf(storage, key)
    await storage.revoke(sampleRevokeChange(key, retiresAtMs + 1))
    checkEqual(await due(storage, retiresAtMs - 1), [], 'before the end')
    const last = await theDue(storage)
    checkEqual(last.dueAtMs, retiresAtMs, 'the end of the overlap')
    checkEqual(await storage.storeNotices([noticeOf(last, null)]), 1, 'storeNotices')
    checkEqual(await due(storage), [], 'afterwards')
  },

  'an end with its notice stored is not due again when the key is revoked later': async (
    storage,
  ) => {
    const key = await inserted(storage)
    const retiresAtMs = await overlapOf(storage, key)
    await storage.storeNotices([noticeOf(await theDue(storage), null)])
    await storage.revoke(sampleRevokeChange(key, retiresAtMs + 1))
    checkEqual(await due(storage), [], 'after the revocation')
  },

  'a purged or erased key is not due': async (storage) => {
    await inserted(storage, { expiresAtMs: START_MS + 1 })
    await inserted(storage, { expiresAtMs: START_MS + 1, workspaceId: 'ws_other' })
    await storage.purge({ endedBeforeMs: START_MS + 2, eventsBeforeMs: null, limit: 1 })
    checkEqual((await due(storage)).length, 1, 'after the purge of one')
    const limit = 10
    for (const workspaceId of [WORKSPACE, 'ws_other']) {
      await storage.eraseWorkspace({ workspaceId, erasedAtMs: START_MS + 5, limit })
    }
    checkEqual(await due(storage), [], 'after the erasure')
  },

  'the earliest come first, up to the limit': async (storage) => {
    const days = [9, 3, 7, 1, 5]
    for (const day of days) await inserted(storage, { expiresAtMs: START_MS + day * 3_600_000 })
    const found = await storage.dueNotices({ atMs: LATE_MS, limit: 3 })
    const hours = found.map(({ dueAtMs }) => (dueAtMs - START_MS) / 3_600_000)
    checkEqual(hours, [1, 3, 5], 'the hours')
  },
})

/** Rotates a key with an overlap of a day, and returns when that ends. */
async function overlapOf(storage: KeyStorage, key: KeyRecord): Promise<number> {
  const rotation = sampleRotateChange(key)
  const retiresAtMs = rotation.rotatedAtMs + DAY_MS
  await storage.rotate({ ...rotation, retiresAtMs })
  return retiresAtMs
}

function due(storage: KeyStorage, atMs = LATE_MS): Promise<readonly NoticeDue[]> {
  return storage.dueNotices({ atMs, limit: 100 })
}

/** The only notice that is due. */
async function theDue(storage: KeyStorage): Promise<NoticeDue> {
  const [notice, ...more] = await due(storage)
  check(notice !== undefined && more.length === 0, 'one notice is due')
  checkEqual(
    notice.dueAtMs >= (nextNoticeAt(notice.record, Number.NEGATIVE_INFINITY) ?? 0),
    true,
    'the instant is one of the key',
  )
  return notice
}

function noticeOf({ record, dueAtMs }: NoticeDue, nextAtMs: number | null): Notice {
  const { workspaceId, id, version, expiresAtMs } = record
  const created = sampleCreatedEvent(record)
  const expiresAt = new Date(expiresAtMs ?? dueAtMs).toISOString()
  const event: AuditEventRecord = {
    ...created,
    type: 'api_key.expired',
    atMs: dueAtMs,
    data: { ...created.data, expiresAt } as never,
  }
  return { workspaceId, id, version, dueAtMs, nextAtMs, event }
}
