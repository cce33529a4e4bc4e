import { type KeyPageQuery, type KeyRecord, matches } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, eachRow, idsOf, type Trial } from './contract-case.ts'

const NOW_MS = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000

/** Pages hold still while keys are stored, and miss or repeat nothing. */
export const pagingCases = contractGroup('paging', {
  'more says whether keys that match follow': async (t) => {
    await t.insertedMany(6, (at) => ({ environment: at < 3 ? 'test' : 'live' }))
    for (const [query, more] of [
      [{ limit: 5 }, true],
      [{ limit: 6 }, false],
      [{ limit: 2, environment: 'live' }, true],
      [{ limit: 3, environment: 'live' }, false],
      [{ limit: 3, environment: 'test', oldestFirst: true }, false],
    ] as const) {
      checkEqual((await t.list(query)).more, more, `more with ${JSON.stringify(query)}`)
    }
  },

  'a walk over 60 keys sees each exactly once, in both directions': async (t) => {
    const keys = await t.insertedTogether(60)
    for (const limit of [1, 7, 60]) {
      checkEqual(await t.walk({ limit }), keys.toReversed(), `pages of ${limit}`)
      checkEqual(await t.walk({ limit, oldestFirst: true }), keys, `pages of ${limit}, backwards`)
    }
  },

  'a page after any place begins with what follows it': async (t) => {
    const keys = await t.insertedMany(3)
    const [first = 0, second = 0, third = 0] = keys.map(({ place }) => place)
    for (const [after, later, earlier] of [
      [0, keys, []],
      [first, keys.slice(1), []],
      [second, keys.slice(2), keys.slice(0, 1)],
      [third, [], keys.slice(0, 2).toReversed()],
      [9e12, [], keys.toReversed()],
    ] as const) {
      checkEqual((await t.list({ after, oldestFirst: true })).keys, later, `after ${after}`)
      checkEqual((await t.list({ after })).keys, earlier, `before ${after}`)
      checkEqual((await t.list({ after }, 'ws_other')).keys, [], 'elsewhere')
    }
  },
})

const PROJECTS = [{}, { project: [] }, { project: ['p_1'] }, { project: ['p_1', 'p_2'] }]
const OTHERS = [{ team: ['p_1'] }, { project: ['p_10', 'P_1'] }, { project: ['p_2'], team: [] }]
const RESOURCES = [...PROJECTS, ...OTHERS, { project: ['"', '%', "'"] }]
const SCOPES = [['a.read'], ['a.read', 'b'], ['a'], ['b,a.read'], ['A.read'], ['"a.read"'], []]
const LIVES: readonly Partial<KeyRecord>[] = [
  {},
  { pausedAtMs: 5, pausedBy: { id: 'u_1', name: 'Sami' } },
  { expiresAtMs: NOW_MS },
  { revokedAtMs: 5 },
  { retiresAtMs: NOW_MS },
  { retiresAtMs: NOW_MS + 1 },
  { expiresAtMs: NOW_MS + 1 },
]

const resource = (match: 'reaches' | 'only', id: string, type = 'project') => ({
  resource: { type, id, match },
})

/** Each filter, and how many of the keys pass it. */
const FILTERS: Readonly<Record<string, readonly [Partial<KeyPageQuery>, count: number]>> = {
  'no filter': [{}, 56],
  active: [{ status: ['active'] }, 16],
  retiring: [{ status: ['retiring'] }, 8],
  'all statuses': [{ status: ['active', 'retiring', 'paused', 'expired', 'revoked'] }, 56],
  'an earlier instant': [{ status: ['active'], atMs: NOW_MS - 1 }, 24],
  'an environment': [{ environment: 'test' }, 28],
  'a scope, whole': [{ scope: 'a.read' }, 16],
  'a scope in quotes': [{ scope: '"a.read"' }, 8],
  'a pattern of a scope': [{ scope: 'a.rea_' }, 0],
  'a creator': [{ creatorId: 'u_1' }, 19],
  'a resource that keys reach': [resource('reaches', 'p_1'), 28],
  'a resource that keys list alone': [resource('only', 'p_1'), 7],
  'a resource with a quote': [resource('reaches', '"'), 21],
  'a type that no key lists': [resource('reaches', 'f_1', 'flow'), 56],
  'a type by the name of a property': [resource('reaches', 'name', 'constructor'), 56],
  'not used since the last use of a key': [{ notUsedAfterMs: NOW_MS - 15 * DAY_MS }, 41],
  'not used since a millisecond before': [{ notUsedAfterMs: NOW_MS - 15 * DAY_MS - 1 }, 38],
  'several filters': [{ status: ['active', 'paused'], environment: 'live', scope: 'a.read' }, 4],
  'no ids': [{ ids: [] }, 0],
}

const ANY: Partial<KeyPageQuery> = {
  ...{ environment: null, scope: undefined, creatorId: undefined },
  ...{ resource: undefined, ids: undefined, notUsedAfterMs: undefined },
}

/** `list` gives exactly the keys that pass the filters, on every page alike, and counts them. */
export const filterCases = [
  ...eachRow('filter', FILTERS, async (t, [filter, count]) => {
    const query = { atMs: NOW_MS, ...filter }
    const all = await keysOfEveryKind(t)
    const passing = (also: Partial<KeyPageQuery>) =>
      all.filter((key) => matches(key, { status: null, environment: null, ...query, ...also }))
    const expected = passing({})
    checkEqual(expected.length, count, 'how many keys pass')
    checkEqual((await t.list(query)).keys, expected, 'the keys')
    checkEqual(await t.walk({ ...query, limit: 5 }), expected, 'the keys in pages')
    const backwards = await t.walk({ ...query, limit: 3, oldestFirst: true })
    checkEqual(backwards, expected.toReversed(), 'the keys, backwards')
    const { total, activeKeys } = await t.list({ ...query, limit: 1, countUpTo: 1_000 })
    const active = passing({ ...ANY, status: ['active', 'paused'] }).length
    checkEqual([total, activeKeys], [count, active], 'total and activeKeys')
    const some = [all[50], all[3]].map((key) => key?.record.id ?? '')
    const ids = [...some, 'key_none', (await t.inserted({ workspaceId: 'ws_1' })).record.id]
    const listed = expected.filter(({ record }) => some.includes(record.id))
    if (filter.ids === undefined) checkEqual((await t.list({ ...query, ids })).keys, listed, 'some')
    const nothing = { keys: [], more: false, activeKeys: 0, total: 0 }
    checkEqual(await t.list({ ...query, countUpTo: 9 }, 'ws_other'), nothing, 'elsewhere')
  }),
]

/** 56 keys, the newest first: each of 8 restrictions with each of 7 lives. Two were used 15 days ago. */
async function keysOfEveryKind(t: Trial) {
  const keys = await t.insertedTogether(56, (at) => ({
    ...LIVES[at % 7],
    resources: RESOURCES[at % 8] ?? {},
    scopes: SCOPES[Math.floor(at / 8)] ?? [],
    environment: at % 2 === 0 ? 'live' : 'test',
    creator: { id: `u_${at % 3}`, name: 'Sami' },
    createdAtMs: NOW_MS - at * DAY_MS,
  }))
  const used = idsOf(keys).filter((_, at) => at === 20 || at === 50)
  const uses = used.map((id) => ({ id, uses: 1, lastUsedAtMs: NOW_MS - 15 * DAY_MS }))
  await t.storage.addUses({ writer: 'w', sequence: 1, uses })
  const all = (await t.list()).keys
  check(all.length === 56, 'there are 56 keys')
  return all
}
