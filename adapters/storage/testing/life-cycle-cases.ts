import { checkEqual } from './assertions.ts'
import {
  activeKeysOf,
  contractGroup,
  eventsOf,
  firstPage,
  inserted,
  recordOf,
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
  sampleUpdateChange,
} from './samples.ts'

/** What each method does to one key, and every outcome it can answer with. */
export const lifeCycleCases = contractGroup('life cycle', {
  'an empty storage finds nothing': async (storage) => {
    const record = sampleRecord()
    checkEqual(await storage.findByHash(record.hash), null, 'findByHash')
    checkEqual(await storage.findById(record.workspaceId, record.id), null, 'findById')
    const page = { records: [], more: false, activeKeys: 0, total: 0 }
    checkEqual(await firstPage(storage, record.workspaceId), page, 'list')
    checkEqual(await eventsOf(storage, record.workspaceId), [], 'events')
  },

  'insert stores the record and its event': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    checkEqual(await storage.insert(record, 5, event), { inserted: true }, 'insert')
    checkEqual(await storage.findByHash(record.hash), recordOf(record), 'findByHash')
    checkEqual(await storage.findById(record.workspaceId, record.id), unused(record), 'findById')
    const page = { records: [unused(record)], more: false, activeKeys: 1, total: 1 }
    checkEqual(await firstPage(storage, record.workspaceId), page, 'list')
    checkEqual(await eventsOf(storage, record.workspaceId), [event], 'events')
  },

  'insert keeps every field as given': async (storage) => {
    const record = sampleRecord({
      environment: 'test',
      scopes: [],
      createdAtMs: 0,
      version: 7,
      updatedAtMs: -1,
      expiresAtMs: 8_640_000_000_000_000,
      pausedAtMs: 5,
      pausedBy: { id: 'u_pause', name: 'Sami' },
      revokedAtMs: 8_640_000_000_000_000,
      metadata: { team: 'sales', 'a.b-c_1': '' },
    })
    await storage.insert(record, null, sampleCreatedEvent(record))
    checkEqual(await storage.findByHash(record.hash), recordOf(record), 'findByHash')
    checkEqual(await stored(storage, record), unused(record), 'findById')
    checkEqual(await activeKeysOf(storage, record.workspaceId), 0, 'activeKeys')
  },

  'revoke sets revokedAtMs and stores the event': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRevokeChange(record)
    const revoked = revokedBy(record, change)
    checkEqual(await storage.revoke(change), { outcome: 'revoked', record: revoked }, 'revoke')
    checkEqual(await storage.findByHash(record.hash), recordOf(revoked), 'findByHash')
    checkEqual(await stored(storage, record), revoked, 'findById')
    checkEqual((await eventsOf(storage, record.workspaceId))[1], change.event, 'the second event')
    checkEqual(await activeKeysOf(storage, record.workspaceId), 0, 'activeKeys')
  },

  'a second revoke moves nothing and adds no event': async (storage) => {
    const record = await inserted(storage)
    const first = sampleRevokeChange(record)
    await storage.revoke(first)
    const again = await storage.revoke(sampleRevokeChange(record, first.revokedAtMs + 1))
    const revoked = revokedBy(record, first)
    checkEqual(again, { outcome: 'already_revoked', record: revoked }, 'revoke')
    checkEqual(await stored(storage, record), revoked, 'the record')
    checkEqual((await eventsOf(storage, record.workspaceId)).length, 2, 'the number of events')
  },

  'instant 0 revokes like any other': async (storage) => {
    const record = await inserted(storage, { createdAtMs: 0 })
    await storage.revoke(sampleRevokeChange(record, 0))
    checkEqual((await stored(storage, record)).revokedAtMs, 0, 'revokedAtMs')
    checkEqual(await activeKeysOf(storage, record.workspaceId), 0, 'activeKeys')
    const rotated = await storage.rotate(sampleRotateChange(record))
    checkEqual(rotated.outcome, 'stale', 'rotate')
  },

  'no change of an unknown id changes anything': async (storage) => {
    const bystander = await inserted(storage)
    const stranger = sampleRecord()
    const notFound = { outcome: 'not_found' }
    checkEqual(await storage.revoke(sampleRevokeChange(stranger)), notFound, 'revoke')
    const rotation = sampleRotateChange(stranger)
    checkEqual(await storage.rotate(rotation), notFound, 'rotate')
    checkEqual(await storage.update(sampleUpdateChange(stranger)), notFound, 'update')
    checkEqual(await storage.findByHash(rotation.replacement.hash), null, 'the replacement')
    const page = await firstPage(storage, bystander.workspaceId)
    checkEqual(page.records, [bystander], 'the keys')
    checkEqual((await eventsOf(storage, bystander.workspaceId)).length, 1, 'the number of events')
  },

  'rotate revokes, replaces, links and records in one step': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record)
    const replacement = unused(change.replacement)
    const replaced = replacedBy(record, change)
    const outcome = await storage.rotate(change)
    checkEqual(outcome, { outcome: 'rotated', replaced, replacement }, 'rotate')
    checkEqual(await storage.findByHash(record.hash), recordOf(replaced), 'the old key')
    checkEqual(await storage.findByHash(replacement.hash), recordOf(replacement), 'the new key')
    const page = { records: [replacement, replaced], more: false, activeKeys: 1, total: 2 }
    checkEqual(await firstPage(storage, record.workspaceId), page, 'list')
    checkEqual((await eventsOf(storage, record.workspaceId))[1], change.event, 'the second event')
  },

  'rotate links the replacement even if it came without a link': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRotateChange(record, { replaces: null })
    await storage.rotate(change)
    const replacement = unused({ ...change.replacement, replaces: record.id })
    checkEqual(await stored(storage, change.replacement), replacement, 'the new key')
  },

  'rotate and update of a revoked key change nothing': async (storage) => {
    const record = await inserted(storage)
    await storage.revoke(sampleRevokeChange(record))
    const before = await firstPage(storage, record.workspaceId)
    const change = sampleRotateChange(record)
    const stale = { outcome: 'stale', record: await stored(storage, record) }
    checkEqual(await storage.rotate(change), stale, 'rotate')
    checkEqual(await storage.update(sampleUpdateChange(stale.record)), stale, 'update')
    checkEqual(await firstPage(storage, record.workspaceId), before, 'the keys')
    checkEqual(await storage.findByHash(change.replacement.hash), null, 'the new key')
    checkEqual((await eventsOf(storage, record.workspaceId)).length, 2, 'the number of events')
  },

  'a replacement can be rotated and revoked in turn': async (storage) => {
    const first = await inserted(storage)
    const toSecond = sampleRotateChange(first)
    await storage.rotate(toSecond)
    const toThird = sampleRotateChange(toSecond.replacement)
    await storage.rotate(toThird)
    await storage.revoke(sampleRevokeChange(toThird.replacement))
    const { records, activeKeys } = await firstPage(storage, first.workspaceId)
    const links = records.map(({ replaces, replacedBy }) => [replaces, replacedBy])
    const [second, third] = [toSecond.replacement.id, toThird.replacement.id]
    checkEqual(
      links,
      [
        [second, null],
        [first.id, third],
        [null, second],
      ],
      'the links',
    )
    checkEqual(activeKeys, 0, 'activeKeys')
  },
})
