import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sampleEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { sha256Hex } from '../../../src/secret/sha256-node.ts'
import type { HeldKey } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { later } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { ACTOR, fault, keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

simulateTime()

/*
 * A storage whose answers are invalid. Whatever it says, the caller gets a fault: never a key of
 * another workspace, never an `undefined`, never a verdict.
 */

const DAY = later(-86_400_000)
const SECRET = mintSecret('svc', 'live')

type Method = 'findByHash' | 'read' | 'write' | 'list' | 'events' | 'keysOfPerson' | 'usage'

const view = {
  ...{ isErased: false, added: 0, keys: [], eventIds: [], activeKeys: 0, retiringKeys: 0 },
}
const page = { keys: [], more: false, activeKeys: 0, total: 0 }
const held = (record: unknown) => ({
  ...{ record, usage: { uses: 0, lastUsedAtMs: null }, edition: 1, place: 1 },
})
const foreign = sampleRecord({ workspaceId: 'ws_2' })

const other = sampleRecord({ workspaceId: WORKSPACE })
const keyWith =
  (fields: object, answer: object = view) =>
  (key: HeldKey) => ({ ...answer, keys: [{ ...key, ...fields }] })
const eventWith =
  (fields: object, { last = 1 as number | null, times = 1 } = {}) =>
  ({ record }: HeldKey) => ({
    events: Array(times).fill({ ...sampleEvent(record), ...fields }),
    last,
  })

const cases: Readonly<
  Record<
    Method,
    readonly (readonly [what: string, make: (key: HeldKey) => unknown, cause?: string])[]
  >
> = {
  findByHash: [
    ['undefined', () => undefined],
    ['a text', () => 'yes'],
    ['a number', () => 1],
    ['two rows', ({ record }) => [record, record]],
    ['an empty object', () => ({})],
    ['another key', () => sampleRecord(), 'another key'],
    ['the hash in upper case', ({ record }) => ({ ...record, hash: record.hash.toUpperCase() })],
    ['no hash', ({ record }) => ({ ...record, hash: undefined })],
    ['no revokedAtMs', ({ record }) => ({ ...record, revokedAtMs: undefined })],
  ],
  read: [
    ['undefined', () => undefined],
    ['no keys', () => ({ ...view, keys: undefined })],
    ['no word on erasure', () => ({ ...view, isErased: undefined }), 'an invalid view'],
    ['a negative count', () => ({ ...view, added: -1 }), 'an invalid view'],
    ['no counts', () => ({ ...view, activeKeys: null }), 'an invalid view'],
    ['no count of retiring keys', () => ({ ...view, retiringKeys: 0.5 }), 'an invalid view'],
    ['an event without an id', () => ({ ...view, eventIds: [7] }), 'an invalid view'],
    ['a key of another workspace', () => ({ ...view, keys: [held(foreign)] }), 'another key'],
    ['another key', () => ({ ...view, keys: [held(other)] }), 'another key'],
    ['a key without a place', keyWith({ place: -1 }), 'an invalid key'],
    ['a key without an edition', keyWith({ edition: 0 }), 'an invalid key'],
    ['a broken key', keyWith({ record: { ...other, revokedAtMs: undefined } })],
  ],
  write: [
    ['undefined', () => undefined],
    ['nothing', () => []],
    ['another outcome', () => [{ outcome: 'ok' }]],
  ],
  list: [
    ['undefined', () => undefined],
    ['a list', () => []],
    ['no keys', () => ({ ...page, keys: undefined })],
    ['a count of half a key', () => ({ ...page, activeKeys: 0.5 }), 'an invalid page'],
    ['no more', () => ({ ...page, more: undefined }), 'an invalid page'],
    ['a key of another workspace', () => ({ ...page, keys: [held(foreign)] }), 'another key'],
    ['broken usage', keyWith({ usage: { uses: -1, lastUsedAtMs: null } }, page)],
  ],
  events: [
    ['undefined', () => undefined],
    ['a text', () => ({ events: 'x', last: 1 }), 'an invalid page of events'],
    ['no place', eventWith({}, { last: null }), 'an invalid page of events'],
    ['an event of another workspace', eventWith(sampleEvent(foreign)), 'an invalid event'],
    ['an event without a moment', eventWith({ atMs: undefined }), 'an invalid event'],
    ['an event without an id', eventWith({ id: 7 }), 'an invalid event'],
    ['too many', eventWith({}, { times: 51 }), 'an invalid page of events'],
  ],
  keysOfPerson: [
    ['undefined', () => undefined, 'too many keys'],
    ['too many', (key) => Array(201).fill(key), 'too many keys'],
    ['a key without an edition', (key) => [{ ...key, edition: 0.5 }], 'an invalid key'],
  ],
  usage: [
    ['undefined', () => undefined],
    ['no list', () => ({})],
  ],
}

const table = Object.entries(cases).flatMap(([method, answers]) =>
  answers.map(([what, make, cause]) => [method as Method, what, make, cause] as const),
)

describe('an invalid answer is an outage', () => {
  test.each(table)('%s: %s', async (method, _, make, cause) => {
    const storage = memoryStorage()
    const { keys, misbehaviour, events } = openWorld({ storage })
    const record = await inserted(storage, { workspaceId: WORKSPACE, hash: sha256Hex(SECRET) })
    const query = { workspaceId: WORKSPACE, ids: [record.id], eventIds: [] }
    const [key] = (await storage.read({ ...query, countAtMs: null, countUpTo: null })).keys
    misbehaviour[method] = async () => make(key as HeldKey)
    const id = record.id
    const calls = {
      findByHash: () => keys.authenticateSecret(SECRET, null),
      read: () =>
        cause === 'an invalid view'
          ? keys.createKey(keyInput())
          : keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR }),
      write: () => keys.createKey(keyInput()),
      list: () => keys.listKeys({ workspaceId: WORKSPACE }),
      events: () => keys.listEvents({ workspaceId: WORKSPACE }),
      usage: () => keys.keyUsage({ workspaceId: WORKSPACE, from: DAY, to: later(1) }),
      keysOfPerson: () => keys.erasePerson({ personId: 'u_1' }),
    }
    const operation = method === 'write' ? 'createKey' : method
    const error = await fault(calls[method]())
    expect(error.operation).toBe(operation)
    expect(String(error.cause)).not.toContain(record.hash)
    if (cause !== undefined) {
      expect(error.cause).toEqual(new TypeError(`The storage answered with ${cause}.`))
    }
    expect(events).toMatchObject([{ type: 'outage', operation }])
  })
})

test('a page that says there is more but holds no key ends the list: a caller that follows cursors comes to an end', async () => {
  const { keys, misbehaviour } = openWorld()
  misbehaviour.list = async () => ({ ...page, more: true })
  expect((await keys.listKeys({ workspaceId: 'ws_1' })).nextCursor).toBeNull()
})

describe('a step of an erasure or a purge', () => {
  const done = { keys: 0, events: 0, more: false }

  test('is repeated while more is left', async () => {
    const { keys, misbehaviour } = openWorld()
    const steps = [
      { ...done, events: 1, more: true },
      { ...done, events: 3 },
    ]
    misbehaviour.renameActor = async () => steps.shift()
    expect(await keys.erasePerson({ personId: 'u_1' })).toEqual({ keys: 0, events: 4 })
  })
})
