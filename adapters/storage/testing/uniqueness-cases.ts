import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { checkEqual, checkRejects } from './assertions.ts'
import { contractGroup, eventsOf, firstPage, insertedMany, recordOf } from './contract-case.ts'
import { sampleCreatedEvent, sampleRecord, sampleRotateChange, WORKSPACE } from './samples.ts'

/** One hash and one id name one key; a clash rejects as a whole and leaves no trace. */
export const uniquenessCases = contractGroup('uniqueness', {
  'insert of a taken hash under another id': async (storage) => {
    const before = await twoKeys(storage)
    const clash = sampleRecord({ hash: before.first.hash })
    await checkRejects(insert(storage, clash), 'insert')
    await checkUnchanged(storage, before)
  },

  'insert of a taken hash in another workspace': async (storage) => {
    const before = await twoKeys(storage)
    const clash = sampleRecord({ hash: before.first.hash, workspaceId: 'ws_other' })
    await checkRejects(insert(storage, clash), 'insert')
    await checkUnchanged(storage, before)
    checkEqual((await firstPage(storage, 'ws_other')).records, [], 'the other workspace')
    checkEqual(await eventsOf(storage, 'ws_other'), [], 'its events')
  },

  'insert of a taken id with another hash': async (storage) => {
    const before = await twoKeys(storage)
    const clash = sampleRecord({ id: before.first.id })
    await checkRejects(insert(storage, clash), 'insert')
    checkEqual(await storage.findByHash(clash.hash), null, 'the other hash')
    await checkUnchanged(storage, before)
  },

  'rotate to a taken hash leaves the old key alive': async (storage) => {
    const before = await twoKeys(storage)
    const change = sampleRotateChange(before.first, { hash: before.second.hash })
    await checkRejects(storage.rotate(change), 'rotate')
    await checkUnchanged(storage, before)
  },

  'rotate to the hash of the old key leaves it alive': async (storage) => {
    const before = await twoKeys(storage)
    const change = sampleRotateChange(before.first, { hash: before.first.hash })
    await checkRejects(storage.rotate(change), 'rotate')
    await checkUnchanged(storage, before)
  },

  'rotate to a taken id leaves the old key alive': async (storage) => {
    const before = await twoKeys(storage)
    const change = sampleRotateChange(before.first, { id: before.second.id })
    await checkRejects(storage.rotate(change), 'rotate')
    await checkUnchanged(storage, before)
  },

  'rotate to a key that is there already is no repeat': async (storage) => {
    const before = await twoKeys(storage)
    const { id, hash } = before.second
    await checkRejects(storage.rotate(sampleRotateChange(before.first, { id, hash })), 'rotate')
    await checkUnchanged(storage, before)
  },
})

function insert(storage: KeyStorage, record: KeyRecord) {
  return storage.insert(record, null, sampleCreatedEvent(record))
}

async function twoKeys(storage: KeyStorage) {
  const [first, second] = await insertedMany(storage, 2)
  if (!first || !second) throw new Error('two keys were asked for')
  const keys = (await firstPage(storage, WORKSPACE)).records
  return { first, second, keys, events: await eventsOf(storage, WORKSPACE) }
}

async function checkUnchanged(
  storage: KeyStorage,
  before: Awaited<ReturnType<typeof twoKeys>>,
): Promise<void> {
  checkEqual((await firstPage(storage, WORKSPACE)).records, before.keys, 'the keys')
  checkEqual(await eventsOf(storage, WORKSPACE), before.events, 'the events')
  for (const record of [before.first, before.second]) {
    checkEqual(await storage.findByHash(record.hash), recordOf(record), 'the key by its hash')
  }
}
