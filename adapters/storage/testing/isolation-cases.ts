import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { checkEqual } from './assertions.ts'
import { contractGroup, eventsOf, firstPage, inserted, insertedMany } from './contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from './samples.ts'

const OURS = 'ws_ours'
const THEIRS = 'ws_theirs'

/** Another workspace's keys and events are out of reach and never change. */
export const isolationCases = contractGroup('isolation', {
  'a foreign key is not found, nor a revoked one': async (storage) => {
    const [key, revoked] = await insertedMany(storage, 2, () => ({ workspaceId: THEIRS }))
    if (!key || !revoked) return
    await storage.revoke(sampleRevokeChange(revoked))
    const before = await everythingOf(storage, THEIRS)
    const notFound = { outcome: 'not_found' }
    for (const theirs of [key, revoked]) {
      checkEqual(await storage.findById(OURS, theirs.id), null, 'findById')
      const posed = { ...theirs, workspaceId: OURS }
      checkEqual(await storage.revoke(sampleRevokeChange(posed)), notFound, 'revoke')
      checkEqual(await storage.rotate(sampleRotateChange(posed)), notFound, 'rotate')
      checkEqual(await storage.update(sampleUpdateChange(posed)), notFound, 'update')
    }
    checkEqual(await everythingOf(storage, THEIRS), before, 'the other workspace')
    checkEqual((await firstPage(storage, OURS)).records, [], 'our own keys')
    checkEqual(await eventsOf(storage, OURS), [], 'our own events')
  },

  'every operation leaves the other workspace byte-identical': async (storage) => {
    await populate(storage, THEIRS)
    const ours = await insertedMany(storage, 3, () => ({ workspaceId: OURS }))
    const before = await everythingOf(storage, THEIRS)
    for (const [name, operation] of Object.entries(operations(storage, ours))) {
      await operation()
      checkEqual(await everythingOf(storage, THEIRS), before, `the other workspace after ${name}`)
    }
  },

  'workspace ids that only look alike are strangers': async (storage) => {
    const alike = ['ws', 'WS', 'ws ', ' ws', 'ws_', 'ws%', 'w\u00e9', 'we\u0301']
    for (const workspaceId of alike) await inserted(storage, { workspaceId })
    for (const workspaceId of alike) {
      const { records, activeKeys } = await firstPage(storage, workspaceId)
      checkEqual([records.length, activeKeys], [1, 1], `the keys of ${JSON.stringify(workspaceId)}`)
      checkEqual((await eventsOf(storage, workspaceId)).length, 1, 'the number of events')
    }
  },

  'text that is not Unicode never answers for text that is': async (storage) => {
    const replaced = await inserted(storage, { workspaceId: 'ws_\ufffd' })
    const cut = await inserted(storage, { workspaceId: 'ws' })
    await checkStranger(storage, 'ws_\ud800', replaced)
    await checkStranger(storage, 'ws\u0000', cut)
    await checkStranger(storage, 'ws\u0000_', cut)
  },
})

/** A workspace whose id only resembles the key's sees nothing of the key. */
async function checkStranger(storage: KeyStorage, workspaceId: string, theirs: KeyRecord) {
  const query = { status: null, environment: null, atMs: 0, after: null, limit: 10 }
  const answers = await Promise.allSettled([
    storage.findById(workspaceId, theirs.id),
    storage.list(workspaceId, query).then((page) => page?.records[0] ?? null),
    storage.events(workspaceId, { after: null, limit: 10 }).then((events) => events?.[0] ?? null),
  ])
  // A storage may refuse such text altogether.
  const seen = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))
  checkEqual(seen, [null, null, null], `what ${JSON.stringify(workspaceId)} sees`)
  const change = { ...sampleRevokeChange(theirs), workspaceId }
  await storage.revoke(change).catch(() => undefined)
  checkEqual(await storage.findById(theirs.workspaceId, theirs.id), theirs, 'the key')
}

function operations(storage: KeyStorage, [first, second, third]: readonly KeyRecord[]) {
  const fresh = sampleRecord({ workspaceId: OURS })
  const target = (record: KeyRecord | undefined) => record ?? fresh
  const uses = [{ id: target(third).id, uses: 5, lastUsedAtMs: 1_000 }]
  const claim = { relay: 'relay_1', leaseMs: 1_000, limit: 10, except: [] }
  return {
    insert: () => storage.insert(fresh, null, sampleCreatedEvent(fresh)),
    'a refused insert': () => storage.insert(sampleRecord(), 0, sampleCreatedEvent(sampleRecord())),
    rotate: () => storage.rotate(sampleRotateChange(target(first))),
    'a refused rotate': () => storage.rotate(sampleRotateChange(target(first))),
    revoke: () => storage.revoke(sampleRevokeChange(target(second))),
    'a second revoke': () => storage.revoke(sampleRevokeChange(target(second))),
    update: () => storage.update(sampleUpdateChange(target(third))),
    'a refused update': () => storage.update(sampleUpdateChange(target(third))),
    addUses: () => storage.addUses({ writer: 'writer_1', sequence: 1, uses }),
    claimEvents: () => storage.claimEvents(claim),
    acknowledgeEvents: () => storage.acknowledgeEvents('relay_1', ['evt_unknown']),
    releaseEvents: () => storage.releaseEvents('relay_1'),
  }
}

/** Keys in every state: active, used, revoked, rotated, of both environments. */
async function populate(storage: KeyStorage, workspaceId: string): Promise<void> {
  const records = await insertedMany(storage, 6, (index) => ({
    workspaceId,
    environment: index % 2 === 0 ? 'live' : 'test',
  }))
  const [revoked, rotated, used] = records
  if (!revoked || !rotated || !used) return
  await storage.revoke(sampleRevokeChange(revoked))
  await storage.rotate(sampleRotateChange(rotated))
  const uses = [{ id: used.id, uses: 7, lastUsedAtMs: 5_000 }]
  await storage.addUses({ writer: 'writer_theirs', sequence: 1, uses })
}

/** All that can be read of a workspace, by every way of reading it. */
async function everythingOf(storage: KeyStorage, workspaceId: string) {
  const page = await firstPage(storage, workspaceId)
  const byId: unknown[] = []
  const byHash: unknown[] = []
  for (const { id, hash } of page.records) {
    byId.push(await storage.findById(workspaceId, id))
    byHash.push(await storage.findByHash(hash))
  }
  return { page, byId, byHash, events: await eventsOf(storage, workspaceId) }
}
