import type { KeyRecord, RotateChange } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  firstPage,
  inParallel,
  inserted,
  insertedMany,
  recordOf,
  replacedBy,
  revokedBy,
  stored,
  unused,
} from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, sampleUpdateChange, WORKSPACE } from './samples.ts'

const HOUR_MS = 3_600_000

/** A rotation whose old key keeps working for a while, and never for longer than was said. */
export const overlapCases = contractGroup('overlap', {
  'rotate with an overlap sets the end of the old key': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    const replaced = replacedBy(record, change)
    const replacement = unused(change.replacement)
    checkEqual(
      await storage.rotate(change),
      { outcome: 'rotated', replaced, replacement },
      'rotate',
    )
    checkEqual(await storage.findByHash(record.hash), recordOf(replaced), 'the old key')
    checkEqual((await stored(storage, record)).revokedAtMs, null, 'revokedAtMs')
  },

  'a repeated rotation answers with the first end': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    const first = await storage.rotate(change)
    const again = await storage.rotate({ ...change, retiresAtMs: endOf(change) + HOUR_MS })
    checkEqual(again, first, 'the second answer')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'a key that is being replaced is neither rotated nor updated again': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    await storage.rotate(change)
    const old = await stored(storage, record)
    const stale = { outcome: 'stale', record: old }
    const { version } = old
    checkEqual(await storage.rotate({ ...withOverlap(record), version }), stale, 'rotate')
    checkEqual(await storage.update(sampleUpdateChange(old)), stale, 'update')
    checkEqual(await stored(storage, record), old, 'the key')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'revocation ends an overlap early': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    await storage.rotate(change)
    const revocation = sampleRevokeChange(record, endOf(change) - HOUR_MS / 2)
    const revoked = revokedBy(replacedBy(record, change), revocation)
    checkEqual(await storage.revoke(revocation), { outcome: 'revoked', record: revoked }, 'revoke')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 3, 'the number of events')
  },

  'revocation after the overlap moves nothing, and makes the end firm': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    await storage.rotate(change)
    const outcome = await storage.revoke(sampleRevokeChange(record, endOf(change)))
    checkEqual(outcome.outcome, 'already_revoked', 'the outcome')
    checkEqual((await stored(storage, record)).revokedAtMs, change.retiresAtMs, 'revokedAtMs')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'rotating or revoking the successor leaves the end of its predecessor': async (storage) => {
    const record = await inserted(storage)
    const change = withOverlap(record)
    await storage.rotate(change)
    const before = await stored(storage, record)
    const next = withOverlap(change.replacement)
    await storage.rotate(next)
    await storage.revoke(sampleRevokeChange(next.replacement))
    checkEqual(await stored(storage, record), before, 'the first key')
  },

  'ten keys over a limit of 5, all rotated with an overlap: 5 are retiring': async (storage) => {
    const records = await insertedMany(storage, 10)
    const outcomes = await inParallel(10, (index) =>
      storage.rotate({ ...withOverlap(records[index]), retiringLimit: 5 }),
    )
    const refused = outcomes.filter(({ outcome }) => outcome === 'too_many_retiring')
    checkEqual(refused, Array(5).fill({ outcome: 'too_many_retiring', retiringKeys: 5 }), 'refused')
    const { records: keys } = await firstPage(storage, WORKSPACE)
    checkEqual(keys.filter(({ retiresAtMs }) => retiresAtMs !== null).length, 5, 'retiring keys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 15, 'the number of events')
  },

  'keys whose overlap is over make room, and without an overlap none is needed': async (
    storage,
  ) => {
    const [first, second, third] = await insertedMany(storage, 3)
    const change = { ...withOverlap(first), retiringLimit: 1 }
    await storage.rotate(change)
    const late = { ...withOverlap(second), retiringLimit: 1, rotatedAtMs: endOf(change) }
    const retiresAtMs = endOf(change) + HOUR_MS
    checkEqual((await storage.rotate({ ...late, retiresAtMs })).outcome, 'rotated', 'afterwards')
    const hard = { ...sampleRotateChange(third ?? late.replacement), retiringLimit: 0 }
    checkEqual((await storage.rotate(hard)).outcome, 'rotated', 'without an overlap')
  },

  '200 rotations with and without an overlap at once leave one successor': async (storage) => {
    const record = await inserted(storage)
    const outcomes = await inParallel(200, (index) =>
      storage.rotate(index % 2 === 0 ? withOverlap(record) : sampleRotateChange(record)),
    )
    checkEqual(outcomes.filter(({ outcome }) => outcome === 'rotated').length, 1, 'how many won')
    checkEqual(outcomes.filter(({ outcome }) => outcome === 'stale').length, 199, 'the others')
    const { records, activeKeys } = await firstPage(storage, WORKSPACE)
    checkEqual([records.length, activeKeys], [2, 1], 'keys and active keys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'a rotation that was made from another version is refused': async (storage) => {
    const record = await inserted(storage)
    await storage.update(sampleUpdateChange(record, { scopes: ['contacts.read'] }))
    const change = sampleRotateChange(record)
    const current = await stored(storage, record)
    checkEqual(await storage.rotate(change), { outcome: 'stale', record: current }, 'rotate')
    checkEqual(await storage.findByHash(change.replacement.hash), null, 'the replacement')
  },
})

function withOverlap(record: KeyRecord | undefined): RotateChange {
  check(record !== undefined, 'the key was inserted')
  const change = sampleRotateChange(record)
  return { ...change, retiresAtMs: change.rotatedAtMs + HOUR_MS }
}

function endOf({ retiresAtMs }: RotateChange): number {
  check(retiresAtMs !== null, 'the rotation has an overlap')
  return retiresAtMs
}
