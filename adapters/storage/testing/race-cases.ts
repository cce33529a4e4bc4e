import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  activeKeysOf,
  contractGroup,
  eventsOf,
  firstPage,
  inParallel,
  inserted,
  replacedBy,
  revokedBy,
  stored,
  unused,
} from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  WORKSPACE,
} from './samples.ts'

/** Calls that compete for one key: one wins, the others learn of it, and no dead key comes back. */
export const raceCases = contractGroup('races', {
  '100 parallel revocations leave one event and one instant': async (storage) => {
    const record = await inserted(storage)
    const outcomes = await inParallel(100, (index) =>
      storage.revoke(sampleRevokeChange(record, record.createdAtMs + index)),
    )
    checkEqual(outcomes.filter(({ outcome }) => outcome === 'revoked').length, 1, 'how many won')
    const { revokedAtMs } = await stored(storage, record)
    const instants = outcomes.map((answer) => 'record' in answer && answer.record.revokedAtMs)
    checkEqual(new Set(instants).size, 1, 'the number of instants')
    checkEqual(instants[0], revokedAtMs, 'the instant in the answers')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'rotation against revocation: one wins and the old key is dead': async (storage) => {
    for (let round = 0; round < 20; round += 1) await rotateAgainstRevoke(storage, round)
  },

  'rotations and revocations of one key at once': async (storage) => {
    const record = await inserted(storage)
    const outcomes = await inParallel(
      60,
      (index): Promise<{ readonly outcome: string }> =>
        index % 3 === 0
          ? storage.revoke(sampleRevokeChange(record))
          : storage.rotate(sampleRotateChange(record)),
    )
    const winners = outcomes.filter(({ outcome }) => outcome === 'rotated' || outcome === 'revoked')
    checkEqual(winners.length, 1, 'how many won')
    const live = winners[0]?.outcome === 'rotated' ? 1 : 0
    checkEqual(await activeKeysOf(storage, WORKSPACE), live, 'activeKeys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'a revocation that has answered is seen by every later lookup': async (storage) => {
    for (let round = 0; round < 20; round += 1) {
      const record = await inserted(storage)
      const lookups = inParallel(10, async () => storage.findByHash(record.hash))
      await storage.revoke(sampleRevokeChange(record))
      const later = await inParallel(10, async () => storage.findByHash(record.hash))
      await lookups
      const alive = later.filter((found) => found?.revokedAtMs === null)
      checkEqual(alive.length, 0, 'lookups that saw the key alive')
    }
  },

  'revocation against use counting: the key dies and every use counts': async (storage) => {
    for (let round = 0; round < 20; round += 1) await revokeAgainstUses(storage, round)
  },

  'rotation against use counting: the counts stay with the old key': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record)
    const uses = [{ id: record.id, uses: 2, lastUsedAtMs: record.createdAtMs + 5 }]
    const counting = inParallel(10, (index) =>
      storage.addUses({ writer: `writer_${index}`, sequence: 1, uses }),
    )
    await Promise.all([storage.rotate(change), counting])
    const counted = { uses: 20, lastUsedAtMs: record.createdAtMs + 5 }
    const expected = { ...replacedBy(record, change), ...counted }
    checkEqual(await stored(storage, record), expected, 'the old key')
    checkEqual(await stored(storage, change.replacement), unused(change.replacement), 'the new key')
  },

  'inserts, rotations and revocations at once stay within the limit': async (storage) => {
    const seeds = await inParallel(3, () => inserted(storage))
    await inParallel(90, (index) => randomChange(storage, seeds, index))
    const { records, activeKeys } = await firstPage(storage, WORKSPACE)
    check(activeKeys <= 5, `at most 5 keys are active, there are ${activeKeys}`)
    const active = records.filter(({ revokedAtMs }) => revokedAtMs === null)
    checkEqual(active.length, activeKeys, 'the active keys that are listed')
    const revoked = records.length - active.length
    const replaced = records.filter((key) => key.replacedBy !== null).length
    const created = records.length - replaced
    const events = await eventsOf(storage, WORKSPACE)
    checkEqual(events.length, created + revoked, 'one event for each change')
  },
})

async function rotateAgainstRevoke(storage: KeyStorage, round: number): Promise<void> {
  const record = await inserted(storage, { workspaceId: `ws_${round}` })
  const rotation = sampleRotateChange(record)
  const rotate = () => storage.rotate(rotation)
  const revoke = () => storage.revoke(sampleRevokeChange(record))
  const [rotated, revoked] =
    round % 2 === 0
      ? await Promise.all([rotate(), revoke()])
      : (await Promise.all([revoke(), rotate()])).toReversed()
  const rotationWon = rotated?.outcome === 'rotated'
  checkEqual(revoked?.outcome, rotationWon ? 'already_revoked' : 'revoked', 'the other outcome')
  const old = await stored(storage, record)
  check(old.revokedAtMs !== null, 'the old key is dead')
  checkEqual(old.replacedBy, rotationWon ? rotation.replacement.id : null, 'replacedBy')
  const successor = await storage.findByHash(rotation.replacement.hash)
  checkEqual(successor !== null, rotationWon, 'whether there is a successor')
  checkEqual((await eventsOf(storage, record.workspaceId)).length, 2, 'the number of events')
}

async function revokeAgainstUses(storage: KeyStorage, round: number): Promise<void> {
  const record = await inserted(storage, { workspaceId: `ws_${round}` })
  const change = sampleRevokeChange(record)
  const lastUsedAtMs = change.revokedAtMs + 1
  const count = (writer: number) =>
    storage.addUses({
      writer: `writer_${round}_${writer}`,
      sequence: 1,
      uses: [{ id: record.id, uses: 3, lastUsedAtMs }],
    })
  await Promise.all([count(1), count(2), storage.revoke(change), count(3), count(4)])
  const expected = { ...revokedBy(record, change), uses: 12, lastUsedAtMs }
  checkEqual(await stored(storage, record), expected, 'the key')
}

async function randomChange(storage: KeyStorage, seeds: readonly KeyRecord[], index: number) {
  const seed = seeds[index % seeds.length]
  if (index % 5 === 0 && seed) await storage.revoke(sampleRevokeChange(seed))
  else if (index % 5 < 3 && seed) await storage.rotate(sampleRotateChange(seed))
  else {
    const record = sampleRecord()
    await storage.insert(record, 5, sampleCreatedEvent(record))
  }
}
