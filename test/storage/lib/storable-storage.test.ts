import { describe, expect, test } from 'vitest'
import { storable } from '../../../adapters/storage/lib/storable.ts'
import {
  type StorableStorage,
  storableOnly,
} from '../../../adapters/storage/lib/storable-storage.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage, UsageOutcome } from '../../../src/storage/index.ts'

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
const PAGE = {
  ...{ status: null, environment: null, atMs: 0, after: null, limit: 5, countUpTo: 9 },
}
const HOURS = { fromHour: 0, toHour: 1 }
const NONE = { keys: 0, events: 0, more: false }
const NO_KEYS = { keys: [], more: false, activeKeys: 0, total: 0 }
const NO_EVENTS = { events: [], last: null }
const EVENTS = { after: null, limit: 5 }
const STEP = { limit: 1 }

test.each(['', 'مفتاح', '🔑', '\u0001', '\n', 0, -1, 2 ** 53 - 1, null, undefined, true])(
  '%j comes back as it goes in',
  (value) => {
    const given = ['a', { a: value }]
    expect(storable(given)).toBe(given)
  },
)

test.each([BAD, 'a\ud800', '\udc00b', 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  '%j would come back as something else',
  (value) => {
    const error = { name: 'StorageError', code: 'unstorable_value' }
    expect(() => storable(['a', { a: value }])).toThrow(expect.objectContaining(error))
  },
)

describe('what no database holds is not queried', () => {
  test.each<readonly [string, (storage: KeyStorage) => unknown, unknown]>([
    ['a hash that is too long', (storage) => storage.findByHash(`${HASH}0`), null],
    ['a hash behind something', (storage) => storage.findByHash(`\n${HASH}`), null],
    ['a hash before something', (storage) => storage.findByHash(`${HASH}\n`), null],
    ['a hash in capitals', (storage) => storage.findByHash(HASH.toUpperCase()), null],
    ['a page of a bad workspace', (storage) => storage.list(BAD, PAGE), NO_KEYS],
    [
      'a later one',
      (storage) => storage.list(BAD, { ...PAGE, after: 3 }),
      { ...NO_KEYS, total: null },
    ],
    [
      'one without counts',
      (storage) => storage.list(BAD, { ...PAGE, countUpTo: null }),
      { ...NO_KEYS, activeKeys: null, total: null },
    ],
    ['events of a bad workspace', (storage) => storage.events(BAD, EVENTS), NO_EVENTS],
    ['those of a bad key', (storage) => storage.events('ws', { ...EVENTS, keyId: BAD }), NO_EVENTS],
    ['a bad actor', (storage) => storage.renameActor({ ...STEP, personId: BAD }), NONE],
    ['keys of a bad person', (storage) => storage.keysOfPerson({ ...STEP, personId: BAD }), []],
    ['a bad deletion', (storage) => storage.deleteWorkspace({ ...STEP, workspaceId: BAD }), NONE],
    ['the usage of a bad id', (storage) => storage.usage('ws', { ...HOURS, id: BAD }), null],
    ['that of a bad workspace', (storage) => storage.usage(BAD, { ...HOURS, id: null }), []],
    ['events of a bad relay', (storage) => storage.acknowledgeEvents(BAD, ['evt']), undefined],
    ['the lease of a bad relay', (storage) => storage.releaseEvents(BAD), undefined],
  ])('%s', async (_, call, expected) => {
    const { asked, storage } = world()
    expect(await call(storage)).toEqual(expected)
    expect(asked).toEqual([])
  })

  test('of a list, only what cannot be held is left out', async () => {
    const { asked, storage } = world()
    await storage.acknowledgeEvents('relay', ['evt_1', BAD, 'evt_2'])
    const uses = [BAD, 'key_1'].map((id) => ({ id, uses: 2, lastUsedAtMs: 3 }))
    await storage.addUses({ writer: 'w', sequence: 4, uses })
    const claim = { relay: 'r', leaseMs: 1, limit: 1 }
    await storage.claimEvents({ ...claim, except: ['ws', BAD] })
    const query = { workspaceId: 'ws', countAtMs: null, countUpTo: null }
    await storage.read({ ...query, ids: [BAD, 'k'], eventIds: ['e', BAD] })
    expect(asked).toEqual([
      ['acknowledgeEvents', 'relay', ['evt_1', 'evt_2']],
      ['addUses', { writer: 'w', sequence: 4, uses: [{ id: 'key_1', uses: 2, lastUsedAtMs: 3 }] }],
      ['claimEvents', { ...claim, except: ['ws'] }],
      ['read', { ...query, ids: ['k'], eventIds: ['e'] }],
    ])
  })
})

describe('what would come back as something else is refused', () => {
  const step = sampleInsertion(sampleRecord())
  const written = (fields: Partial<KeyRecord>) => (storage: KeyStorage) =>
    storage.write([{ ...step, keys: [{ record: sampleRecord(fields), ifEdition: null }] }])
  const used = { id: 'key', uses: 1, lastUsedAtMs: 1 }
  const flushed = (fields: Partial<typeof used>) => (storage: KeyStorage) =>
    storage.addUses({ writer: 'w', sequence: 1, uses: [{ ...used, ...fields }] })
  const counted = (fields: { hour?: number; count?: number; outcome?: UsageOutcome }) => {
    const counts = [{ id: 'key', hour: 1, count: 1, outcome: 'accepted' as const, ...fields }]
    const batch = { writer: 'w', sequence: 1, uses: [], history: { keepDays: 1, counts } }
    return (storage: KeyStorage) => storage.addUses(batch)
  }

  test.each<readonly [string, (storage: KeyStorage) => unknown]>([
    ['name', written({ name: BAD })],
    ['hash', written({ hash: 'AB'.repeat(32) })],
    ['name of metadata', written({ metadata: { [BAD]: '' } })],
    ['instant', written({ revokedAtMs: 0.5 })],
    ['workspace', ({ write }) => write([{ ...step, workspaceId: BAD }])],
    ['closed workspace', ({ closeWorkspace }) => closeWorkspace(BAD)],
    ['relay', ({ claimEvents }) => claimEvents({ relay: BAD, leaseMs: 1, limit: 1, except: [] })],
    ['writer', ({ addUses }) => addUses({ writer: BAD, sequence: 1, uses: [] })],
    ['uses', flushed({ uses: 0.5 })],
    ['no use', flushed({ uses: 0 })],
    ['last use', flushed({ lastUsedAtMs: 0.5 })],
    ['hour', counted({ hour: 0.5 })],
    ['no count', counted({ count: 0 })],
    ['inherited outcome', counted({ outcome: 'toString' as 'accepted' })],
  ])('%s', async (_, call) => {
    const { asked, storage } = world()
    await expect(call(storage)).rejects.toMatchObject({ code: 'unstorable_value' })
    expect(asked).toEqual([])
  })

  test('numbers of a key that cannot be there do not matter', async () => {
    const { asked, storage } = world()
    await flushed({ id: BAD, uses: 0.5 })(storage)
    expect(asked).toHaveLength(1)
  })
})
