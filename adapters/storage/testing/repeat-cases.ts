import { checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  firstPage,
  inParallel,
  inserted,
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

/** A caller that lost an answer repeats the call, and nothing happens twice. */
export const repeatCases = contractGroup('repeats', {
  'a confirmation changes no key and adds no event': async (storage) => {
    const record = await inserted(storage)
    const before = await stored(storage, record)
    for (const workspaceId of [WORKSPACE, 'ws_unknown', WORKSPACE]) {
      const { sequence = 0 } = await storage.confirm(workspaceId)
      checkEqual(Number.isSafeInteger(sequence), true, 'whether the sequence is a whole number')
    }
    checkEqual(await stored(storage, record), before, 'the key')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 1, 'the number of events')
  },

  'an insert repeated under another event adds no event': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    await storage.insert(record, null, event)
    const again = await storage.insert(record, null, sampleCreatedEvent(record))
    checkEqual(again, { inserted: true }, 'insert')
    checkEqual(await eventsOf(storage, WORKSPACE), [event], 'the events')
  },

  'an insert repeated after a revocation does not revive the key': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    await storage.insert(record, null, event)
    const change = sampleRevokeChange(record)
    await storage.revoke(change)
    checkEqual(await storage.insert(record, null, event), { inserted: true }, 'insert')
    checkEqual((await stored(storage, record)).revokedAtMs, change.revokedAtMs, 'revokedAtMs')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'one insert sent 20 times at once, and again at the limit, is stored once': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    const outcomes = await inParallel(20, () => storage.insert(record, 1, event))
    checkEqual(outcomes, Array(20).fill({ inserted: true }), 'the outcomes')
    checkEqual(await storage.insert(record, 1, event), { inserted: true }, 'at the limit')
    checkEqual((await firstPage(storage, WORKSPACE)).records, [unused(record)], 'the keys')
    checkEqual(await eventsOf(storage, WORKSPACE), [event], 'the events')
  },

  'a rotation repeated later answers with both keys as they stand': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record)
    await storage.rotate(change)
    await storage.revoke(sampleRevokeChange(change.replacement))
    const replaced = await stored(storage, record)
    const replacement = await stored(storage, change.replacement)
    const again = await storage.rotate(change)
    checkEqual(again, { outcome: 'rotated', replaced, replacement }, 'rotate')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 3, 'the number of events')
  },

  'one rotation sent 20 times at once is stored once': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record)
    const outcomes = await inParallel(20, () => storage.rotate(change))
    checkEqual(
      outcomes.map(({ outcome }) => outcome),
      Array(20).fill('rotated'),
      'the outcomes',
    )
    checkEqual((await firstPage(storage, WORKSPACE)).records.length, 2, 'the number of keys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },
})
