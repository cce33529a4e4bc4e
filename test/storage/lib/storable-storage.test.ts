import { describe, expect, test } from 'vitest'
import {
  type StorableStorage,
  storableOnly,
} from '../../../adapters/storage/lib/storable-storage.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'

/** A storage, and what it has asked its database for. */
function world() {
  const asked: (readonly unknown[])[] = []
  const ask =
    (name: string | symbol) =>
    async (...[first, second]: readonly unknown[]) => {
      asked.push(second === undefined ? [name, first] : [name, first, second])
    }
  const database = new Proxy({} as StorableStorage, { get: (_, name) => ask(name) })
  return { asked, storage: storableOnly(database) as KeyStorage }
}

const HASH = '0123456789abcdef'.repeat(4)
const BAD = 'a\u0000'
const FIRST = { status: null, environment: null, atMs: 0, after: null, limit: 5 } as const
const EVER = { hours: { from: 0, to: 1 }, days: { from: 0, to: 1 } }
const NONE = { keys: 0, events: 0, more: false }

describe('what no database holds is not queried', () => {
  test.each<readonly [string, (storage: KeyStorage) => unknown, unknown]>([
    ['a hash that is too long', (storage) => storage.findByHash(`${HASH}0`), null],
    ['a hash behind something', (storage) => storage.findByHash(`\n${HASH}`), null],
    ['a hash before something', (storage) => storage.findByHash(`${HASH}\n`), null],
    ['a hash in capitals', (storage) => storage.findByHash(HASH.toUpperCase()), null],
    ['a hash that is too short', (storage) => storage.findByHash(HASH.slice(1)), null],
    ['a key of a bad workspace', (storage) => storage.findById(BAD, 'key'), null],
    ['a key with a bad id', (storage) => storage.findById('ws', BAD), null],
    [
      'the first page of a bad workspace',
      (storage) => storage.list(BAD, FIRST),
      { records: [], more: false, activeKeys: 0, total: 0 },
    ],
    ['a later one', (storage) => storage.list(BAD, { ...FIRST, after: 'key' }), null],
    ['a page after a bad id', (storage) => storage.list('ws', { ...FIRST, after: BAD }), null],
    [
      'the first events of a bad workspace',
      (storage) => storage.events(BAD, { after: null, limit: 5 }),
      [],
    ],
    ['later ones', (storage) => storage.events(BAD, { after: 'evt', limit: 5 }), null],
    ['events after a bad id', (storage) => storage.events('ws', { after: BAD, limit: 5 }), null],
    [
      'a purge of a bad person',
      (storage) => storage.erasePerson({ personId: BAD, limit: 1 }),
      NONE,
    ],
    ['the usage of a bad id', (storage) => storage.usage('ws', { ...EVER, id: BAD }), null],
    [
      'the usage of a bad workspace',
      (storage) => storage.usage(BAD, { ...EVER, id: null }),
      { hours: [], days: [] },
    ],
    ['a bad workspace to confirm', (storage) => storage.confirm(BAD), {}],
    ['events of a bad relay', (storage) => storage.acknowledgeEvents(BAD, ['evt']), undefined],
    ['the lease of a bad relay', (storage) => storage.releaseEvents(BAD), undefined],
  ])('%s', async (_, call, expected) => {
    const { asked, storage } = world()
    expect(await call(storage)).toEqual(expected)
    expect(asked).toEqual([])
  })

  test('each empty page is one of its own', async () => {
    const { storage } = world()
    const [one, other] = [await storage.list(BAD, FIRST), await storage.list(BAD, FIRST)]
    expect(one).not.toBe(other)
  })

  test('of a list, only what cannot be held is left out', async () => {
    const { asked, storage } = world()
    await storage.acknowledgeEvents('relay', ['evt_1', BAD, 'evt_2'])
    const uses = [BAD, 'key_1'].map((id) => ({ id, uses: 2, lastUsedAtMs: 3 }))
    await storage.addUses({ writer: 'w', sequence: 4, uses })
    const claim = { relay: 'r', leaseMs: 1, limit: 1 }
    await storage.claimEvents({ ...claim, except: ['ws', BAD] })
    expect(asked).toEqual([
      ['acknowledgeEvents', 'relay', ['evt_1', 'evt_2']],
      ['addUses', { writer: 'w', sequence: 4, uses: [{ id: 'key_1', uses: 2, lastUsedAtMs: 3 }] }],
      ['claimEvents', { ...claim, except: ['ws'] }],
    ])
  })
})

