import { describe, expect, test } from 'vitest'
import { unused } from '../../../adapters/storage/testing/contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { action, fault, keyInput, openWorld } from '../../support/world.ts'

/*
 * A storage whose answers are invalid. Whatever it says, the caller gets a fault: never a key of
 * another workspace, never an `undefined`, never a verdict.
 */

/** The cause of the fault, for people. */
const CAUSES: Readonly<Record<string, string>> = {
  'insert: no count': 'an invalid outcome',
  'findById: another key': 'another key',
  'findById: a key of another workspace': 'another key',
  'list: no count': 'an invalid page',
  'list: no more': 'an invalid page',
  'rotate: another outcome': 'an invalid outcome',
  'rotate: an old key that lives': 'a key that was not replaced',
  'rotate: too many without a number': 'an invalid outcome',
  'update: another outcome': 'an invalid outcome',
  'update: a key at the old version': 'a key that was not updated',
  'update: another key': 'another key',
  'revoke: a key that lives': 'a key that is not revoked',
  'revoke: another outcome': 'an invalid outcome',
  'events: an event of another workspace': 'an invalid event',
  'events: a text': 'an invalid page of events',
}

type Verb = 'insert' | 'findById' | 'list' | 'update' | 'rotate' | 'revoke' | 'events'

const page = { records: [], more: false, activeKeys: 0, total: 0 }
const foreign = unused(sampleRecord({ workspaceId: 'ws_2', revokedAtMs: 5 }))

const cases: Readonly<
  Record<Verb, readonly (readonly [string, (record: KeyRecord) => unknown])[]>
> = {
  insert: [
    ['undefined', () => undefined],
    ['null', () => null],
    ['true', () => true],
    ['an empty object', () => ({})],
    ['no count', () => ({ inserted: false })],
    ['an invalid count', () => ({ inserted: false, activeKeys: -1 })],
    ['a text', () => ({ inserted: 'yes' })],
    ['a text and a count', () => ({ inserted: 'no', activeKeys: 5 })],
    ['erased and inserted', () => ({ inserted: 'yes', isErased: true })],
    ['erased or not', () => ({ inserted: false, isErased: 'no' })],
  ],
  findById: [
    ['undefined', () => undefined],
    ['a key of another workspace', () => foreign],
    ['another key', (record) => ({ ...record, id: sampleRecord().id })],
    ['a broken key', (record) => ({ ...record, revokedAtMs: undefined })],
    ['no hash', (record) => ({ ...record, hash: 'x' })],
    ['half a hash', (record) => ({ ...record, hash: record.hash.slice(1) })],
    ['more than a hash in front', (record) => ({ ...record, hash: `x${record.hash}` })],
    ['more than a hash behind', (record) => ({ ...record, hash: `${record.hash}\n` })],
    ['a list of one hash', (record) => ({ ...record, hash: [record.hash] })],
    ['a text', () => 'x'],
  ],
  list: [
    ['undefined', () => undefined],
    ['a list', () => []],
    ['no records', () => ({ ...page, records: undefined })],
    ['no count', () => ({ ...page, activeKeys: undefined })],
    ['a count of half a key', () => ({ ...page, activeKeys: 0.5 })],
    ['no more', () => ({ ...page, more: undefined })],
    ['a key of another workspace', (record) => ({ ...page, records: [record, foreign] })],
    ['a broken key', (record) => ({ ...page, records: [{ ...record, uses: -1 }] })],
  ],
  rotate: [
    ['undefined', () => undefined],
    ['another outcome', () => ({ outcome: 'ok' })],
    ['no keys', () => ({ outcome: 'rotated' })],
    [
      'an old key that lives',
      (record) => ({ outcome: 'rotated', replaced: record, replacement: record }),
    ],
    ['other keys', () => ({ outcome: 'rotated', replaced: foreign, replacement: foreign })],
    ['stale without a key', () => ({ outcome: 'stale' })],
    ['an end that a key does not have', (record) => ({ outcome: 'expired', record })],
    ['too many without a number', () => ({ outcome: 'too_many_retiring' })],
    [
      'another replacement',
      (record) => ({
        outcome: 'rotated',
        replaced: { ...record, revokedAtMs: 5, replacedBy: 'key_other' },
        replacement: sampleRecord({ workspaceId: 'ws_1' }),
      }),
    ],
  ],
  update: [
    ['undefined', () => undefined],
    ['another outcome', () => ({ outcome: 'ok' })],
    ['no key', () => ({ outcome: 'updated' })],
    ['another key', () => ({ outcome: 'stale', record: foreign })],
    ['a key at the old version', (record) => ({ outcome: 'updated', record })],
    ['expired without a key', () => ({ outcome: 'expired' })],
    ['an end that a key does not have', (record) => ({ outcome: 'expired', record })],
  ],
  revoke: [
    ['undefined', () => undefined],
    ['another outcome', () => ({ outcome: 'rotated' })],
    ['no key', () => ({ outcome: 'revoked' })],
    ['a key that lives', (record) => ({ outcome: 'revoked', record })],
    ['a key that lives on', (record) => ({ outcome: 'already_revoked', record })],
    ['another key', () => ({ outcome: 'revoked', record: foreign })],
  ],
  events: [
    ['undefined', () => undefined],
    ['a text', () => 'x'],
    ['an event of another workspace', () => [sampleCreatedEvent(foreign)]],
    ['an event without a moment', (record) => [{ ...sampleCreatedEvent(record), atMs: undefined }]],
    ['an event without an id', (record) => [{ ...sampleCreatedEvent(record), id: 7 }]],
    ['null for an event', () => [null]],
    ['more events than asked for', (record) => Array(51).fill(sampleCreatedEvent(record))],
  ],
}

