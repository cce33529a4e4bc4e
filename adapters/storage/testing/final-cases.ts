import type { KeyRecord, KeyStorage, RotateChange } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  type Hold,
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
/** Longer than any call takes from its beginning to its decision, unless it is held up. */
const MINUTE_MS = 60_000
/** How long a call is held up, and after which part of that its key ends. */
const HELD_MS = 50
const SOON_MS = 20
const PAUSE = { pausedAtMs: 1, pausedBy: { id: 'u_1', name: 'Sami' } }

/** What changes a key, at an instant. */
const CHANGES: Readonly<Record<string, ChangeKey>> = {
  'an update': (storage, record, updatedAtMs) =>
    storage.update({ ...sampleUpdateChange(record), updatedAtMs }),
  'a later expiry': (storage, record, updatedAtMs) =>
    storage.update({ ...laterExpiry(record, 1), updatedAtMs }),
  'no expiry': (storage, record, updatedAtMs) =>
    storage.update({ ...sampleUpdateChange(record, { expiresAtMs: null }), updatedAtMs }),
  'a pause': (storage, record, updatedAtMs) =>
    storage.update({ ...sampleUpdateChange(record, PAUSE), updatedAtMs }),
  'a resumption': (storage, record, updatedAtMs) => {
    const resumed = { pausedAtMs: null, pausedBy: null }
    return storage.update({ ...sampleUpdateChange(record, resumed), updatedAtMs })
  },
  'a rotation': (storage, record, rotatedAtMs) =>
    storage.rotate({ ...sampleRotateChange(record), rotatedAtMs }),
  'a rotation with an overlap': (storage, record, rotatedAtMs) =>
    storage.rotate(withOverlap(record, rotatedAtMs)),
}

type ChangeKey = (
  storage: KeyStorage,
  record: KeyRecord,
  atMs: number,
) => Promise<{ readonly outcome: string }>

