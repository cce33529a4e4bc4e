import { describe, expect, test } from 'vitest'
import { sha256Hex } from '#sha256'
import {
  sampleInsertion,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { ListKeysQuery } from '../../../src/keys/list-keys.ts'
import { isFound } from '../../../src/keys/read-page.ts'
import { folded } from '../../../src/model/folded.ts'
import type { KeyPageQuery } from '../../../src/storage/index.ts'
import { polluted } from '../../support/http/polluted.ts'
import { DAY_MS, MINUTE_MS, saidOf, worldWithKey } from '../../support/lifecycle/world.ts'
import { action, keyInput, openWorld, START_MS, WORKSPACE } from '../../support/world.ts'

type Query = Partial<Record<keyof ListKeysQuery, unknown>>

/** A workspace with keys of these names, the first one the oldest. */
async function worldWith(names: readonly string[]) {
  const world = openWorld()
  for (const name of names) {
    const record = sampleRecord({ workspaceId: WORKSPACE, name, createdAtMs: START_MS })
    await world.stored.write([sampleInsertion(record)])
  }
  const list = (query: Query) =>
    world.keys.listKeys({ workspaceId: WORKSPACE, ...query } as ListKeysQuery<'contacts.read'>)
  const namesOf = async (query: Query) => (await list(query)).keys.map(({ name }) => name)
  const idOf = async (search: string) => String((await list({ search })).keys[0]?.id)
  /** The names of all pages. */
  const pagesOf = async (query: Query) => {
    const pages: string[][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ ...query, cursor })
      pages.push(page.keys.map(({ name }) => name))
      cursor = page.nextCursor
    }
    return pages
  }
  return { world, list, namesOf, idOf, pagesOf }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `key ${index}`)
const CURSOR = 'cursor invalid_value: is not a cursor of this list.'

describe('a list', () => {
  test('of an empty workspace has what its plan allows', async () => {
    expect(await openWorld().keys.listKeys({ workspaceId: 'nobody' })).toEqual({
      ...{ keys: [], nextCursor: null, total: 0, activeKeys: 0, countedUpTo: 1_000 },
      ...{ activeKeyLimit: 5, maxLifetimeSeconds: null, maxOverlapSeconds: 604_800 },
      publicApi: true,
    })
  })

  test('has the newest first, 50 to a page', async () => {
    const { list, pagesOf } = await worldWith(numbered(120))
    const pages = await pagesOf({})
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
    expect(pages.flat()).toEqual(numbered(120).toReversed())
    expect((await pagesOf({ sort: 'createdAt' })).flat()).toEqual(numbered(120))
    expect(await list({})).toMatchObject({ activeKeys: 120, activeKeyLimit: 5, total: 120 })
  })

  test('shows the whole key and nothing more', async () => {
    const { keys, key, secret } = await worldWithKey()
    const list = await keys.listKeys({ workspaceId: WORKSPACE })
    expect(list.keys).toEqual([key])
    expect(JSON.stringify(list)).not.toContain(secret.slice(12))
    expect(JSON.stringify(list)).not.toContain(sha256Hex(secret))
    expect(Object.isFrozen(list) && Object.isFrozen(list.keys)).toBe(true)
  })
})

