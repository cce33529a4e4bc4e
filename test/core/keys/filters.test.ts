import { describe, expect, test } from 'vitest'
import {
  sampleInsertion,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { plans } from '../../../src/index.ts'
import type { ListKeysQuery } from '../../../src/keys/list-keys.ts'
import type { KeyPageQuery } from '../../../src/storage/index.ts'
import {
  action,
  fault,
  keyInput,
  openWorld,
  refusal,
  START_MS,
  WORKSPACE,
} from '../../support/world.ts'

const DAY_MS = 86_400_000

/** A workspace with keys of these names, the first one the oldest. */
async function worldWith(names: readonly string[]) {
  const world = openWorld()
  for (const name of names) {
    const record = sampleRecord({ workspaceId: WORKSPACE, name, createdAtMs: START_MS })
    await world.stored.write([sampleInsertion(record)])
  }
  const list = (query: Partial<ListKeysQuery>) =>
    world.keys.listKeys({ workspaceId: WORKSPACE, ...query } as ListKeysQuery<'contacts.read'>)
  const namesOf = async (query: Partial<ListKeysQuery>) =>
    (await list(query)).keys.map(({ name }) => name)
  return { world, list, namesOf }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `key ${index}`)

describe('filters', () => {
  test('status: one, or several', async () => {
    const { world, list, namesOf } = await worldWith(['a', 'b', 'c'])
    const [c, b] = (await list({})).keys.map(({ id }) => id)
    await world.keys.pauseKey(action(String(c)))
    await world.keys.revokeKey(action(String(b)))
    expect(await namesOf({ status: 'paused' })).toEqual(['c'])
    expect(await namesOf({ status: ['paused'] })).toEqual(['c'])
    expect(await namesOf({ status: ['revoked', 'active', 'active'] })).toEqual(['b', 'a'])
  })

  test('scope', async () => {
    const { keys } = openWorld()
    const write = await keys.createKey(keyInput({ scopes: ['contacts.write'] }))
    await keys.createKey(keyInput())
    const list = await keys.listKeys({ workspaceId: WORKSPACE, scope: 'contacts.write' })
    expect(list.keys).toEqual([write.key])
    expect(list.activeKeys).toBe(2)
  })

  test('unusedForDays: since the last use, or since the creation', async () => {
    const world = openWorld()
    const { secret, key } = await world.keys.createKey(keyInput())
    const unused = async (unusedForDays: number) =>
      (await world.keys.listKeys({ workspaceId: WORKSPACE, unusedForDays })).keys.length
    world.nowMs = START_MS + 10 * DAY_MS
    expect([await unused(10), await unused(11)]).toEqual([1, 0])
    await world.keys.authenticate(`Bearer ${secret}`, null)
    await world.keys.flush()
    expect(await unused(1)).toBe(0)
    world.nowMs += DAY_MS - 1
    expect(await unused(1)).toBe(0)
    world.nowMs += 1
    expect(await unused(1)).toBe(1)
    await world.keys.revokeKey(action(key.id))
    const query = { workspaceId: WORKSPACE, unusedForDays: 1, status: 'active' } as const
    expect((await world.keys.listKeys(query)).keys).toEqual([])
  })

  test('a polluted prototype sets none', async () => {
    const { namesOf } = await worldWith(['a', 'b'])
    const polluted = { search: 'a', scope: 'contacts.read', status: ['paused'], unusedForDays: 9 }
    Object.assign(Object.prototype, polluted)
    try {
      expect(await namesOf({})).toEqual(['b', 'a'])
    } finally {
      for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
    }
  })
})

describe('search', () => {
  test('gives pages like any other list', async () => {
    const { list } = await worldWith(numbered(60))
    const found: string[] = []
    let cursor: string | null = null
    do {
      const page = await list({ search: 'KEY 5', limit: 4, cursor })
      expect(page.keys.length).toBeLessThanOrEqual(4)
      expect(page).toMatchObject({ activeKeys: 60, activeKeyLimit: plans.business.activeKeyLimit })
      found.push(...page.keys.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== null)
    const wanted = numbered(60).filter((name) => name.includes('5'))
    expect(found).toEqual(wanted.toReversed())
  })

  test('a page that is full to the last match has no next one', async () => {
    const { list } = await worldWith(['zz 1', 'b', 'zz 2'])
    expect((await list({ search: 'zz', limit: 2 })).nextCursor).toBe(null)
    expect((await list({ search: 'zz', limit: 1 })).nextCursor).not.toBe(null)
  })

  test('works with the other filters', async () => {
    const { world, list, namesOf } = await worldWith(['zz 1', 'zz 2', 'b'])
    await world.keys.revokeKey(action(String((await list({ search: '1' })).keys[0]?.id)))
    expect(await namesOf({ search: 'zz', status: 'active' })).toEqual(['zz 2'])
  })

  test('reads 500 keys at a time and at most 10,000 for one page', async () => {
    const { world, list } = await worldWith(['the one', ...numbered(10_400)])
    const asked: KeyPageQuery[] = []
    world.misbehaviour.list = (workspaceId: string, query: KeyPageQuery) => {
      asked.push(query)
      return world.stored.list(workspaceId, query)
    }
    const first = await list({ search: 'one' })
    expect([first.keys.length, asked.length]).toEqual([0, 20])
    expect(asked.every(({ limit }) => limit === 500)).toBe(true)
    const second = await list({ search: 'one', cursor: first.nextCursor })
    expect(second.keys.map(({ name }) => name)).toEqual(['the one'])
    expect([second.nextCursor, asked.length]).toEqual([null, 21])
  })

  test('a storage that fails is an outage', async () => {
    const { world, list } = await worldWith(numbered(600))
    world.misbehaviour.list = () => Promise.reject(new Error('down'))
    expect((await fault(list({ search: 'x' }))).operation).toBe('list')
  })
})

describe('a cursor', () => {
  const filters: readonly Partial<ListKeysQuery>[] = [
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
    const cursors = await Promise.all(
      filters.map(async (query) => String((await list({ ...query, limit: 1 })).nextCursor)),
    )
    expect(new Set(cursors).size).toBe(filters.length)
    for (const [at, query] of filters.entries()) {
      for (const [from, cursor] of cursors.entries()) {
        if (from === at) expect((await list({ ...query, cursor })).keys).toHaveLength(2)
        else expect((await refusal(list({ ...query, cursor }))).issues[0]?.path).toEqual(['cursor'])
      }
    }
  })

  test('takes filters that mean the same for the same', async () => {
    const { list } = await worldWith(numbered(3))
    const { nextCursor: cursor } = await list({
      status: ['paused', 'active'],
      search: 'Key',
      limit: 1,
    })
    const same = { search: ' KEY ', status: ['active', 'paused', 'active'], environment: undefined }
    expect((await list({ ...same, cursor } as Partial<ListKeysQuery>)).keys).toHaveLength(2)
  })

  test('stays valid while keys are inserted, changed and no longer match', async () => {
    const { world, list, namesOf } = await worldWith(numbered(3))
    const query = { status: 'active', search: 'key' } as const
    const { keys, nextCursor: cursor } = await list({ ...query, limit: 1 })
    await world.keys.revokeKey(action(String(keys[0]?.id)))
    await world.keys.createKey(keyInput({ name: 'key 4' }))
    expect(await namesOf({ ...query, cursor })).toEqual(['key 1', 'key 0'])
  })

  test.each(['', '.', 'key_none', `key_none.${'0'.repeat(16)}`])(
    '%j is no cursor',
    async (cursor) => {
      const { list } = await worldWith(['a'])
      for (const query of filters) {
        expect((await refusal(list({ ...query, cursor }))).issues[0]?.code).toBe('invalid_value')
      }
    },
  )
})
