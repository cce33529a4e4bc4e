import { type KeyPageQuery, type KeyStorage, statusAt } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, inserted, insertedMany, list, walk } from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, sampleUpdateChange } from './samples.ts'

const NOW_MS = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000

/** `list` picks by several statuses, by scope and by last use, on every page alike. */
export const filterCases = contractGroup('filter', {
  'several statuses give the keys of each': async (storage) => {
    await keysOfEveryStatus(storage)
    const all = await idsOf(storage, {})
    const records = (await page(storage, {})).records
    for (const status of [
      ['active', 'retiring'],
      ['paused', 'expired', 'revoked'],
      ['revoked', 'active'],
      ['active', 'retiring', 'paused', 'expired', 'revoked'],
    ] as const) {
      const wanted = records.filter((key) => status.some((one) => one === statusAt(key, NOW_MS)))
      const ids = wanted.map(({ id }) => id)
      check(ids.length > 0 && ids.length <= all.length, 'some keys match')
      checkEqual(await idsOf(storage, { status }), ids, `the keys that are ${status.join(' or ')}`)
      checkEqual(await walked(storage, { status, limit: 2 }), ids, 'the same in pages of two')
    }
  },

  'a scope gives the keys that have it, whole': async (storage) => {
    const scopes = [
      ['a.read'],
      ['a.read', 'a.write'],
      ['a'],
      ['b,a.read'],
      ['A.read'],
      ['"a.read"'],
    ]
    const records = await insertedMany(storage, scopes.length, (index) => ({
      scopes: scopes[index] ?? [],
    }))
    const ids = records.map(({ id }) => id)
    checkEqual(await idsOf(storage, { scope: 'a.read' }), [ids[1], ids[0]], 'the keys for a.read')
    checkEqual(await idsOf(storage, { scope: '"a.read"' }), [ids[5]], 'the keys for a quoted scope')
    checkEqual(await idsOf(storage, { scope: 'a.rea_' }), [], 'the keys for a pattern')
    checkEqual(await idsOf(storage, { scope: '%' }), [], 'the keys for another pattern')
  },

  'a scope filter uses the current scopes': async (storage) => {
    const record = await inserted(storage, { scopes: ['a.read'] })
    await storage.update(sampleUpdateChange(record, { scopes: ['a.write'] }))
    checkEqual(await idsOf(storage, { scope: 'a.read' }), [], 'the keys for the scope of before')
    checkEqual(await idsOf(storage, { scope: 'a.write' }), [record.id], 'the keys for that of now')
  },

  'a key counts as unused since its last use, or since it was made': async (storage) => {
    const ages = [10, 20, 30]
    const records = await insertedMany(storage, 3, (index) => ({
      createdAtMs: NOW_MS - (ages[index] ?? 0) * DAY_MS,
    }))
    const [young, middle, old] = records.map(({ id }) => id)
    const unused = (days: number) => idsOf(storage, { notUsedAfterMs: NOW_MS - days * DAY_MS })
    checkEqual(await unused(20), [old, middle], 'the keys made 20 days ago or before')
    const lastUsedAtMs = NOW_MS - 15 * DAY_MS
    const uses = [{ id: String(old), uses: 1, lastUsedAtMs }]
    await storage.addUses({ writer: 'writer_1', sequence: 1, uses })
    checkEqual(await unused(16), [middle], 'the keys not used for 16 days')
    checkEqual(await unused(15), [old, middle], 'the keys not used for 15 days')
    checkEqual(await idsOf(storage, { notUsedAfterMs: lastUsedAtMs - 1 }), [middle], '1 ms before')
    checkEqual(await unused(10), [old, middle, young], 'the keys not used for 10 days')
    checkEqual(await unused(31), [], 'the keys not used for 31 days')
  },

  'a refusal is no use': async (storage) => {
    const { id } = await inserted(storage, { createdAtMs: NOW_MS - 20 * DAY_MS })
    const counts = [{ id, hour: NOW_MS / 3_600_000, outcome: 'revoked', count: 9 }] as const
    const history = { hourlyForDays: 300, dailyForDays: 400, counts }
    await storage.addUses({ writer: 'writer_1', sequence: 1, uses: [], history })
    checkEqual(await idsOf(storage, { notUsedAfterMs: NOW_MS - DAY_MS }), [id], 'the keys')
  },

  'all filters together give what passes each': async (storage) => {
    await insertedMany(storage, 60, (index) => ({
      environment: index % 2 === 0 ? 'live' : 'test',
      scopes: index % 3 === 0 ? ['a.read', 'b.read'] : ['b.read'],
      createdAtMs: NOW_MS - index * DAY_MS,
      expiresAtMs: index % 5 === 0 ? NOW_MS - 1 : null,
    }))
    const query = {
      status: ['active', 'paused'] as const,
      environment: 'live' as const,
      scope: 'a.read',
      notUsedAfterMs: NOW_MS - 20 * DAY_MS,
    }
    const { records } = await page(storage, {})
    const ids = records
      .filter(({ environment, scopes }) => environment === 'live' && scopes.includes('a.read'))
      .filter(({ createdAtMs }) => createdAtMs <= query.notUsedAfterMs)
      .filter((key) => statusAt(key, NOW_MS) === 'active')
      .map(({ id }) => id)
    check(ids.length > 3, 'several keys pass')
    checkEqual(await idsOf(storage, query), ids, 'the keys')
    for (const limit of [1, 3])
      checkEqual(await walked(storage, { ...query, limit }), ids, 'in pages')
    checkEqual((await page(storage, query)).activeKeys, 48, 'activeKeys')
  },
})

async function keysOfEveryStatus(storage: KeyStorage): Promise<void> {
  const paused = { pausedAtMs: NOW_MS, pausedBy: { id: 'u_1', name: 'Sami' } }
  for (let round = 0; round < 3; round += 1) {
    await inserted(storage)
    await inserted(storage, { expiresAtMs: NOW_MS })
    await inserted(storage, paused)
    await storage.revoke(sampleRevokeChange(await inserted(storage)))
    for (const retiresAtMs of [NOW_MS, NOW_MS + 1]) {
      await storage.rotate({ ...sampleRotateChange(await inserted(storage)), retiresAtMs })
    }
  }
}

function page(storage: KeyStorage, query: Partial<KeyPageQuery>) {
  return list(storage, { atMs: NOW_MS, ...query })
}

async function idsOf(storage: KeyStorage, query: Partial<KeyPageQuery>) {
  return (await page(storage, query)).records.map(({ id }) => id)
}

/** The ids of all pages. */
async function walked(storage: KeyStorage, query: Partial<KeyPageQuery>) {
  return (await walk(storage, { atMs: NOW_MS, ...query })).map(({ id }) => id)
}
