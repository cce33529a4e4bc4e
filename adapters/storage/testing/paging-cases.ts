import type { KeyPageQuery } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import { contractGroup, firstPage, inserted, insertedMany, list, walk } from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, WORKSPACE } from './samples.ts'

/** Pages come newest first, hold still while keys are inserted, and miss or repeat nothing. */
export const pagingCases = contractGroup('paging', {
  'the latest insert comes first, whatever createdAtMs says': async (storage) => {
    const records = await insertedMany(storage, 4, (index) => ({ createdAtMs: 1_000 - index }))
    checkEqual((await firstPage(storage, WORKSPACE)).records, records.toReversed(), 'the keys')
  },

  'a rotation puts the replacement first': async (storage) => {
    const [first, second] = await insertedMany(storage, 2)
    check(first !== undefined && second !== undefined, 'two keys were inserted')
    const change = sampleRotateChange(first)
    await storage.rotate(change)
    const { records } = await firstPage(storage, WORKSPACE)
    const ids = records.map(({ id }) => id)
    checkEqual(ids, [change.replacement.id, second.id, first.id], 'the keys')
  },

  'more says whether older keys that match follow': async (storage) => {
    await insertedMany(storage, 3, () => ({ environment: 'test' }))
    await insertedMany(storage, 3, () => ({ environment: 'live' }))
    const more = async (query: Partial<KeyPageQuery>) => (await list(storage, query)).more
    checkEqual(await more({ limit: 5 }), true, 'more with one key left')
    checkEqual(await more({ limit: 6 }), false, 'more with none left')
    checkEqual(await more({ limit: 7 }), false, 'more with room to spare')
    checkEqual(await more({ limit: 2, environment: 'live' }), true, 'more with one match left')
    checkEqual(await more({ limit: 3, environment: 'live' }), false, 'more with no match left')
  },

  'a walk over 300 keys sees each exactly once': async (storage) => {
    const records = await insertedMany(storage, 300)
    checkEqual(await walk(storage, { limit: 7 }), records.toReversed(), 'the keys')
  },

  'keys inserted during a walk shift nothing': async (storage) => {
    const records = await insertedMany(storage, 30)
    const seen = await walk(storage, { limit: 4 }, () => inserted(storage))
    checkEqual(seen, records.toReversed(), 'the keys')
  },

  'a walk goes on after its cursor stopped matching': async (storage) => {
    const records = await insertedMany(storage, 12)
    const seen = await walk(storage, { limit: 3, status: ['active'] }, async (page) => {
      const last = page.at(-1)
      if (last) await storage.revoke(sampleRevokeChange(last))
    })
    checkEqual(
      seen.map(({ id }) => id),
      records.map(({ id }) => id).toReversed(),
      'the keys',
    )
  },

  'a cursor at the oldest key gives an empty page': async (storage) => {
    const record = await inserted(storage)
    const page = { records: [], more: false, activeKeys: 1, total: null }
    checkEqual(await list(storage, { after: record.id }), page, 'list')
  },

  'a cursor that is unknown or foreign answers null': async (storage) => {
    await inserted(storage)
    const foreign = await inserted(storage, { workspaceId: 'ws_other' })
    for (const after of ['key_unknown', '', foreign.id]) {
      const query = { status: null, environment: null, atMs: 0, after, limit: 10 }
      checkEqual(await storage.list(WORKSPACE, query), null, `list after ${JSON.stringify(after)}`)
    }
  },
})
