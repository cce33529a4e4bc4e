import { describe, expect, test } from 'vitest'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { defineScopes } from '../../../src/index.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { RecordReader } from '../../../src/storage/record.ts'
import { findById } from '../../support/stored.ts'
import { fault, keyInput, openWorld, START_MS } from '../../support/world.ts'

/* A frozen record is remembered. What is remembered must never pass for something else. */

const labels = ['a', 'b', 'c'].map((scope) => ({ scope, label: { en: scope } }))
const LETTERS = defineScopes([{ id: 'letters', label: { en: 'Letters' }, scopes: labels }])

/** A key that has been accepted once, so that its record is remembered. */
async function remembered() {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  const record = await findById(world.stored, 'ws_1', key.id)
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
    ['prefix', 'svc_live_abcdef'],
    ['version', 0],
    ['version', 1.5],
    ['version', '2'],
    ['metadata', null],
    ['metadata', Object.freeze(['a'])],
    ['metadata', 'text'],
    ['metadata', Object.freeze({ team: 5 })],
    ['metadata', Object.freeze({ team: 'ops', cost: null })],
    ['creator', Object.freeze({ id: '', name: '' })],
    ['creator', null],
    ['scopes', Object.freeze(['contacts.read', ''])],
    ['scopes', Object.freeze([7])],
    ['creator', Object.freeze({ id: 'u' })],
    ['creator', Object.freeze({ id: 7, name: 'x' })],
    ['createdAtMs', Number.NaN],
    ['createdAtMs', 8.65e15],
    ['createdAtMs', 1.5],
    ['createdAtMs', '0'],
    ['resources', null],
    ['resources', Object.freeze(['p_1'])],
    ['resources', Object.freeze({ project: 'all' })],
    ['resources', Object.freeze({ project: Object.freeze([1]) })],
    ['networks', null],
    ['networks', 'all'],
    ['networks', Object.freeze([''])],
    ['note', ''],
    ['replaces', ''],
    ['revokedAtMs', Number.NaN],
    ['revokedAtMs', undefined],
    ['revokedAtMs', false],
    ['replacedBy', ''],
  ] as const)('with a broken %s is a fault', async (field, value) => {
    const { authenticate, later } = await remembered()
    const error = await fault(authenticate(later({ [field]: value })))
    expect(error.cause).toEqual(new TypeError(`Stored key has an invalid ${field}.`))
  })

  test.each([8.64e15, -8.64e15])('of the instant %j shows it', async (createdAtMs) => {
    const { authenticate, later } = await remembered()
    expect((await authenticate(later({ createdAtMs }))).createdAt).toEqual(new Date(createdAtMs))
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

test('a frozen record gives the same key each time', async () => {
  const { authenticate, record } = await remembered()
  expect(await authenticate(record)).toBe(await authenticate(record))
})

test('scopes are those that the catalogue still has, in its order', () => {
  const reader = new RecordReader(LETTERS)
  const scopesOf = (scopes: readonly string[]) =>
    reader.keyAt(sampleRecord({ scopes }), START_MS).scopes
  expect(scopesOf(['c', 'gone', 'a'])).toEqual(['a', 'c'])
  expect(scopesOf(['a,b'])).toEqual([])
  expect(Object.isFrozen(scopesOf(['a']))).toBe(true)
})

test('the lists of a record that may change are copied', async () => {
  const { world, record } = await remembered()
  const networks = ['198.51.100.0/24']
  const project = ['p_1']
  const usage = { uses: 0, lastUsedAtMs: null }
  const held = {
    record: { ...record, networks, resources: { project } },
    usage,
    edition: 1,
    place: 1,
  }
  world.misbehaviour.list = async () => ({ keys: [held], more: false, activeKeys: 1, total: 1 })
  const { keys } = await world.keys.listKeys({ workspaceId: 'ws_1' })
  networks.push('203.0.113.0/24')
  project.push('p_2')
  expect(keys).toMatchObject([{ networks: ['198.51.100.0/24'], resources: { project: ['p_1'] } }])
  expect(Object.isFrozen(keys[0]?.networks)).toBe(true)
})
