import { describe, expect, test } from 'vitest'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { defineScopes } from '../../../src/index.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { RecordReader } from '../../../src/storage/record.ts'
import { fault, keyInput, openWorld, START_MS } from '../../support/world.ts'

/* A frozen record is remembered. What is remembered must never pass for something else. */

/** A key that has been accepted once, so that its record is remembered. */
async function remembered() {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  const record = await world.stored.findById('ws_1', key.id)
  if (record === null) throw new Error('the key is not there')
  const authenticate = async (answer: KeyRecord) => {
    world.misbehaviour.findByHash = () => answer
    const auth = await world.keys.authenticate(`Bearer ${secret}`, null)
    if (!auth.ok) throw new Error(auth.reason)
    return auth.key
  }
  await authenticate(record)
  const later = (fields: Partial<Record<keyof KeyRecord, unknown>>) =>
    Object.freeze({ ...record, ...fields }) as KeyRecord
  return { world, record, secret, authenticate, later }
}

describe('a later state', () => {
  test.each([
    ['id', ''],
    ['workspaceId', ''],
    ['name', ''],
    ['environment', 'LIVE'],
    ['prefix', 'svc'],
    ['creator', Object.freeze({ id: '', name: '' })],
    ['creator', null],
    ['scopes', Object.freeze(['contacts.read', ''])],
    ['createdAtMs', Number.NaN],
    ['replaces', ''],
    ['lastUsedAtMs', Number.NaN],
    ['uses', -1],
    ['revokedAtMs', Number.NaN],
    ['replacedBy', ''],
  ] as const)('with a broken %s is a fault', async (field, value) => {
    const { authenticate, later } = await remembered()
    const error = await fault(authenticate(later({ [field]: value })))
    expect(error.cause).toEqual(new TypeError(`A stored key has a senseless ${field}.`))
  })

  test.each([
    ['id', 'key_other', 'key_other'],
    ['name', 'Other', 'Other'],
    ['environment', 'test', 'test'],
    ['prefix', 'svc_live_xyz', 'svc_live_xyz'],
    ['creator', Object.freeze({ id: 'u_9', name: 'Other' }), { id: 'u_9', name: 'Other' }],
    ['createdAtMs', START_MS - 5, new Date(START_MS - 5)],
    ['createdAtMs', 8.64e15, new Date(8.64e15)],
    ['createdAtMs', -8.64e15, new Date(-8.64e15)],
    ['lastUsedAtMs', START_MS + 5, new Date(START_MS + 5)],
    ['uses', 7, 7],
    ['replaces', 'key_before', 'key_before'],
  ] as const)('with another %s shows it', async (field, value, shown) => {
    const { authenticate, later } = await remembered()
    const key = await authenticate(later({ [field]: value }))
    const name = { createdAtMs: 'createdAt', lastUsedAtMs: 'lastUsedAt' }[field as string] ?? field
    expect(key).toMatchObject({ [name]: shown })
  })

  test('that is revoked is refused', async () => {
    const { authenticate, later } = await remembered()
    await expect(authenticate(later({ revokedAtMs: START_MS }))).rejects.toThrow('revoked')
  })
})

describe('a record that is frozen, but not through and through, is checked at each sight', () => {
  test('its scopes', async () => {
    const { authenticate, later } = await remembered()
    const scopes = ['contacts.read']
    const record = later({ scopes })
    expect((await authenticate(record)).scopes).toEqual(['contacts.read'])
    scopes.splice(0, 1, 'flows.read')
    expect((await authenticate(record)).scopes).toEqual(['flows.read'])
    scopes.push('')
    await fault(authenticate(record))
  })

  test('its creator', async () => {
    const { authenticate, later } = await remembered()
    const creator = { id: 'u_1', name: 'A' }
    const record = later({ creator, scopes: Object.freeze(['contacts.read']) })
    expect((await authenticate(record)).creator.name).toBe('A')
    creator.name = 'B'
    expect((await authenticate(record)).creator.name).toBe('B')
    creator.name = ''
    await fault(authenticate(record))
  })
})

describe('what a caller does to a key', () => {
  test('has no effect on the next: its dates stay', async () => {
    const { authenticate, later } = await remembered()
    const record = later({ lastUsedAtMs: START_MS + 5 })
    for (const field of ['createdAt', 'lastUsedAt'] as const) {
      const before = await authenticate(record)
      expect(() => before[field]?.setTime(0)).toThrow(TypeError)
      const key = await authenticate(record)
      expect(key.createdAt).toEqual(new Date(START_MS))
      expect(key.lastUsedAt).toEqual(new Date(START_MS + 5))
    }
  })

  test('everything else in it is frozen', async () => {
    const { authenticate, record } = await remembered()
    const key = await authenticate(record)
    for (const part of [key, key.scopes, key.creator]) expect(Object.isFrozen(part)).toBe(true)
  })
})

describe('lists of scopes', () => {
  const letters = [...'abcdefghijk']
  const catalogue = defineScopes([
    {
      id: 'letters',
      label: { en: 'Letters' },
      scopes: letters.map((scope) => ({ scope, label: { en: scope } })),
    },
  ])
  /** A different set for each number up to 2,047. */
  const nth = (n: number) => letters.filter((_, at) => (n >> at) & 1)
  const recordWith = (scopes: readonly string[]) => sampleRecord({ scopes })

  test('are shared by keys of the same scopes, in whatever order they were stored', () => {
    const reader = new RecordReader(catalogue)
    const [one, same, turned] = [
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'a'],
    ].map((scopes) => reader.read(recordWith(scopes)).scopes)
    expect(one).toEqual(['a', 'b'])
    expect(same).toBe(one)
    expect(turned).toEqual(one)
  })

  test('are not confused where a stored scope holds what separates others', () => {
    const reader = new RecordReader(catalogue)
    for (const separator of [' ', ',', '","', '\n', '\0']) {
      expect(reader.read(recordWith(['a', 'b'])).scopes).toEqual(['a', 'b'])
      expect(reader.read(recordWith([`a${separator}b`])).scopes).toEqual([])
    }
    for (const [one, other] of [
      [['c,d'], ['c', 'd']],
      [
        ['e', 'f,g'],
        ['e,f', 'g'],
      ],
      [
        ['h', 'i,j'],
        ['h', 'i', 'j'],
      ],
    ] as const) {
      const first = reader.read(recordWith(one)).scopes
      expect(reader.read(recordWith(other)).scopes).toEqual(
        other.filter((scope) => /^.$/.test(scope)),
      )
      expect(reader.read(recordWith(one)).scopes).toBe(first)
    }
  })

  test('are shared up to 1,000 and right beyond', () => {
    const reader = new RecordReader(catalogue)
    for (let n = 1; n <= 1_100; n += 1) {
      expect(reader.read(recordWith(nth(n))).scopes).toEqual(nth(n))
    }
    const again = (n: number) => [0, 1].map(() => reader.read(recordWith(nth(n))).scopes)
    const [first, firstAgain] = again(1_000)
    expect(firstAgain).toBe(first)
    const [beyond, beyondAgain] = again(1_001)
    expect(beyondAgain).not.toBe(beyond)
    expect([beyond, beyondAgain].every(Object.isFrozen)).toBe(true)
  })
})