describe('what would come back as something else is refused', () => {
  const record = sampleRecord()
  const created = sampleCreatedEvent(record)
  const revocation = sampleRevokeChange(record)
  const rotation = sampleRotateChange(record)
  const change = sampleUpdateChange(record)
  const claim = { relay: 'r', leaseMs: 1, limit: 1, except: [] }
  const used = { id: 'key', uses: 1, lastUsedAtMs: 1 }
  const batch = { writer: 'w', sequence: 1, uses: [used] }

  test.each<readonly [string, (storage: KeyStorage) => unknown]>([
    ['record', ({ insert }) => insert({ ...record, name: BAD }, null, created)],
    ['event', ({ insert }) => insert(record, null, { ...created, id: BAD })],
    ['limit', ({ insert }) => insert(record, 0.5, created)],
    ['rotated workspace', ({ rotate }) => rotate({ ...rotation, workspaceId: BAD })],
    ['rotated id', ({ rotate }) => rotate({ ...rotation, id: BAD })],
    ['rotation’s instant', ({ rotate }) => rotate({ ...rotation, rotatedAtMs: 0.5 })],
    [
      'replacement',
      ({ rotate }) => rotate({ ...rotation, replacement: { ...rotation.replacement, id: BAD } }),
    ],
    [
      'rotation’s event',
      ({ rotate }) => rotate({ ...rotation, event: { ...rotation.event, id: BAD } }),
    ],
    ['updated workspace', ({ update }) => update({ ...change, workspaceId: BAD })],
    ['updated id', ({ update }) => update({ ...change, id: BAD })],
    ['version', ({ update }) => update({ ...change, version: 0.5 })],
    ['update’s instant', ({ update }) => update({ ...change, updatedAtMs: 0.5 })],
    ['new name', ({ update }) => update({ ...change, state: { ...change.state, name: BAD } })],
    [
      'new metadata',
      ({ update }) => update({ ...change, state: { ...change.state, metadata: { [BAD]: '' } } }),
    ],
    ['update’s event', ({ update }) => update({ ...change, event: { ...change.event, id: BAD } })],
    ['revoked workspace', ({ revoke }) => revoke({ ...revocation, workspaceId: BAD })],
    ['revoked id', ({ revoke }) => revoke({ ...revocation, id: BAD })],
    ['revocation’s instant', ({ revoke }) => revoke({ ...revocation, revokedAtMs: 0.5 })],
    [
      'revocation’s event',
      ({ revoke }) => revoke({ ...revocation, event: { ...revocation.event, id: BAD } }),
    ],
    ['relay', ({ claimEvents }) => claimEvents({ ...claim, relay: BAD })],
    ['lease', ({ claimEvents }) => claimEvents({ ...claim, leaseMs: 0.5 })],
    ['claimed number', ({ claimEvents }) => claimEvents({ ...claim, limit: 0.5 })],
    ['writer', ({ addUses }) => addUses({ ...batch, writer: BAD })],
    ['sequence', ({ addUses }) => addUses({ ...batch, sequence: 0.5 })],
    ['uses', ({ addUses }) => addUses({ ...batch, uses: [{ ...used, uses: 0.5 }] })],
    ['no use', ({ addUses }) => addUses({ ...batch, uses: [{ ...used, uses: 0 }] })],
    ['hash', ({ insert }) => insert({ ...record, hash: 'AB'.repeat(32) }, null, created)],
    ['last use', ({ addUses }) => addUses({ ...batch, uses: [{ ...used, lastUsedAtMs: 0.5 }] })],
  ])('%s', async (_, call) => {
    const { asked, storage } = world()
    await expect(call(storage)).rejects.toMatchObject({ code: 'unstorable_value' })
    expect(asked).toEqual([])
  })

  test('numbers of a key that cannot be there do not matter', async () => {
    const { asked, storage } = world()
    await storage.addUses({ ...batch, uses: [{ ...used, id: BAD, uses: 0.5 }] })
    expect(asked).toHaveLength(1)
  })
})