describe('filters', () => {
  test('of status take one or several, as they are now', async () => {
    const { world, idOf, namesOf } = await worldWith(['a', 'b', 'c'])
    await world.keys.pauseKey(action(await idOf('c')))
    await world.keys.revokeKey(action(await idOf('b')))
    const expiresAt = new Date(START_MS + MINUTE_MS)
    await world.keys.createKey(keyInput({ name: 'd', expiresAt }))
    world.nowMs = expiresAt.getTime()
    expect(await namesOf({ status: 'paused' })).toEqual(['c'])
    expect(await namesOf({ status: 'expired' })).toEqual(['d'])
    expect(await namesOf({ status: ['revoked', 'active', 'active'] })).toEqual(['b', 'a'])
  })

  test('of scope and creator leave the count of active keys as it is', async () => {
    const { keys, key } = await worldWithKey({ scopes: ['contacts.write'] })
    await keys.createKey(keyInput({ creator: { id: 'u_7', name: 'x' } }))
    for (const filter of [{ scope: 'contacts.write' as const }, { creatorId: 'u_1' }]) {
      const list = await keys.listKeys({ workspaceId: WORKSPACE, ...filter })
      expect([list.keys, list.activeKeys, list.total]).toEqual([[key], 2, 1])
    }
  })

  test('of days count from the last use, or else from the creation', async () => {
    const { world, keys, secret } = await worldWithKey()
    const isUnused = async (unusedForDays: number) =>
      (await keys.listKeys({ workspaceId: WORKSPACE, unusedForDays })).keys.length === 1
    world.nowMs = START_MS + 10 * DAY_MS
    expect([await isUnused(10), await isUnused(11)]).toEqual([true, false])
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    world.nowMs += DAY_MS - 1
    expect(await isUnused(1)).toBe(false)
    world.nowMs += 1
    expect(await isUnused(1)).toBe(true)
  })

  test('are not set by a polluted prototype', async () => {
    const { namesOf } = await worldWith(['a', 'b'])
    const filters = { search: 'a', scope: 'contacts.read', status: ['paused'], unusedForDays: 9 }
    await polluted(filters, async () => expect(await namesOf({})).toEqual(['b', 'a']))
  })
})

describe('a search', () => {
  test('gives pages like any other list', async () => {
    const { list, pagesOf } = await worldWith(numbered(60))
    const pages = await pagesOf({ search: 'KEY 5', limit: 4 })
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 3])
    const wanted = numbered(60).filter((name) => name.includes('5'))
    expect(pages.flat()).toEqual(wanted.toReversed())
    expect(await list({ search: 'key' })).toMatchObject({ activeKeys: 60, total: null })
  })

  test('has no next page after the last match, and works with other filters', async () => {
    const { world, idOf, namesOf, pagesOf } = await worldWith(['zz 1', 'b', 'zz 2'])
    expect(await pagesOf({ search: 'zz', limit: 2 })).toEqual([['zz 2', 'zz 1']])
    await world.keys.revokeKey(action(await idOf('1')))
    expect(await namesOf({ search: 'zz', status: 'active' })).toEqual(['zz 2'])
  })

  test('reads 500 keys at a time and at most 10,000 for one page', async () => {
    const { world, list } = await worldWith(['the one', 'other'])
    const queries: KeyPageQuery[] = []
    world.misbehaviour.list = (workspaceId: string, query: KeyPageQuery) => {
      queries.push(query)
      // All others are on the pages before.
      const after = queries.length <= 20 ? null : query.after
      return world.stored.list(workspaceId, { ...query, after, limit: 1 })
    }
    const first = await list({ search: 'one' })
    expect([first.keys.length, queries.length]).toEqual([0, 20])
    expect(queries.every(({ limit }) => limit === 500)).toBe(true)
    const second = await list({ search: 'one', cursor: first.nextCursor })
    expect(second.keys.map(({ name }) => name)).toEqual(['the one'])
    expect([second.nextCursor, queries.length]).toEqual([null, 21])
  })
})

