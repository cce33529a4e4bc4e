import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { checkEqual, checkRejects } from './assertions.ts'
import {
  type ContractCase,
  contractGroup,
  eventsOf,
  firstPage,
  insertedMany,
  recordOf,
} from './contract-case.ts'
import { sampleCreatedEvent, sampleRecord, sampleRotateChange, WORKSPACE } from './samples.ts'

type Keys = Awaited<ReturnType<typeof twoKeys>>

/** What clashes with one of two keys, in the fields of a new one. */
const TAKEN: Readonly<Record<string, (keys: Keys) => Partial<KeyRecord>>> = {
  'a taken hash under another id': ({ second: { hash } }) => ({ hash }),
  'a taken id with another hash': ({ second: { id } }) => ({ id }),
}

/** One hash and one id name one key; a clash rejects as a whole and leaves no trace. */
export const uniquenessCases = contractGroup(
  'uniqueness',
  Object.fromEntries([
    ...clashes('insert of', {
      ...TAKEN,
      'a taken hash in another workspace': ({ first: { hash } }) => ({
        ...{ hash, workspaceId: 'ws_other' },
      }),
    }),
    ...clashes('rotate to', {
      ...TAKEN,
      'the hash of the old key': ({ first: { hash } }) => ({ hash }),
      'a key that is there already': ({ second: { id, hash } }) => ({ id, hash }),
    }),
  ]),
)

function clashes(verb: 'insert of' | 'rotate to', fields: typeof TAKEN) {
  return Object.entries(fields).map(([name, fieldsFor]): [string, ContractCase['check']] => [
    `${verb} ${name}`,
    async (storage) => {
      const keys = await twoKeys(storage)
      const change = sampleRotateChange(keys.first, fieldsFor(keys))
      const clash = verb === 'insert of' ? sampleRecord(fieldsFor(keys)) : change.replacement
      const call =
        verb === 'insert of'
          ? storage.insert(clash, null, sampleCreatedEvent(clash))
          : storage.rotate(change)
      await checkRejects(call, verb)
      await checkUnchanged(storage, keys, clash)
    },
  ])
}

async function twoKeys(storage: KeyStorage) {
  const [first, second] = await insertedMany(storage, 2)
  if (!first || !second) throw new Error('two keys are needed')
  const keys = (await firstPage(storage, WORKSPACE)).records
  return { first, second, keys, events: await eventsOf(storage, WORKSPACE) }
}

async function checkUnchanged(storage: KeyStorage, before: Keys, clash: KeyRecord): Promise<void> {
  checkEqual((await firstPage(storage, WORKSPACE)).records, before.keys, 'the keys')
  checkEqual(await eventsOf(storage, WORKSPACE), before.events, 'the events')
  checkEqual((await firstPage(storage, 'ws_other')).records, [], 'the other workspace')
  checkEqual(await eventsOf(storage, 'ws_other'), [], 'its events')
  for (const { hash } of [before.first, before.second, clash]) {
    const known = [before.first, before.second].find((record) => record.hash === hash)
    checkEqual(await storage.findByHash(hash), known ? recordOf(known) : null, 'findByHash')
  }
}
