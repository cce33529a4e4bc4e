import type { AuditEventRecord, EventQuery, KeyStorage } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, inserted, insertedMany } from './contract-case.ts'
import { sampleRevokeChange, sampleUpdateChange, WORKSPACE } from './samples.ts'

/** One event for each change, in the order of the changes, and never touched again. */
export const eventCases = contractGroup('events', {
  'the order is that of the changes, whatever atMs says': async (storage) => {
    const records = await insertedMany(storage, 6, (index) => ({ createdAtMs: 1_000 - index }))
    const keyIds = (await eventsOf(storage, WORKSPACE)).map(({ keyId }) => keyId)
    checkEqual(
      keyIds,
      records.map(({ id }) => id),
      'the keys of the events',
    )
  },

  'a cursor walk sees each event exactly once, also those that come meanwhile': async (storage) => {
    await insertedMany(storage, 10)
    const seen: AuditEventRecord[] = []
    for (let page = await after(storage, null, 3); page.length > 0; ) {
      seen.push(...page)
      check(page.length <= 3, 'a page has at most 3 events')
      if (seen.length < 20) await inserted(storage)
      page = await after(storage, seen.at(-1)?.id ?? null, 3)
    }
    checkEqual(seen, await eventsOf(storage, WORKSPACE), 'the events')
  },

  'a page is full as long as events follow it': async (storage) => {
    await insertedMany(storage, 7)
    const lengths: number[] = []
    let cursor: string | null = null
    do {
      const page: readonly AuditEventRecord[] = await after(storage, cursor, 3)
      lengths.push(page.length)
      cursor = page.at(-1)?.id ?? null
    } while (cursor !== null)
    checkEqual(lengths, [3, 3, 1, 0], 'the lengths of the pages')
  },

  'a cursor that is unknown or foreign answers null': async (storage) => {
    await inserted(storage)
    await inserted(storage, { workspaceId: 'ws_other' })
    const [foreign] = await eventsOf(storage, 'ws_other')
    for (const cursor of ['evt_unknown', '', foreign?.id ?? '']) {
      const answer = await storage.events(WORKSPACE, { after: cursor, limit: 5 })
      checkEqual(answer, null, `events after ${JSON.stringify(cursor)}`)
    }
  },

  'the events of one key, in both orders and in pages': async (storage) => {
    const { record, own } = await threeEventsAmongOthers(storage)
    for (const newestFirst of [false, true]) {
      const query = { keyId: record.id, newestFirst }
      const expected = newestFirst ? own.toReversed() : own
      checkEqual(await walk(storage, query, 2), expected, `the events, ${JSON.stringify(query)}`)
    }
  },

  'all events, the newest first, are those of the log backwards': async (storage) => {
    await threeEventsAmongOthers(storage)
    const all = await eventsOf(storage, WORKSPACE)
    checkEqual(await walk(storage, { newestFirst: true }, 2), all.toReversed(), 'the events')
  },

  'an event that comes while a caller pages backwards shifts no page': async (storage) => {
    const { record, own } = await threeEventsAmongOthers(storage)
    const query = { keyId: record.id, newestFirst: true, limit: 1 }
    const [newest] = (await storage.events(WORKSPACE, { ...query, after: null })) ?? []
    const revocation = sampleRevokeChange(record)
    await storage.revoke(revocation)
    const older = await storage.events(WORKSPACE, { ...query, after: newest?.id ?? '' })
    checkEqual([newest, ...(older ?? [])], own.toReversed().slice(0, 2), 'both pages')
    const first = await storage.events(WORKSPACE, { ...query, after: null })
    checkEqual(first, [revocation.event], 'the first page by now')
  },

  'only the workspace of a key sees its events': async (storage) => {
    const { record, own } = await threeEventsAmongOthers(storage)
    const query = { keyId: record.id, newestFirst: true, limit: 10 }
    checkEqual(await storage.events('ws_other', { ...query, after: null }), [], 'events')
    const foreign = await storage.events('ws_other', { ...query, after: own[0]?.id ?? '' })
    checkEqual(foreign, null, 'events after one of another workspace')
    for (const keyId of ['', 'key_unknown', 'key\u0000', 'key_\ud800']) {
      const none = await storage.events(WORKSPACE, { ...query, keyId, after: null })
      checkEqual(none, [], `the events of ${JSON.stringify(keyId)}`)
    }
  },

  'acknowledged events stay in the log': async (storage) => {
    await insertedMany(storage, 3)
    const before = await eventsOf(storage, WORKSPACE)
    const claim = { relay: 'relay_1', leaseMs: 1_000, limit: 10, except: [] }
    const claimed = await storage.claimEvents(claim)
    await storage.acknowledgeEvents(
      'relay_1',
      claimed.map(({ id }) => id),
    )
    checkEqual(await eventsOf(storage, WORKSPACE), before, 'the events')
  },
})

/** A key that was created and changed twice, and other keys that were made in between. */
async function threeEventsAmongOthers(storage: KeyStorage) {
  const record = await inserted(storage)
  await insertedMany(storage, 2)
  await inserted(storage, { workspaceId: 'ws_other' })
  const first = sampleUpdateChange(record)
  await storage.update(first)
  await inserted(storage)
  const second = sampleUpdateChange({ ...record, version: record.version + 1 })
  await storage.update(second)
  const log = await eventsOf(storage, WORKSPACE)
  const own = log.filter(({ keyId }) => keyId === record.id)
  checkEqual(own.slice(1), [first.event, second.event], 'the events of the updates')
  return { record: { ...record, version: record.version + 2 }, own }
}

/** All events that a query leads to, page by page. */
async function walk(storage: KeyStorage, query: Partial<EventQuery>, limit: number) {
  const seen: AuditEventRecord[] = []
  for (;;) {
    const last = seen.at(-1)?.id ?? null
    const page = await storage.events(WORKSPACE, { ...query, after: last, limit })
    check(page !== null, 'events after a known cursor answers a list')
    if (page.length === 0) return seen
    seen.push(...page)
  }
}

async function after(storage: KeyStorage, cursor: string | null, limit: number) {
  const events = await storage.events(WORKSPACE, { after: cursor, limit })
  check(events !== null, 'events after a known cursor answers a list')
  return events
}