const table = Object.entries(cases).flatMap(([verb, answers]) =>
  answers.map(([what, make]) => [verb as Verb, what, make] as const),
)

describe('an invalid answer', () => {
  test.each(table)('%s: %s', async (verb, what, make) => {
    const { keys, stored, misbehaviour, events } = openWorld()
    const { key } = await keys.createKey(keyInput())
    const record = await stored.findById('ws_1', key.id)
    if (record === null) throw new Error('the key is not there')
    events.splice(0)
    misbehaviour[verb] = async () => make(record)
    const calls = {
      insert: () => keys.createKey(keyInput()),
      findById: () => keys.revokeKey(action(key.id)),
      list: () => keys.listKeys({ workspaceId: 'ws_1' }),
      update: () => keys.pauseKey(action(key.id)),
      rotate: () => keys.rotateKey(action(key.id)),
      revoke: () => keys.revokeKey(action(key.id)),
      events: () => keys.listEvents({ workspaceId: 'ws_1' }),
    }
    const error = await fault(calls[verb]())
    expect(error.operation).toBe(verb)
    expect(error.cause).toBeInstanceOf(TypeError)
    const cause = CAUSES[`${verb}: ${what}`]
    if (cause !== undefined) {
      expect(error.cause).toEqual(new TypeError(`The storage answered with ${cause}.`))
    }
    if (what.includes('hash')) {
      expect(error.cause).toEqual(new TypeError('Stored key has an invalid hash.'))
    }
    expect(events).toMatchObject([{ type: 'outage', operation: verb }])
  })

  test('the limit reached although it has no limit', async () => {
    const { keys, misbehaviour } = openWorld({
      entitlements: () => ({ publicApi: true, activeKeyLimit: null }),
    })
    misbehaviour.insert = async () => ({ inserted: false, activeKeys: 5 })
    expect((await fault(keys.createKey(keyInput()))).operation).toBe('insert')
  })
})

describe('a key that vanishes between two calls', () => {
  test.each(['update', 'rotate', 'revoke'] as const)('%s: it is not found', async (verb) => {
    const { keys, misbehaviour } = openWorld()
    const { key } = await keys.createKey(keyInput())
    misbehaviour[verb] = async () => ({ outcome: 'not_found' })
    const operation = { update: 'pauseKey', rotate: 'rotateKey', revoke: 'revokeKey' } as const
    const call = keys[operation[verb]](action(key.id))
    await expect(call).rejects.toMatchObject({ code: 'key_not_found' })
  })
})

describe('a page that says there is more but holds no key', () => {
  test('ends the list: a caller that follows cursors comes to an end', async () => {
    const { keys, misbehaviour } = openWorld()
    misbehaviour.list = async () => ({ ...page, more: true })
    expect((await keys.listKeys({ workspaceId: 'ws_1' })).nextCursor).toBeNull()
  })
})

describe('a step of an erasure or a purge', () => {
  const done = { keys: 0, events: 0, more: false }

  test.each([
    ['undefined', undefined],
    ['no counts', { more: false }],
    ['a negative count', { ...done, keys: -1 }],
    ['a count as text', { ...done, events: '1' }],
    ['no word on whether more is left', { keys: 1, events: 1 }],
    ['more to do, and nothing done', { ...done, more: true }],
    ['an invalid sequence', { ...done, sequence: -1 }],
  ])('%s', async (_, answer) => {
    const { keys, misbehaviour } = openWorld()
    for (const verb of ['erasePerson', 'eraseWorkspace', 'purge'] as const) {
      misbehaviour[verb] = async () => answer
    }
    expect((await fault(keys.erasePerson({ personId: 'u_1' }))).operation).toBe('erasePerson')
    const erasure = keys.eraseWorkspace({ workspaceId: 'ws_1' })
    expect((await fault(erasure)).operation).toBe('eraseWorkspace')
    const purge = keys.purge({ eventsBefore: new Date(0) })
    expect((await fault(purge)).operation).toBe('purge')
  })

  test('is repeated while more is left', async () => {
    const { keys, misbehaviour } = openWorld()
    const steps = [
      { ...done, keys: 2, events: 1, more: true },
      { ...done, keys: 3 },
    ]
    misbehaviour.erasePerson = async () => steps.shift()
    expect(await keys.erasePerson({ personId: 'u_1' })).toEqual({ keys: 5, events: 1 })
  })
})
