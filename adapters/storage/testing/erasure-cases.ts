import {
  ERASED_PERSON,
  type ErasureOutcome,
  type KeyRecord,
  type KeyStorage,
} from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  activeKeysOf,
  contractGroup,
  eventsOf,
  firstPage,
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

const PERSON = { id: 'u_gone', name: 'هدى' }
const ERASED_AT_MS = Date.UTC(2026, 0, 3)
const PAUSED = { pausedAtMs: 5, pausedBy: PERSON }

/** People and workspaces are erased in steps that may be repeated, and nothing brings them back. */
export const erasureCases = contractGroup('erasure', {
  'a person leaves creators, pausers and actors, in every workspace': async (storage) => {
    const mine = await inserted(storage, { creator: PERSON })
    const paused = await inserted(storage, { workspaceId: 'ws_other', ...PAUSED })
    const both = await inserted(storage, { creator: PERSON, ...PAUSED })
    const bystander = await inserted(storage)
    const event = { ...sampleCreatedEvent(mine), actor: PERSON }
    const record = sampleRecord({ workspaceId: 'ws_other' })
    await storage.insert(record, null, { ...event, workspaceId: 'ws_other', keyId: record.id })
    const outcome = await allOf(() => storage.erasePerson({ personId: PERSON.id, limit: 10 }))
    checkEqual(outcome, { keys: 3, events: 1 }, 'erasePerson')
    const erased = (key: KeyRecord) => ({ ...key, version: key.version + 1 })
    const [creator, pausedBy] = [ERASED_PERSON, ERASED_PERSON]
    checkEqual(await stored(storage, mine), { ...erased(mine), creator }, 'the creator')
    checkEqual(await stored(storage, paused), { ...erased(paused), pausedBy }, 'the pauser')
    checkEqual(await stored(storage, both), { ...erased(both), creator, pausedBy }, 'both')
    checkEqual(await stored(storage, bystander), bystander, 'another key')
    const people = (await eventsOf(storage, 'ws_other')).map(({ actor }) => actor.name)
    check(!people.includes(PERSON.name), 'no event names the person')
    check(people.includes(ERASED_PERSON.name), 'the event stays')
  },

  'a person leaves keys that are revoked and replaced': async (storage) => {
    const old = await inserted(storage, { creator: PERSON, ...PAUSED })
    const rotation = sampleRotateChange(old, { creator: PERSON })
    await storage.rotate(rotation)
    await storage.revoke(sampleRevokeChange(rotation.replacement))
    await allOf(() => storage.erasePerson({ personId: PERSON.id, limit: 10 }))
    for (const key of (await firstPage(storage, WORKSPACE)).records) {
      checkEqual(key.creator, ERASED_PERSON, 'creator')
    }
    checkEqual((await stored(storage, old)).pausedBy, ERASED_PERSON, 'pausedBy')
  },

  'a person is erased in steps, and again without a change': async (storage) => {
    await insertedMany(storage, 5, () => ({ creator: PERSON }))
    const step = () => storage.erasePerson({ personId: PERSON.id, limit: 2 })
    const first = await step()
    checkEqual({ keys: first.keys, more: first.more }, { keys: 2, more: true }, 'the first step')
    checkEqual((await allOf(step)).keys, 3, 'the rest')
    const page = await firstPage(storage, WORKSPACE)
    checkEqual(await allOf(step), { keys: 0, events: 0 }, 'again')
    checkEqual(await firstPage(storage, WORKSPACE), page, 'the keys')
  },

  'events that are delivered later do not name an erased person': async (storage) => {
    const record = sampleRecord()
    await storage.insert(record, null, { ...sampleCreatedEvent(record), actor: PERSON })
    await allOf(() => storage.erasePerson({ personId: PERSON.id, limit: 10 }))
    const claim = { relay: 'a', leaseMs: 1_000, limit: 10, except: [] }
    const actors = (await storage.claimEvents(claim)).map(({ actor }) => actor)
    checkEqual(actors, [ERASED_PERSON], 'the actors')
  },

  'an update made from what was before an erasure is stale': async (storage) => {
    const record = await inserted(storage, PAUSED)
    const change = sampleUpdateChange(record)
    await allOf(() => storage.erasePerson({ personId: PERSON.id, limit: 10 }))
    checkEqual((await storage.update(change)).outcome, 'stale', 'update')
    checkEqual((await stored(storage, record)).pausedBy, ERASED_PERSON, 'pausedBy')
  },

  'nothing of an erased workspace is left, and others stay': async (storage) => {
    const keys = await keysOfEveryKind(storage)
    const bystander = await inserted(storage, { workspaceId: 'ws_other' })
    await acknowledgeAll(storage)
    const { keys: count } = await erased(storage)
    checkEqual(count, keys.length, 'the number of keys')
    for (const { hash, id } of keys) {
      checkEqual(await storage.findByHash(hash), null, 'findByHash')
      checkEqual(await storage.findById(WORKSPACE, id), null, 'findById')
    }
    const page = { records: [], more: false, activeKeys: 0, total: 0 }
    checkEqual(await firstPage(storage, WORKSPACE), page, 'list')
    checkEqual(await eventsOf(storage, WORKSPACE), [], 'events')
    checkEqual(await stored(storage, bystander), bystander, 'a key of another workspace')
    checkEqual(await erased(storage), { keys: 0, events: 0 }, 'again')
  },

  'an erased workspace is closed for good': async (storage) => {
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    await storage.insert(record, null, event)
    await erased(storage)
    const closed = { inserted: false, isErased: true } as const
    checkEqual(await storage.insert(record, null, event), closed, 'a repeat')
    const fresh = sampleRecord()
    checkEqual(await storage.insert(fresh, null, sampleCreatedEvent(fresh)), closed, 'a new key')
    const uses = [{ id: record.id, uses: 3, lastUsedAtMs: 5 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    checkEqual(await storage.findById(WORKSPACE, record.id), null, 'the key')
    checkEqual((await firstPage(storage, WORKSPACE)).records, [], 'the keys')
  },

  'a workspace without keys is closed too': async (storage) => {
    checkEqual(await erased(storage), { keys: 0, events: 0 }, 'eraseWorkspace')
    const record = sampleRecord()
    const outcome = await storage.insert(record, null, sampleCreatedEvent(record))
    checkEqual(outcome, { inserted: false, isErased: true }, 'insert')
  },

  'a workspace is erased in steps, in which nothing new begins': async (storage) => {
    const keys = await insertedMany(storage, 5)
    const step = () =>
      storage.eraseWorkspace({ workspaceId: WORKSPACE, erasedAtMs: ERASED_AT_MS, limit: 2 })
    checkEqual((await step()).more, true, 'more')
    for (const key of keys) {
      checkEqual(await storage.update(sampleUpdateChange(key)), { outcome: 'not_found' }, 'update')
      const rotation = sampleRotateChange(key)
      checkEqual(await storage.rotate(rotation), { outcome: 'not_found' }, 'rotate')
      checkEqual(await storage.findByHash(rotation.replacement.hash), null, 'the replacement')
    }
    await allOf(step)
    checkEqual((await firstPage(storage, WORKSPACE)).records, [], 'the keys')
  },

  'events of an erased workspace stay until they are acknowledged': async (storage) => {
    await insertedMany(storage, 3)
    const before = await eventsOf(storage, WORKSPACE)
    checkEqual((await erased(storage)).events, 0, 'deleted events')
    checkEqual(await eventsOf(storage, WORKSPACE), before, 'the events')
    await acknowledgeAll(storage)
    checkEqual(await eventsOf(storage, WORKSPACE), [], 'the events afterwards')
  },
})

/** Dead keys and acknowledged events are deleted, nothing else, and cursors stay valid. */
export const purgeCases = contractGroup('purge', {
  'only keys that ended before the instant are deleted': async (storage) => {
    const at = Date.UTC(2026, 1, 1)
    const later = { expiresAtMs: at }
    const kept = [
      await inserted(storage),
      await inserted(storage, PAUSED),
      await inserted(storage, later),
      await inserted(storage, { ...later, ...PAUSED }),
    ]
    const dead = [
      await inserted(storage, { expiresAtMs: at - 1 }),
      await inserted(storage, { expiresAtMs: at - 1, ...PAUSED }),
      await ended(storage, { at: at - 1 }),
      await ended(storage, { at: at - 1, expiresAtMs: at + 1 }),
      await ended(storage, { at: at + 1, expiresAtMs: at - 1 }),
    ]
    kept.push(await ended(storage, { at }))
    // Importing it once more would bring it back.
    kept.push(await ended(storage, { at: at - 1, format: 'old' }))
    const retiring = await retiringKey(storage, at)
    const retired = await retiringKey(storage, at - 1)
    const activeKeys = await activeKeysOf(storage, WORKSPACE, at)
    const outcome = await purged(storage, { endedBeforeMs: at })
    checkEqual(outcome, { keys: dead.length + 1, events: 0 }, 'purge')
    for (const key of [...kept, retiring]) await stored(storage, key)
    for (const { hash, id } of [...dead, retired]) {
      checkEqual(await storage.findByHash(hash), null, 'findByHash')
      checkEqual(await storage.findById(WORKSPACE, id), null, 'findById')
    }
    checkEqual(await activeKeysOf(storage, WORKSPACE, at), activeKeys, 'activeKeys')
    checkEqual(await purged(storage, { endedBeforeMs: at }), { keys: 0, events: 0 }, 'again')
  },

  'a key that lives by the clock of the storage is kept, whatever the instant': async (storage) => {
    const key = await inserted(storage, { expiresAtMs: Date.now() + 3_600_000 })
    const distant = 8_640_000_000_000_000
    checkEqual(await purged(storage, { endedBeforeMs: distant }), { keys: 0, events: 0 }, 'purge')
    await stored(storage, key)
  },

  'only acknowledged events from before the instant are deleted': async (storage) => {
    const [old] = await insertedMany(storage, 2, (index) => ({ createdAtMs: 1_000 + index }))
    checkEqual(await purged(storage, { eventsBeforeMs: 5_000 }), { keys: 0, events: 0 }, 'early')
    await acknowledgeAll(storage)
    await inserted(storage, { createdAtMs: 10 })
    checkEqual(await purged(storage, { eventsBeforeMs: 1_001 }), { keys: 0, events: 1 }, 'purge')
    const left = (await eventsOf(storage, WORKSPACE)).map(({ atMs }) => atMs)
    checkEqual(left, [1_001, 10], 'the instants of the events that are left')
    check(old !== undefined && (await stored(storage, old)) !== null, 'the key stays')
  },

  'a purge goes in steps': async (storage) => {
    await insertedMany(storage, 5, () => ({ expiresAtMs: 2_000 }))
    const step = () => storage.purge({ endedBeforeMs: 3_000, eventsBeforeMs: null, limit: 2 })
    const first = await step()
    checkEqual({ keys: first.keys, more: first.more }, { keys: 2, more: true }, 'the first step')
    checkEqual((await allOf(step)).keys, 3, 'the rest')
  },

  'cursors at deleted keys stay valid': async (storage) => {
    const keys = await insertedMany(storage, 4, () => ({ expiresAtMs: 2_000 }))
    const kept = await inserted(storage)
    await insertedMany(storage, 2, () => ({ expiresAtMs: 2_000 }))
    const [newest] = (await firstPage(storage, WORKSPACE)).records
    await purged(storage, { endedBeforeMs: 3_000 })
    await inserted(storage)
    const query = { status: null, environment: null, atMs: 0, limit: 10 } as const
    const page = await storage.list(WORKSPACE, { ...query, after: newest?.id ?? '' })
    checkEqual(page?.records, [kept], 'the keys after the newest')
    const last = await storage.list(WORKSPACE, { ...query, after: keys[0]?.id ?? '' })
    checkEqual(last?.records, [], 'the keys after the oldest')
    const foreign = await storage.list('ws_other', { ...query, after: keys[0]?.id ?? '' })
    checkEqual(foreign, null, 'a cursor of another workspace')
  },

  'cursors at deleted events stay valid': async (storage) => {
    await insertedMany(storage, 3, () => ({ createdAtMs: 1_000 }))
    const [first, , newest] = await eventsOf(storage, WORKSPACE)
    await acknowledgeAll(storage)
    await purged(storage, { eventsBeforeMs: 2_000 })
    await inserted(storage)
    const after = (id = '') => storage.events(WORKSPACE, { after: id, limit: 10 })
    const left = await eventsOf(storage, WORKSPACE)
    checkEqual(left.length, 1, 'the number of events')
    checkEqual(await after(first?.id), left, 'the events after the oldest')
    checkEqual(await after(newest?.id), left, 'the events after the newest')
    const query = { after: first?.id ?? '', limit: 10 }
    checkEqual(await storage.events('ws_other', query), null, 'a cursor of another workspace')
  },

  'nothing brings a deleted key back': async (storage) => {
    const record = sampleRecord({ expiresAtMs: 2_000 })
    const event = sampleCreatedEvent(record)
    await storage.insert(record, null, event)
    await purged(storage, { endedBeforeMs: 3_000 })
    checkEqual(await storage.insert(record, null, event), { inserted: true }, 'a repeat')
    const uses = [{ id: record.id, uses: 3, lastUsedAtMs: 5 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    checkEqual(await storage.findByHash(record.hash), null, 'findByHash')
    checkEqual((await firstPage(storage, WORKSPACE)).records, [], 'the keys')
  },
})

/** Repeats a step until nothing is left, and adds up what it did. */
async function allOf(step: () => Promise<ErasureOutcome>) {
  const total = { keys: 0, events: 0 }
  for (let more = true; more; ) {
    const outcome = await step()
    total.keys += outcome.keys
    total.events += outcome.events
    more = outcome.more
  }
  return total
}

function erased(storage: KeyStorage) {
  const erasure = { workspaceId: WORKSPACE, erasedAtMs: ERASED_AT_MS, limit: 10 }
  return allOf(() => storage.eraseWorkspace(erasure))
}

function purged(
  storage: KeyStorage,
  { endedBeforeMs = null, eventsBeforeMs = null }: Partial<Parameters<KeyStorage['purge']>[0]>,
) {
  return allOf(() => storage.purge({ endedBeforeMs, eventsBeforeMs, limit: 10 }))
}

async function acknowledgeAll(storage: KeyStorage): Promise<void> {
  const claim = { relay: 'acknowledger', leaseMs: 60_000, limit: 1_000, except: [] }
  const ids = (await storage.claimEvents(claim)).map(({ id }) => id)
  await storage.acknowledgeEvents('acknowledger', ids)
}

/** A key that was revoked at an instant. */
async function ended(
  storage: KeyStorage,
  { at, ...fields }: Partial<KeyRecord> & { readonly at: number },
) {
  const key = await inserted(storage, fields)
  await storage.revoke(sampleRevokeChange(key, at))
  return key
}

/** A key whose overlap ends at an instant. */
async function retiringKey(storage: KeyStorage, retiresAtMs: number) {
  const key = await inserted(storage)
  await storage.rotate({ ...sampleRotateChange(key), retiresAtMs })
  return key
}

async function keysOfEveryKind(storage: KeyStorage) {
  await inserted(storage)
  await inserted(storage, PAUSED)
  await inserted(storage, { expiresAtMs: 2_000 })
  await ended(storage, { at: ERASED_AT_MS - 1 })
  await retiringKey(storage, ERASED_AT_MS + 1)
  await retiringKey(storage, ERASED_AT_MS - 1)
  return (await firstPage(storage, WORKSPACE)).records
}