/** A key that has expired for anybody stays expired, however long a call has waited. */
export const finalCases = contractGroup('expired is final', {
  'nothing changes a key at its end': (storage) =>
    eachChange(storage, async (change, record) => {
      for (const atMs of [END_MS, END_MS + 1]) {
        checkEqual(await change(storage, record, atMs), { outcome: 'expired', record }, 'outcome')
      }
      await checkUnchanged(storage, record)
    }),

  'everything changes it a minute before': (storage) =>
    eachChange(storage, async (change, record) => {
      const { outcome } = await change(storage, record, END_MS - MINUTE_MS)
      check(['updated', 'rotated'].includes(outcome), `the outcome is ${outcome}`)
    }),

  'an end that is a second away cannot be moved later': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    for (const expiresAtMs of [END_MS + 1, null]) {
      const update = sampleUpdateChange(record, { expiresAtMs })
      const outcome = await storage.update({ ...update, updatedAtMs: END_MS - 1_000 })
      checkEqual(outcome, { outcome: 'expired', record }, 'update')
    }
    await checkUnchanged(storage, record)
  },

  'a repeat of what was stored before the end is no change': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    const updatedAtMs = END_MS - MINUTE_MS
    const update = { ...sampleUpdateChange(record), updatedAtMs }
    const first = await storage.update(update)
    checkEqual(await storage.update({ ...update, updatedAtMs: END_MS }), first, 'the repeat')
  },

  'a key at another version has expired too': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    const update = { ...sampleUpdateChange(record), version: 7, updatedAtMs: END_MS }
    checkEqual(await storage.update(update), { outcome: 'expired', record }, 'update')
    const rotation = { ...sampleRotateChange(record), version: 7, rotatedAtMs: END_MS }
    checkEqual(await storage.rotate(rotation), { outcome: 'expired', record }, 'rotate')
  },

  'a key that was revoked is stale': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    await storage.revoke(sampleRevokeChange(record))
    const revoked = await stored(storage, record)
    const update = { ...sampleUpdateChange(revoked), updatedAtMs: END_MS }
    checkEqual(await storage.update(update), { outcome: 'stale', record: revoked }, 'update')
  },

  'what an insert has counted as expired no earlier clock changes': (storage) =>
    eachChange(storage, async (change, record) => {
      await insertAt(storage, record.workspaceId, END_MS)
      const outcome = await change(storage, record, END_MS - MINUTE_MS)
      checkEqual(outcome, { outcome: 'expired', record }, 'the outcome')
      await checkUnchanged(storage, record)
    }),

  'an insert by an earlier clock does not count it either': async (storage) => {
    await inserted(storage, { expiresAtMs: END_MS })
    await insertAt(storage, WORKSPACE, END_MS)
    const outcome = await insertAt(storage, WORKSPACE, END_MS - MINUTE_MS, 1)
    checkEqual(outcome, { inserted: false, activeKeys: 1 }, 'insert')
  },

  'an insert without a limit counts nothing': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    await inserted(storage, { createdAtMs: END_MS })
    const update = { ...sampleUpdateChange(record), updatedAtMs: END_MS - MINUTE_MS }
    checkEqual((await storage.update(update)).outcome, 'updated', 'update')
  },

  'a count in one workspace says nothing about another': async (storage) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    await inserted(storage, { workspaceId: 'ws_other', expiresAtMs: END_MS })
    await insertAt(storage, 'ws_other', END_MS)
    const update = { ...sampleUpdateChange(record), updatedAtMs: END_MS - MINUTE_MS }
    checkEqual((await storage.update(update)).outcome, 'updated', 'update')
  },

  'a clock that is an hour ahead ends only the keys of the next minute': async (storage) => {
    const nowMs = Date.now()
    const soon = await inserted(storage, { expiresAtMs: nowMs + MINUTE_MS / 2 })
    const later = await inserted(storage, { expiresAtMs: nowMs + 30 * MINUTE_MS })
    await insertAt(storage, WORKSPACE, nowMs + 60 * MINUTE_MS)
    const update = (record: KeyRecord) =>
      storage.update({ ...sampleUpdateChange(record), updatedAtMs: nowMs })
    checkEqual((await update(soon)).outcome, 'expired', 'the key that ends in half a minute')
    checkEqual((await update(later)).outcome, 'updated', 'the key that ends in half an hour')
  },

  'a change that waits until the key has expired changes nothing': (storage, hold) =>
    eachChange(storage, async (change, record) => {
      const heldUp = await holdUp(storage, hold, () => change(storage, record, END_MS - SOON_MS))
      if (hold === null) return
      checkEqual(heldUp, { outcome: 'expired', record }, 'the outcome')
      await checkUnchanged(storage, record)
    }),

  'a later expiry that waits until it is too late is refused': async (storage, hold) => {
    const record = await inserted(storage, { expiresAtMs: END_MS })
    const updatedAtMs = END_MS - 1_000 - SOON_MS
    const update = { ...laterExpiry(record, MINUTE_MS), updatedAtMs }
    const { outcome } = await holdUp(storage, hold, () => storage.update(update))
    if (hold !== null) checkEqual(outcome, 'expired', 'the outcome')
  },

  'an insert that waits until a key has expired takes its place': async (storage, hold) => {
    await inserted(storage, { expiresAtMs: END_MS })
    const insert = () => insertAt(storage, WORKSPACE, END_MS - SOON_MS, 1)
    const { inserted: isInserted } = await holdUp(storage, hold, insert)
    if (hold !== null) check(isInserted, 'it is inserted')
  },

  'a rotation that waits until an overlap is over finds its room': async (storage, hold) => {
    const [old, record] = await insertedMany(storage, 2)
    check(old !== undefined && record !== undefined, 'the keys are stored')
    const first = { ...sampleRotateChange(old), retiresAtMs: END_MS }
    checkEqual((await storage.rotate(first)).outcome, 'rotated', 'the first rotation')
    const late = { ...sampleRotateChange(record), rotatedAtMs: END_MS - SOON_MS }
    const retiresAtMs = END_MS + MINUTE_MS
    const rotate = () => storage.rotate({ ...late, retiresAtMs, retiringLimit: 1 })
    const { outcome } = await holdUp(storage, hold, rotate)
    if (hold !== null) checkEqual(outcome, 'rotated', 'the outcome')
  },

  'a revocation that waits until an overlap is over writes no event': async (storage, hold) => {
    const record = await inserted(storage)
    await storage.rotate({ ...sampleRotateChange(record), retiresAtMs: END_MS })
    const revoke = () => storage.revoke(sampleRevokeChange(record, END_MS - SOON_MS))
    const { outcome } = await holdUp(storage, hold, revoke)
    const { revokedAtMs } = await stored(storage, record)
    check(revokedAtMs !== null, 'the key is revoked')
    if (hold !== null) checkEqual([outcome, revokedAtMs], ['already_revoked', END_MS], 'the end')
  },
})

/** Runs a case for each change, on a key of its own that expires. */
async function eachChange(
  storage: KeyStorage,
  run: (change: ChangeKey, record: KeyRecord) => Promise<void>,
): Promise<void> {
  for (const [name, change] of Object.entries(CHANGES)) {
    const workspaceId = `ws ${name}`
    const pause = name === 'a resumption' ? PAUSE : {}
    const record = await inserted(storage, { workspaceId, expiresAtMs: END_MS, ...pause })
    await run(change, record)
  }
}

/** A change that the storage can only decide about 50 milliseconds after its call. */
async function holdUp<T>(
  storage: KeyStorage,
  hold: Hold | null,
  call: () => Promise<T>,
): Promise<T> {
  const release = await hold?.(storage)
  const outcome = call()
  if (release !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, HELD_MS))
    await release()
  }
  return outcome
}

async function checkUnchanged(storage: KeyStorage, record: KeyRecord): Promise<void> {
  checkEqual(await stored(storage, record), record, 'the key')
  const events = await eventsOf(storage, record.workspaceId)
  checkEqual(events.filter(({ keyId }) => keyId === record.id).length, 1, 'the number of events')
}

function insertAt(storage: KeyStorage, workspaceId: string, createdAtMs: number, limit = 5) {
  const record = sampleRecord({ workspaceId, createdAtMs })
  return storage.insert(record, limit, sampleCreatedEvent(record))
}

function laterExpiry(record: KeyRecord, byMs: number) {
  return sampleUpdateChange(record, { expiresAtMs: END_MS + byMs })
}

function withOverlap(record: KeyRecord, rotatedAtMs: number): RotateChange {
  const retiresAtMs = Math.min(rotatedAtMs + MINUTE_MS, END_MS)
  return { ...sampleRotateChange(record), rotatedAtMs, retiresAtMs }
}
