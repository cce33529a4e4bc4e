import { describe, expect, test } from 'vitest'
import {
  type StorableStorage,
  storable,
  storableOnly,
} from '../../../adapters/storage/lib/storable-storage.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'

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
const PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5, countUpTo: 9 }
const HOURS = { fromHour: 0, toHour: 1, id: null }
const EVENTS = { after: null, limit: 5 }
const STEP = { limit: 1 }
const NO_EVENTS = { events: [], last: null }
const VIEW = { workspaceId: 'ws', ids: [], eventIds: [], countAtMs: null, countUpTo: null }

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

describe('what comes from outside and names nothing is not queried', () => {
  test.each<readonly [string, (storage: KeyStorage) => unknown, unknown]>([
    ['a hash that is too long', (storage) => storage.findByHash(`${HASH}0`), null],
    ['a hash behind something', (storage) => storage.findByHash(`\n${HASH}`), null],
    ['a hash before something', (storage) => storage.findByHash(`${HASH}\n`), null],
    ['a hash in capitals', (storage) => storage.findByHash(HASH.toUpperCase()), null],
    ['events of a key', (storage) => storage.events('ws', { ...EVENTS, keyId: BAD }), NO_EVENTS],
    ['the usage of a key', (storage) => storage.usage('ws', { ...HOURS, id: BAD }), null],
  ])('%s', async (_, call, expected) => {
    const { asked, storage } = world()
    expect(await call(storage)).toEqual(expected)
    expect(asked).toEqual([])
  })

  test('of a list of ids, only those are left out', async () => {
    const { asked, storage } = world()
    const query = { workspaceId: 'ws', countAtMs: null, countUpTo: null }
    await storage.read({ ...query, ids: [BAD, 'k'], eventIds: ['e', BAD] })
    const uses = [BAD, 'key_1'].map((id) => ({ id, uses: 2, lastUsedAtMs: 3 }))
    await storage.addUses({ writer: 'w', sequence: 4, uses })
    expect(asked).toEqual([
      ['read', { ...query, ids: ['k'], eventIds: ['e'] }],
      ['addUses', { writer: 'w', sequence: 4, uses: [{ id: 'key_1', uses: 2, lastUsedAtMs: 3 }] }],
    ])
  })
})

describe('what would come back as something else is refused', () => {
  const step = sampleInsertion(sampleRecord())
  const written = (fields: Partial<KeyRecord>) => (storage: KeyStorage) =>
    storage.write([{ ...step, keys: [{ record: sampleRecord(fields), ifEdition: null }] }])
  const used = { id: 'key', uses: 1, lastUsedAtMs: 1 }
  const batch = { writer: 'w', sequence: 1, uses: [used] }
  const counted = (fields: object) => (storage: KeyStorage) => {
    const counts = [{ id: 'key', hour: 1, count: 1, outcome: 'accepted' as const, ...fields }]
    return storage.addUses({ ...batch, history: { keepDays: 1, counts } })
  }

  test.each<readonly [string, (storage: KeyStorage) => unknown]>([
    ['name', written({ name: BAD })],
    ['hash', written({ hash: 'AB'.repeat(32) })],
    ['name of metadata', written({ metadata: { [BAD]: '' } })],
    ['instant', written({ revokedAtMs: 0.5 })],
    ['workspace', ({ write }) => write([{ ...step, workspaceId: BAD }])],
    ['workspace of a list', ({ list }) => list(BAD, PAGE)],
    ['page', ({ list }) => list('ws', { ...PAGE, atMs: 0.5 })],
    ['workspace of events', ({ events }) => events(BAD, EVENTS)],
    ['workspace of usage', ({ usage }) => usage(BAD, HOURS)],
    ['workspace of a view', ({ read }) => read({ ...VIEW, workspaceId: BAD })],
    ['instant of notices', ({ due }) => due({ ...STEP, atMs: 0.5 })],
    ['person', ({ keysOfPerson }) => keysOfPerson({ ...STEP, personId: BAD })],
    ['actor', ({ renameActor }) => renameActor({ ...STEP, personId: BAD })],
    ['closed workspace', ({ closeWorkspace }) => closeWorkspace(BAD)],
    ['deletion', ({ deleteWorkspace }) => deleteWorkspace({ ...STEP, workspaceId: BAD })],
    ['purge', ({ purge }) => purge({ ...STEP, endedBeforeMs: 0.5, eventsBeforeMs: null })],
    ['relay', ({ claimEvents }) => claimEvents({ relay: BAD, leaseMs: 1, limit: 1, except: [] })],
    ['acknowledging relay', ({ acknowledgeEvents }) => acknowledgeEvents(BAD, ['evt'])],
    ['acknowledged event', ({ acknowledgeEvents }) => acknowledgeEvents('relay', [BAD])],
    ['released lease', ({ releaseEvents }) => releaseEvents(BAD)],
    ['writer', ({ addUses }) => addUses({ ...batch, writer: BAD })],
    ['uses', ({ addUses }) => addUses({ ...batch, uses: [{ ...used, uses: 0.5 }] })],
    ['hour', counted({ hour: 0.5 })],
    ['inherited outcome', counted({ outcome: 'toString' })],
  ])('%s', async (_, call) => {
    const { asked, storage } = world()
    await expect(call(storage)).rejects.toMatchObject({ code: 'unstorable_value' })
    expect(asked).toEqual([])
  })
})
