import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, firstPage, inParallel, insertedMany } from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  WORKSPACE,
} from './samples.ts'

const WORKSPACES = ['ws_1', 'ws_2', 'ws_3']

/** The active-key limit holds inside `insert`, whatever else happens. */
export const limitCases = contractGroup('limit', {
  'insert at the limit stores nothing and says how many are active': async (storage) => {
    const records = await insertedMany(storage, 5)
    const refused = sampleRecord()
    checkEqual(await insertUpTo(storage, refused, 5), { inserted: false, activeKeys: 5 }, 'insert')
    checkEqual(await storage.findByHash(refused.hash), null, 'findByHash')
    checkEqual((await firstPage(storage, WORKSPACE)).records, records.toReversed(), 'the keys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 5, 'the number of events')
  },

  '100 parallel inserts at limit 5 leave exactly 5': async (storage) => {
    const outcomes = await inParallel(100, () => insertUpTo(storage, sampleRecord(), 5))
    checkEqual(outcomes.filter(({ inserted }) => inserted).length, 5, 'how many were inserted')
    const { records, activeKeys } = await firstPage(storage, WORKSPACE)
    checkEqual([records.length, activeKeys], [5, 5], 'keys and active keys')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 5, 'the number of events')
  },

  'the count agrees with a recount after any history': async (storage) => {
    const draw = drawing(20_260_101)
    for (let round = 0; round < 8; round += 1) {
      for (let step = 0; step < 12; step += 1) await randomChange(storage, draw)
      await inParallel(12, () => randomChange(storage, draw))
      for (const workspaceId of WORKSPACES) await checkCount(storage, workspaceId)
    }
  },
})

function insertUpTo(storage: KeyStorage, record: KeyRecord, activeLimit: number | null) {
  return storage.insert(record, activeLimit, sampleCreatedEvent(record))
}

/** Draws whole numbers below a bound, the same ones each time (Numerical Recipes' generator). */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Creates, rotates or revokes, now and then for the second time; a change may be refused. */
async function randomChange(storage: KeyStorage, draw: (below: number) => number): Promise<void> {
  const workspaceId = WORKSPACES[draw(WORKSPACES.length)] ?? WORKSPACE
  const { records } = await firstPage(storage, workspaceId)
  const record = records[draw(records.length)]
  const kind = draw(6)
  if (record === undefined || kind < 2) {
    await insertUpTo(storage, sampleRecord({ workspaceId }), 10)
  } else if (kind === 2) {
    await insertUpTo(storage, record, null)
  } else if (kind === 3) {
    await storage.revoke(sampleRevokeChange(record))
  } else {
    const rotation = sampleRotateChange(record)
    for (let times = 3; times < kind; times += 1) await storage.rotate(rotation)
  }
}

/** What `list` and a refused `insert` say about a workspace is what its keys say. */
async function checkCount(storage: KeyStorage, workspaceId: string): Promise<void> {
  const { records, activeKeys } = await firstPage(storage, workspaceId)
  const recount = records.filter(countsTowardsLimit).length
  checkEqual(activeKeys, recount, `activeKeys of ${workspaceId}`)
  const refused = await insertUpTo(storage, sampleRecord({ workspaceId }), 0)
  checkEqual(refused, { inserted: false, activeKeys: recount }, `the limit of ${workspaceId}`)
}

function countsTowardsLimit({ revokedAtMs }: KeyRecord): boolean {
  return revokedAtMs === null
}