describe('a cursor', () => {
  const filters: readonly Query[] = [
    {},
    { status: 'active' },
    { status: ['active', 'paused'] },
    { environment: 'live' },
    { scope: 'contacts.read' },
    { search: 'key' },
    { search: 'key k' },
    { unusedForDays: 1 },
    { status: 'active', environment: 'live' },
  ]

  test('belongs to its filters', async () => {
    const { world, list } = await worldWith(numbered(3))
    world.nowMs += DAY_MS
    for (const [from, query] of filters.entries()) {
      const { nextCursor: cursor } = await list({ ...query, limit: 1 })
      for (const [at, other] of filters.entries()) {
        const page = list({ ...other, cursor })
        if (from === at) expect((await page).keys).toHaveLength(2)
        else expect(await saidOf(page)).toEqual([CURSOR])
      }
    }
  })

  test('takes filters that mean the same for the same', async () => {
    const { list } = await worldWith(numbered(3))
    const query = { status: ['paused', 'active'], search: 'Key', limit: 1 }
    const { nextCursor: cursor } = await list(query)
    const same = { search: ' KEY ', status: ['active', 'paused', 'active'], environment: undefined }
    expect((await list({ ...same, cursor })).keys).toHaveLength(2)
  })

  test('stays valid while keys are inserted, changed and no longer match', async () => {
    const { world, list, namesOf } = await worldWith(numbered(3))
    const query = { status: 'active', search: 'key' }
    const { keys, nextCursor: cursor } = await list({ ...query, limit: 1 })
    await world.keys.revokeKey(action(String(keys[0]?.id)))
    await world.keys.createKey(keyInput({ name: 'key 4' }))
    expect(await namesOf({ ...query, cursor })).toEqual(['key 1', 'key 0'])
  })

  test('of nowhere, or of another workspace, is none', async () => {
    const { world, list } = await worldWith(['a'])
    for (const _ of [1, 2]) await world.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const { nextCursor } = await world.keys.listKeys({ workspaceId: 'ws_2', limit: 1 })
    world.asked()
    const none = ['', '.', 'x', 'key_none', `key_none.${'0'.repeat(16)}`, `1.${'0'.repeat(16)}`]
    for (const cursor of [...none, nextCursor, `${nextCursor}'; --`, `${nextCursor}.1`]) {
      expect(await saidOf(list({ cursor }))).toEqual([CURSOR])
    }
    expect(world.asked()).toEqual([])
    expect((await list({ cursor: null })).keys).toHaveLength(1)
  })
})

describe('these are searched as one', () => {
  test.each([
    ['case', 'CRM Sync', 'crm sync'],
    ['accents', 'Café Zürich', 'CAFE ZURICH'],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
    ['sharp s', 'Straße', 'STRASSE'],
    ['sigma at the end', 'ΟΔΟΣ', 'οδος'],
    ['alef with hamza, madda and wasla', 'أحمد إحسان آمنة ٱلنور', 'احمد احسان امنة النور'],
    ['alef maksura and ya', 'مصطفى على', 'مصطفي علي'],
    ['ta marbuta and ha', 'نورة', 'نوره'],
    ['hamza on waw and ya', 'مسؤول رئيس', 'مسوول رييس'],
    ['short vowels', 'مُفْتَاحٌ', 'مفتاح'],
    ['tatweel', 'مفـــتاح', 'مفتاح'],
    ['Arabic and Persian digits', 'مفتاح ٢٠٢٦ ۲۰۲۶', 'مفتاح 2026 2026'],
    ['Persian ya and kaf', 'کلید علی', 'كليد علي'],
    ['full-width letters', 'ＣＲＭ', 'crm'],
    ['ligatures', 'ﷲ ﬁn', 'الله fin'],
    ['joiners and marks of direction', 'می\u200cشود \u200fa', 'ميشود a'],
    ['spaces', '  a\u00a0 \t b ', 'a b'],
  ])('%s', (_, one, other) => {
    expect(folded(one)).toBe(folded(other))
    expect(folded(folded(one))).toBe(folded(one))
  })

  test('and nothing more', () => {
    const words = ['ا', 'ب', 'ه', 'ح', 'ي', 'و', 'ء', '1', '2', 'a', 'b', '.', '-', '%', '_']
    expect(new Set(words.map(folded)).size).toBe(words.length)
    const text = 'إِنْشَاءُ ﷺ İı'
    expect(folded(folded(text))).toBe(folded(text))
  })
})

const found = ['crm', 'مزامنه', 'نوره', 'العتيبى', 'contacts', 'deals.write', 'crm نوره deals']
const none = ['erp', 'u_9', 'crm erp', 'crmنوره', 'key_', 'svc_', '.*']

test.each([
  ...found.map((search) => [search, true] as const),
  ...none.map((search) => [search, false] as const),
])('a search for %s finds the key: %s', (search, isHit) => {
  const creator = { id: 'u_9', name: 'نورة العتيبي' }
  const scopes = ['contacts.read', 'deals.write']
  expect(isFound(sampleRecord({ name: 'مزامنة CRM', creator, scopes }), folded(search))).toBe(isHit)
})
