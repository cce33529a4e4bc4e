import type {
  KeyPageQuery,
  KeyRecord,
  KeyState,
  KeyStorage,
  ResourceFilter,
  StoredKey,
} from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  firstPage,
  inserted,
  insertedMany,
  list,
  recordOf,
  replacedBy,
  stored,
  unused,
  updatedBy,
  walk,
} from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, sampleUpdateChange } from './samples.ts'

const HOUR_MS = 3_600_000

/** No restriction, one that reaches nothing, and the others in between. */
const RESTRICTIONS: readonly Partial<KeyRecord>[] = [
  { note: null, resources: {}, networks: 'any' },
  { note: 'for finance', resources: { project: [] } },
  { resources: { project: ['p_1'] }, networks: ['198.51.100.0/24'] },
  { resources: { project: [], team: ['t_2', 't_1'] }, networks: ['2001:db8::/32', '10.0.0.0/8'] },
  { note: '"note" نورة', resources: { project: ['p_1', '"', "'", '\\', '}'] }, networks: ['::/1'] },
]

/** Notes, resources and networks of keys: as they were given, everywhere, and never more of them. */
export const restrictionCases = contractGroup('restrictions', {
  'come out as they went in, wherever a key comes out': async (storage) => {
    for (const fields of RESTRICTIONS) {
      const workspaceId = `ws_${RESTRICTIONS.indexOf(fields)}`
      const record = await inserted(storage, { ...fields, workspaceId })
      const what = JSON.stringify(fields)
      checkEqual(await storage.findByHash(record.hash), recordOf(record), `findByHash of ${what}`)
      checkEqual(await stored(storage, record), record, `findById of ${what}`)
      const { records } = await firstPage(storage, workspaceId)
      checkEqual(records, [record], `list of ${what}`)
    }
  },

  'an empty list is not the same as none': async (storage) => {
    const [none, empty] = await insertedMany(storage, 2, (at) => ({
      resources: at === 0 ? {} : { project: [] },
    }))
    check(none !== undefined && empty !== undefined, 'two keys were inserted')
    checkEqual((await stored(storage, none)).resources, {}, 'an unrestricted key')
    checkEqual((await stored(storage, empty)).resources, { project: [] }, 'a key of nothing')
    await storage.update(sampleUpdateChange(none, { resources: { project: [] } }))
    await storage.update(sampleUpdateChange(empty, { resources: {} }))
    checkEqual((await stored(storage, none)).resources, { project: [] }, 'the first one now')
    checkEqual((await stored(storage, empty)).resources, {}, 'the second one now')
  },

  'are set by an update, whole': async (storage) => {
    let record = await inserted(storage)
    for (const fields of [...RESTRICTIONS, ...RESTRICTIONS.toReversed()]) {
      const change = sampleUpdateChange(record, fields)
      const updated = updatedBy(record, change)
      checkEqual(await storage.update(change), { outcome: 'updated', record: updated }, 'update')
      checkEqual(await storage.findByHash(record.hash), recordOf(updated), 'findByHash')
      record = updated
    }
  },

  'of a replacement are stored as it brings them': async (storage) => {
    for (const { note = null, resources = {}, networks = 'any' } of RESTRICTIONS) {
      const fields = { note, resources, networks }
      const record = await inserted(storage, fields)
      const change = sampleRotateChange(record, fields)
      const replacement = unused(change.replacement)
      const replaced = replacedBy(record, change)
      const outcome = { outcome: 'rotated', replaced, replacement }
      checkEqual(await storage.rotate(change), outcome, 'rotate')
      checkEqual(await stored(storage, change.replacement), replacement, 'the replacement')
    }
  },

  'a retiring key is narrowed until its overlap is over': async (storage) => {
    const old = await retiring(storage)
    const state = { scopes: ['contacts.read'], resources: { project: [] }, networks: ONE_HOST }
    const change = narrowing(old, state)
    const narrowed = updatedBy(old, change)
    checkEqual(await storage.update(change), { outcome: 'updated', record: narrowed }, 'update')
    checkEqual(await storage.findByHash(old.hash), recordOf(narrowed), 'findByHash')
    const again = { outcome: 'updated', record: narrowed }
    checkEqual(await storage.update(change), again, 'the same update once more')
    const over = await retiring(storage, Date.now() - 2 * HOUR_MS)
    const late = { ...narrowing(over, state), updatedAtMs: Date.now() }
    checkEqual(await storage.update(late), { outcome: 'stale', record: over }, 'at its end')
  },

  'a retiring key is changed by nothing else': async (storage) => {
    const old = await retiring(storage)
    const stale = { outcome: 'stale', record: old }
    const state = { resources: { project: ['p_1'] } }
    checkEqual(await storage.update(sampleUpdateChange(old, state)), stale, 'not said to narrow')
    const other = { ...narrowing(old, state), version: old.version - 1 }
    checkEqual(await storage.update(other), stale, 'from another version')
    checkEqual(await stored(storage, old), old, 'the key')
    await storage.revoke(sampleRevokeChange(old))
    const revoked = await stored(storage, old)
    const dead = { outcome: 'stale', record: revoked }
    checkEqual(await storage.update(narrowing(revoked, state)), dead, 'once it is revoked')
  },

  'a narrowing that has answered is seen by every later lookup': async (storage) => {
    const ids = Array.from({ length: 20 }, (_, at) => `p_${at}`)
    let record = await inserted(storage, { resources: { project: ids } })
    while (record.resources['project']?.length) {
      const left = record.resources['project'].slice(1)
      const change = narrowing(record, { resources: { project: left } })
      await storage.update(change)
      const found = await Promise.all([1, 2, 3].map(async () => storage.findByHash(record.hash)))
      const seen = found.map((one) => one?.resources['project'])
      checkEqual(seen, Array(3).fill(left), 'what three lookups see')
      record = updatedBy(record, change)
    }
  },

  'list picks by resource, and tells keys that reach it from those that list it alone': async (
    storage,
  ) => {
    const lists = [{}, { project: [] }, { project: ['p_1'] }, { project: ['p_1', 'p_2'] }]
    const more = [{ team: ['p_1'] }, { project: ['p_10', 'P_1'] }, { project: ['p_2'], team: [] }]
    const records = await insertedMany(storage, 7, (at) => ({
      resources: [...lists, ...more][at] ?? {},
    }))
    const found = async (resource: ResourceFilter) =>
      (await idsOf(storage, { resource })).map((id) => records.findIndex((key) => key.id === id))
    const p1 = { type: 'project', id: 'p_1' }
    checkEqual(await found({ ...p1, match: 'reaches' }), [4, 3, 2, 0], 'the keys that reach p_1')
    checkEqual(await found({ ...p1, match: 'only' }), [2], 'the keys of p_1 alone')
    const p2 = { type: 'project', id: 'p_2' }
    checkEqual(await found({ ...p2, match: 'only' }), [6], 'the keys of p_2 alone')
    const flow = { type: 'flow', id: 'f_1' }
    checkEqual(await found({ ...flow, match: 'only' }), [], 'the keys of another type alone')
    checkEqual((await found({ ...flow, match: 'reaches' })).length, 7, 'the keys that reach it')
  },

  'list picks by creator and by id, and counts what matches': async (storage) => {
    const records = await insertedMany(storage, 9, (at) => ({
      creator: { id: `u_${at % 3}`, name: 'Sami' },
    }))
    const ids = records.map(({ id }) => id)
    const ofOne = [ids[7], ids[4], ids[1]]
    checkEqual(await idsOf(storage, { creatorId: 'u_1' }), ofOne, 'the keys of u_1')
    checkEqual(await idsOf(storage, { creatorId: 'u' }), [], 'the keys of nobody')
    checkEqual(await idsOf(storage, { ids: [] }), [], 'no ids, no keys')
    const some = [String(ids[4]), String(ids[0]), 'key_unknown', String(ids[4])]
    checkEqual(await idsOf(storage, { ids: some }), [ids[4], ids[0]], 'the keys with these ids')
    const both = { creatorId: 'u_1', ids: some }
    checkEqual(await idsOf(storage, both), [ids[4]], 'the keys that pass both')
    checkEqual((await list(storage, { ...both, limit: 1 })).total, 1, 'their total')
    checkEqual((await list(storage, { creatorId: 'u_1', limit: 1 })).total, 3, 'those of u_1')
    const after = String(ids[7])
    checkEqual((await list(storage, { creatorId: 'u_1', after })).total, null, 'of a later page')
  },

  'list counts by status at its instant': async (storage) => {
    const atMs = Date.UTC(2026, 5, 1)
    const records = await insertedMany(storage, 6, (at) => ({ expiresAtMs: at < 2 ? atMs : null }))
    for (const record of records.slice(2, 4)) await storage.revoke(sampleRevokeChange(record))
    const total = async (query: Partial<KeyPageQuery>) =>
      (await list(storage, { atMs, limit: 1, ...query })).total
    checkEqual(await total({}), 6, 'all keys')
    checkEqual(await total({ status: ['active'] }), 2, 'active keys')
    checkEqual(await total({ status: ['expired', 'revoked'] }), 4, 'dead keys')
    checkEqual(await total({ status: ['active'], atMs: atMs - 1 }), 4, 'active keys before')
    checkEqual(await total({ environment: 'test' }), 0, 'keys for tests')
  },

  'list gives the oldest first, on every page': async (storage) => {
    const records = await insertedMany(storage, 11, (at) => ({
      creator: { id: `u_${at % 2}`, name: 'Sami' },
      environment: at % 3 === 0 ? 'live' : 'test',
    }))
    const oldestFirst = true
    for (const limit of [1, 4, 11]) {
      checkEqual(await walk(storage, { oldestFirst, limit }), records, `in pages of ${limit}`)
    }
    const mine = records.filter(({ creator }) => creator.id === 'u_1')
    const query = { oldestFirst, limit: 2, creatorId: 'u_1', status: ['active'] as const }
    checkEqual(await walk(storage, query), mine, 'those of a creator')
    checkEqual(
      await walk(storage, { oldestFirst, limit: 1, environment: 'live' }),
      records.filter(({ environment }) => environment === 'live'),
      'those of an environment',
    )
  },

  'list shows nothing of another workspace, whatever the filter': async (storage) => {
    const creator = { id: 'u_1', name: 'Sami' }
    const resources = { project: ['p_1'] }
    const foreign = await inserted(storage, { workspaceId: 'ws_other', creator, resources })
    for (const query of [
      { creatorId: 'u_1' },
      { ids: [foreign.id] },
      { resource: { type: 'project', id: 'p_1', match: 'only' } as const },
    ]) {
      const page = { records: [], more: false, activeKeys: 0, total: 0 }
      checkEqual(await list(storage, query), page, JSON.stringify(query))
    }
  },
})

const ONE_HOST = ['198.51.100.7/32']

/** A key with an overlap of an hour, as it is stored. Storages go by clocks of their own too. */
async function retiring(storage: KeyStorage, rotatedAtMs = Date.now()): Promise<StoredKey> {
  const record = await inserted(storage, {
    createdAtMs: rotatedAtMs - HOUR_MS,
    resources: { project: ['p_1', 'p_2'] },
    networks: ['198.51.100.0/24'],
  })
  const change = sampleRotateChange(record)
  await storage.rotate({ ...change, retiresAtMs: change.rotatedAtMs + HOUR_MS })
  return stored(storage, record)
}

function narrowing(record: KeyRecord, state: Partial<KeyState>) {
  const change = sampleUpdateChange(record, state)
  return { ...change, updatedAtMs: record.updatedAtMs + 1, isNarrowing: true }
}

async function idsOf(storage: KeyStorage, query: Partial<KeyPageQuery>) {
  return (await list(storage, query)).records.map(({ id }) => id)
}
