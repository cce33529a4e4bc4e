import {
  countsAt,
  type KeyPageQuery,
  type KeyRecord,
  matches,
  statusAt,
} from '../../../src/storage/index.ts'
import { eachRow, type Table, type Trial } from './contract-case.ts'
import { checkEqual, idsOf, OTHER } from './tools.ts'

const PAUSE = { pausedAtMs: 5, pausedBy: { id: 'u_1', name: 'Sami' } }
const NOW_MS = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000
const USED_MS = NOW_MS - 15 * DAY_MS

const PROJECTS = [{}, { project: [] }, { project: ['p_1'] }, { project: ['p_1', 'p_2'] }]
const OTHERS = [{ team: ['p_1'] }, { project: ['p_10', 'P_1'] }, { project: ['p_2'], team: [] }]
const RESOURCES = [...PROJECTS, ...OTHERS, { project: ['"', '%', "'"] }]
const SCOPES = [['a.read'], ['a.read', 'b'], ['a'], ['b,a.read'], ['A.read'], ['"a.read"'], []]
const LIVES: readonly Partial<KeyRecord>[] = [
  {},
  PAUSE,
  { revokedAtMs: NOW_MS + 9 },
  { expiresAtMs: NOW_MS },
  { expiresAtMs: NOW_MS + 1 },
  { ...PAUSE, expiresAtMs: NOW_MS },
  { ...PAUSE, expiresAtMs: NOW_MS + 1 },
  { retiresAtMs: NOW_MS },
  { retiresAtMs: NOW_MS + 1 },
  { retiresAtMs: NOW_MS + 1, revokedAtMs: 5 },
  { retiresAtMs: NOW_MS, expiresAtMs: NOW_MS + 2 },
  { retiresAtMs: NOW_MS + 1, expiresAtMs: NOW_MS + 2 },
  // A host may pause a key and then rotate it with an overlap.
  { ...PAUSE, retiresAtMs: NOW_MS + 1 },
  { createdAtMs: NOW_MS + 5, updatedAtMs: NOW_MS + 5 },
]

const resource = (match: 'reaches' | 'only', id: string, type = 'project') => ({
  resource: { type, id, match },
})

/** Filters; each case also looks for some ids of keys that pass it. */
const FILTERS: Table<Partial<KeyPageQuery>> = {
  'no filter': {},
  active: { status: ['active'] },
  retiring: { status: ['retiring'] },
  'all statuses': { status: ['active', 'retiring', 'paused', 'expired', 'revoked'] },
  'an earlier instant': { status: ['active'], atMs: NOW_MS - 1 },
  'an environment': { environment: 'test' },
  'a scope, whole': { scope: 'a.read' },
  'a scope in quotes': { scope: '"a.read"' },
  'a pattern of a scope': { scope: 'a.rea_' },
  'a creator': { creatorId: 'u_1' },
  'a resource that keys reach': resource('reaches', 'p_1'),
  'a resource that keys list alone': resource('only', 'p_1'),
  'a resource with a quote': resource('reaches', '"'),
  'a type that no key lists': resource('reaches', 'f_1', 'flow'),
  'a type by the name of a property': resource('reaches', 'name', 'constructor'),
  'not used since the last use of a key': { notUsedAfterMs: USED_MS },
  'not used since a millisecond before': { notUsedAfterMs: USED_MS - 1 },
  'several filters': { status: ['active', 'paused'], environment: 'live', scope: 'a.read' },
  'no ids': { ids: [] },
}

/** `list` gives exactly the keys that pass the filters, on every page alike and in both directions, and counts them. */
export const filterCases = eachRow('filter', FILTERS, async (t, filter) => {
  const query = { status: null, environment: null, atMs: NOW_MS, ...filter }
  const all = await keysOfEveryKind(t)
  const expected = all.filter((key) => matches(key, query))
  checkEqual((await t.list(query)).keys, expected, 'the keys')
  checkEqual(await t.walk({ ...query, limit: 10 }), expected, 'the keys in pages')
  const backwards = await t.walk({ ...query, limit: 7, oldestFirst: true })
  checkEqual(backwards, expected.toReversed(), 'the keys, backwards')
  const { atMs } = query
  const { keys, total, activeKeys } = await t.list({ ...query, limit: 1, countUpTo: 1_000 })
  checkEqual(keys, expected.slice(0, 1), 'the first key')
  const view = await t.view({ countAtMs: atMs })
  const active = all.filter(({ record }) => countsAt(record, atMs)).length
  const retiring = all.filter(({ record }) => statusAt(record, atMs) === 'retiring').length
  checkEqual([total, activeKeys], [expected.length, active], 'total and activeKeys')
  checkEqual([view.activeKeys, view.retiringKeys], [active, retiring], 'what read counts')
  const listed = [...expected.slice(0, 2), ...expected.slice(-1)]
  const ids = [...idsOf(listed), 'key_none', (await t.inserted({ workspaceId: 'ws_1' })).record.id]
  if (filter.ids === undefined) checkEqual((await t.list({ ...query, ids })).keys, listed, 'some')
  const nothing = { keys: [], more: false, activeKeys: 0, total: 0 }
  checkEqual(await t.list({ ...query, countUpTo: 9 }, OTHER), nothing, 'elsewhere')
})

/** 112 keys, the newest first: each of 8 restrictions with each of 14 lives. Two were used before `NOW_MS`. */
async function keysOfEveryKind(t: Trial) {
  const keys = await t.insertedTogether(112, (at) => ({
    resources: RESOURCES[Math.floor(at / 14)] ?? {},
    scopes: SCOPES[(at + Math.floor(at / 14)) % 7] ?? [],
    environment: Math.floor(at / 7) % 2 === 0 ? 'live' : 'test',
    creator: { id: `u_${at % 3}`, name: 'Sami' },
    createdAtMs: NOW_MS - at * DAY_MS,
    ...LIVES[at % 14],
  }))
  const used = idsOf(keys).filter((_, at) => at === 20 || at === 50)
  const uses = used.map((id) => ({ id, uses: 1, lastUsedAtMs: USED_MS }))
  await t.storage.addUses({ writer: 'w', sequence: 1, uses })
  return (await t.list()).keys
}
