import type { KeyStorage, RevokeManyChange, StoredKey } from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  inParallel,
  inserted,
  insertedMany,
  revokedBy,
  stored,
} from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, sampleUpdateChange, WORKSPACE } from './samples.ts'

const HOUR_MS = 3_600_000

/** Several keys revoked in one step, each only if it still is as the caller has read it. */
export const bulkCases = contractGroup('bulk revocation', {
  'revokes each key with its event, paused ones too, and leaves the others': async (storage) => {
    const [first, second, other] = await insertedMany(storage, 3)
    if (!first || !second || !other) return
    await storage.update(sampleUpdateChange(second, { pausedAtMs: 5, pausedBy: second.creator }))
    const keys = [first, await stored(storage, second)]
    const change = revocationOf(keys)
    checkEqual(await storage.revokeMany(change), { revoked: keys.map(idOf) }, 'revokeMany')
    for (const key of keys) {
      const revoked = revokedBy(key, sampleRevokeChange(key))
      checkEqual(await stored(storage, key), revoked, 'a revoked key')
    }
    checkEqual(await stored(storage, other), other, 'the other key')
    const events = (await eventsOf(storage, WORKSPACE)).slice(-2)
    checkEqual(events, change.keys.map(eventIn), 'the events')
  },

  'passes over what is at another version, revoked, foreign or unknown': async (storage) => {
    const [changed, revoked, fine] = await insertedMany(storage, 3)
    if (!changed || !revoked || !fine) return
    const foreign = await inserted(storage, { workspaceId: 'ws_other' })
    await storage.update(sampleUpdateChange(changed))
    await storage.revoke(sampleRevokeChange(revoked))
    const before = [changed, revoked, foreign].map((key) => stored(storage, key))
    const kept = await Promise.all(before)
    const change = revocationOf([changed, revoked, foreign, { ...fine, id: 'key_unknown' }, fine])
    checkEqual(await storage.revokeMany(change), { revoked: [fine.id] }, 'revokeMany')
    for (const key of kept) checkEqual(await stored(storage, key), key, 'a key passed over')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 6, 'the number of events')
    checkEqual((await eventsOf(storage, 'ws_other')).length, 1, 'the number of foreign events')
    const nobody = { ...change, workspaceId: 'ws_unknown' }
    checkEqual(await storage.revokeMany(nobody), { revoked: [] }, 'in an unknown workspace')
  },

  'passes over keys that were used, or created, after an instant': async (storage) => {
    const [used, unusedKey] = await insertedMany(storage, 2)
    if (!used || !unusedKey) return
    const late = await inserted(storage, { createdAtMs: used.createdAtMs + 1 })
    const uses = [{ id: used.id, uses: 1, lastUsedAtMs: used.createdAtMs + 1 }]
    await storage.addUses({ writer: 'writer_1', sequence: 1, uses })
    const change = revocationOf([used, unusedKey, late])
    const unusedOnly = { ...change, notUsedAfterMs: used.createdAtMs }
    checkEqual(await storage.revokeMany(unusedOnly), { revoked: [unusedKey.id] }, 'the first call')
    const all = await storage.revokeMany({ ...change, notUsedAfterMs: used.createdAtMs + 1 })
    checkEqual(all, { revoked: [used, unusedKey, late].map(idOf) }, 'a call with a later instant')
  },

  'ends an overlap, but not one that is over': async (storage) => {
    const early = await retiring(storage, 2 * HOUR_MS)
    const over = await retiring(storage, HOUR_MS)
    const change = revocationOf([early, over])
    checkEqual(await storage.revokeMany(change), { revoked: [early.id] }, 'revokeMany')
    const ends = [early, over].map(async (key) => (await stored(storage, key)).revokedAtMs)
    checkEqual(await Promise.all(ends), [change.revokedAtMs, over.retiresAtMs], 'revokedAtMs')
  },

  'one call sent 20 times at once, and again, is stored once': async (storage) => {
    const keys = await insertedMany(storage, 3)
    const change = revocationOf(keys)
    const answers = await inParallel(20, () => storage.revokeMany(change))
    checkEqual(answers, Array(20).fill({ revoked: keys.map(idOf) }), 'the answers')
    checkEqual(await storage.revokeMany(change), answers[0], 'once more')
    checkEqual(await storage.revokeMany(revocationOf(keys)), { revoked: [] }, 'another call')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 6, 'the number of events')
  },

  '20 calls for one key revoke it once': async (storage) => {
    const key = await inserted(storage)
    const answers = await inParallel(20, () => storage.revokeMany(revocationOf([key])))
    checkEqual(
      answers.flatMap(({ revoked }) => revoked),
      [key.id],
      'who has revoked it',
    )
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },
})

/** The revocation of keys as they were read, one hour after their creation. */
export function revocationOf(keys: readonly StoredKey[]): RevokeManyChange {
  const changes = keys.map((key) => ({ ...sampleRevokeChange(key), version: key.version }))
  const [first] = changes
  return {
    workspaceId: WORKSPACE,
    revokedAtMs: first?.revokedAtMs ?? 0,
    keys: changes.map(({ id, version, event }) => ({ id, version, event })),
  }
}

/** A key whose replacement was made `ms` before its overlap ends, counted from its creation. */
async function retiring(storage: KeyStorage, ms: number): Promise<StoredKey> {
  const record = await inserted(storage)
  const change = sampleRotateChange(record)
  await storage.rotate({
    ...change,
    retiresAtMs: record.createdAtMs + ms,
    rotatedAtMs: record.createdAtMs,
    replacement: { ...change.replacement, createdAtMs: record.createdAtMs },
  })
  return stored(storage, record)
}

function idOf({ id }: StoredKey): string {
  return id
}

function eventIn({ event }: RevokeManyChange['keys'][number]) {
  return event
}
