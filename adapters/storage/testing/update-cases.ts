import type { KeyStorage, StoredKey, UpdateChange } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  firstPage,
  inParallel,
  inserted,
  recordOf,
  stored,
  updatedBy,
} from './contract-case.ts'
import { sampleRevokeChange, sampleRotateChange, sampleUpdateChange, WORKSPACE } from './samples.ts'

const NEW_STATE = {
  name: 'ERP sync',
  scopes: ['flows.read'],
  expiresAtMs: Date.UTC(2027, 0, 1),
  pausedAtMs: 5,
  pausedBy: { id: 'u_pause', name: 'نورة' },
  metadata: { team: 'sales' },
}

/** One step from one version to the next: nobody's change is lost, and nothing else changes. */
export const updateCases = contractGroup('update', {
  'sets the whole state, the version and the event': async (storage) => {
    const record = await inserted(storage)
    const change = sampleUpdateChange(record, NEW_STATE)
    const updated = updatedBy(record, change)
    checkEqual(await storage.update(change), { outcome: 'updated', record: updated }, 'update')
    checkEqual(await storage.findByHash(record.hash), recordOf(updated), 'findByHash')
    checkEqual((await firstPage(storage, WORKSPACE)).records, [updated], 'list')
    checkEqual((await eventsOf(storage, WORKSPACE))[1], change.event, 'the second event')
  },

  'takes a pause, an expiry and metadata away again': async (storage) => {
    const record = await inserted(storage, NEW_STATE)
    const none = { expiresAtMs: null, pausedAtMs: null, pausedBy: null, metadata: {} }
    await storage.update(sampleUpdateChange(record, none))
    const { expiresAtMs, pausedAtMs, pausedBy, metadata } = await stored(storage, record)
    checkEqual({ expiresAtMs, pausedAtMs, pausedBy, metadata }, none, 'the state')
  },

  'from another version changes nothing': async (storage) => {
    const record = await inserted(storage)
    for (const version of [0, 2]) {
      const change = { ...sampleUpdateChange(record), version }
      checkEqual(await storage.update(change), { outcome: 'stale', record }, `version ${version}`)
    }
    checkEqual(await stored(storage, record), record, 'the key')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 1, 'the number of events')
  },

  'repeated with the same event answers updated and changes nothing': async (storage) => {
    const record = await inserted(storage)
    const change = sampleUpdateChange(record)
    const first = await storage.update(change)
    checkEqual(await storage.update(change), first, 'the second answer')
    const later = sampleUpdateChange(updatedBy(record, change), { name: 'Later' })
    await storage.update(later)
    const again = { outcome: 'updated', record: await stored(storage, record) }
    checkEqual(await storage.update(change), again, 'after another update')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 3, 'the number of events')
  },

  '100 updates from one version: one wins': async (storage) => {
    const record = await inserted(storage)
    const changes = Array.from({ length: 100 }, (_, at) =>
      sampleUpdateChange(record, { name: `Name ${at}` }),
    )
    const outcomes = await inParallel(100, (at) => storage.update(changeAt(changes, at)))
    const winners = changes.filter((_, at) => outcomes[at]?.outcome === 'updated')
    checkEqual(winners.length, 1, 'how many won')
    const { name, version } = await stored(storage, record)
    checkEqual([name, version], [winners[0]?.state.name, 2], 'the name and the version')
    checkEqual((await eventsOf(storage, WORKSPACE)).length, 2, 'the number of events')
  },

  'against revocation: the key is dead whichever came first': async (storage) => {
    for (let round = 0; round < 20; round += 1) await updateAgainstRevoke(storage, round)
  },

  'against rotation: a replacement never has a scope that was taken away': async (storage) => {
    for (let round = 0; round < 20; round += 1) await updateAgainstRotate(storage, round)
  },

  'against use counting: every use counts and the version moves by one': async (storage) => {
    const record = await inserted(storage)
    const change = sampleUpdateChange(record)
    const uses = [{ id: record.id, uses: 2, lastUsedAtMs: record.createdAtMs }]
    const counting = inParallel(10, (at) =>
      storage.addUses({ writer: `writer_${at}`, sequence: 1, uses }),
    )
    await Promise.all([counting, storage.update(change)])
    const counted = { uses: 20, lastUsedAtMs: record.createdAtMs }
    checkEqual(
      await stored(storage, record),
      { ...updatedBy(record, change), ...counted },
      'the key',
    )
  },

  'that has answered is seen by every later lookup': async (storage) => {
    let record = await inserted(storage)
    for (let round = 0; round < 20; round += 1) {
      const change = sampleUpdateChange(record, { scopes: [`scope.${round}`] })
      const lookups = inParallel(5, async () => storage.findByHash(record.hash))
      await storage.update(change)
      const later = await inParallel(5, async () => storage.findByHash(record.hash))
      await lookups
      const scopes = later.map((found) => found?.scopes[0])
      checkEqual(scopes, Array(5).fill(`scope.${round}`), 'the scopes that were seen')
      record = updatedBy(record, change)
    }
  },
})

function changeAt(changes: readonly UpdateChange[], at: number): UpdateChange {
  const change = changes[at]
  check(change !== undefined, 'there is such a change')
  return change
}

async function updateAgainstRevoke(storage: KeyStorage, round: number): Promise<void> {
  const record = await inserted(storage, { workspaceId: `ws_${round}` })
  const update = () => storage.update(sampleUpdateChange(record))
  const revoke = () => storage.revoke(sampleRevokeChange(record))
  const [first, second] = round % 2 === 0 ? [update, revoke] : [revoke, update]
  await Promise.all([first(), second()])
  const { revokedAtMs, version } = await stored(storage, record)
  check(revokedAtMs !== null, 'the key is dead')
  const events = await eventsOf(storage, record.workspaceId)
  checkEqual(version, events.length, 'one version for each event')
}

async function updateAgainstRotate(storage: KeyStorage, round: number): Promise<void> {
  const record: StoredKey = await inserted(storage, { workspaceId: `ws_${round}` })
  const rotation = sampleRotateChange(record)
  const update = () => storage.update(sampleUpdateChange(record, { scopes: ['contacts.read'] }))
  const rotate = () => storage.rotate(rotation)
  const [first, second] = round % 2 === 0 ? [update, rotate] : [rotate, update]
  const outcomes = (await Promise.all([first(), second()])).map(({ outcome }) => outcome)
  checkEqual(outcomes.filter((outcome) => outcome === 'stale').length, 1, 'how many were refused')
  const successor = await storage.findByHash(rotation.replacement.hash)
  const isRotated = outcomes.includes('rotated')
  checkEqual(successor !== null, isRotated, 'whether there is a successor')
}
