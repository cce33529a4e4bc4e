import { describe, expect, test, vi } from 'vitest'
import { listenToFaults } from '../../../src/http/index.ts'
import { type ApiKeysOptions, defineResources, type FaultEvent } from '../../../src/index.ts'
import { later, worldWithKey } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import {
  ACTOR,
  action,
  CREATOR,
  fault,
  keyInput,
  openWorld,
  refusal,
  rejection,
  settled,
  thrown,
  WORKSPACE,
} from '../../support/world.ts'

simulateTime()

const at = later(0)
const down = Object.assign(new Error('down'), { code: 'unavailable' })

describe('onEvent gets changes', () => {
  test('with the very event that is in the audit log', async () => {
    const { world, keys, key, one } = await worldWithKey()
    const { key: replacement } = await keys.rotateKey(one)
    await keys.revokeKey(action(replacement.id))
    const { events } = world
    expect(events).toEqual((await keys.listEvents({ workspaceId: WORKSPACE })).events)
    const id = expect.stringMatching(/^evt_[A-Za-z0-9_-]{21}$/)
    const base = { id, at, workspaceId: WORKSPACE, keyId: key.id, actor: ACTOR }
    const rights = { environment: 'live', scopes: ['contacts.read'] }
    const data = { ...rights, name: 'CRM sync', prefix: key.prefix }
    const { name, prefix } = replacement
    expect(events).toEqual([
      { ...base, type: 'api_key.created', actor: CREATOR, data },
      {
        ...{ ...base, type: 'api_key.rotated' },
        data: {
          ...{ ...data, replacementId: replacement.id, replacementPrefix: prefix },
          ...{ replacementScopes: rights.scopes, overlapEndsAt: null },
        },
      },
      {
        ...{ ...base, type: 'api_key.revoked', keyId: replacement.id },
        data: { ...rights, name, prefix, endedOverlap: false, reason: null },
      },
    ])
    for (const event of events) expect(Object.isFrozen(event)).toBe(true)
  })

  test('and not of what was refused or had been done', async () => {
    const { world, keys, one } = await worldWithKey()
    await keys.revokeKey(one)
    world.events.splice(0)
    world.plan = { publicApi: true, activeKeyLimit: 0 }
    for (const call of [keys.createKey(keyInput()), keys.createKey({} as never)])
      await refusal(call)
    for (const id of [one.id, 'key_x']) await refusal(keys.rotateKey(action(id)))
    await keys.revokeKey(one)
    expect(world.events).toEqual([])
  })
})

type Opened = Awaited<ReturnType<typeof worldWithKey>>
const workspaceId = WORKSPACE
const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
const REMOVAL = { workspaceId, actor: ACTOR, resource: { project: 'p_1' } }

test.each<[string, string, (opened: Opened) => Promise<unknown>]>([
  ['findByHash', 'findByHash', ({ keys, secret }) => keys.authenticate(`Bearer ${secret}`, null)],
  ['list', 'list', ({ keys }) => keys.listKeys({ workspaceId })],
  ['list', 'list', ({ keys }) => keys.listKeys({ workspaceId, search: 'x' })],
  ['addUses', 'addUses', ({ keys }) => keys.flush()],
  ['events', 'events', ({ keys }) => keys.listEvents({ workspaceId })],
  ['usage', 'usage', ({ keys }) => keys.keyUsage({ workspaceId, from: at, to: later(1) })],
  ['read', 'read', ({ keys }) => keys.createKey(keyInput())],
  ['read', 'read', ({ keys, secret }) => keys.revokeBySecret(secret)],
  ['write', 'createKey', ({ keys }) => keys.createKey(keyInput())],
  // A change that finds its work done is confirmed by the storage.
  ['write', 'resumeKey', ({ keys, one }) => keys.resumeKey(one)],
  ['write', 'removeResource', ({ keys }) => keys.removeResource(REMOVAL)],
])(
  'onEvent gets a fault of the storage in %s, as a failure of %s',
  async (verb, operation, call) => {
    const opened = await worldWithKey({ resources: { project: ['p_1'] } }, { resources })
    const { world, keys, secret } = opened
    await keys.authenticate(`Bearer ${secret}`, null, { resource: 'none' })
    world.events.splice(0)
    world.misbehaviour[verb as 'read'] = () => thrown(down)
    const message = `The key storage failed in ${operation}.`
    const expected = { operation, cause: down, name: 'OutageError', message }
    expect(await fault(call(opened))).toMatchObject(expected)
    expect(world.events).toEqual([{ type: 'outage', at, operation, error: down }])
  },
)

describe('the default listener for faults', () => {
  const failing = (options: Partial<ApiKeysOptions> = {}) => {
    const world = openWorld({ onEvent: undefined as never, ...options })
    world.misbehaviour.list = () => Promise.reject(down)
    return { ...world, fail: () => fault(world.keys.listKeys({ workspaceId })) }
  }

  test('gets faults and nothing else; only the first that was set', async () => {
    const { keys, fail } = failing()
    const told: unknown[] = []
    listenToFaults(keys, (event) => told.push(event))
    listenToFaults(keys, () => told.push('second'))
    await keys.createKey(keyInput())
    await keys.authenticate(undefined, null)
    await fail()
    expect(told).toEqual([{ type: 'outage', at, operation: 'list', error: down }])
  })

  test('gets nothing where there is onEvent', async () => {
    const [onEvent, listener] = [vi.fn(), vi.fn()]
    const { keys, fail } = failing({ onEvent })
    listenToFaults(keys, listener)
    await fail()
    expect(onEvent).toHaveBeenCalledTimes(1)
    expect(listener).not.toHaveBeenCalled()
  })

  test('may throw', async () => {
    const { keys, fail } = failing()
    listenToFaults(keys, () => thrown(new Error('listener')))
    await fail()
  })

  test('gets a clock that fails, at the time of the system', async () => {
    const { world, secret } = await worldWithKey()
    const now = () => new Date(Number.NaN)
    const { keys } = openWorld({ storage: world.stored, onEvent: undefined as never, now })
    const told: FaultEvent[] = []
    listenToFaults(keys, (event) => told.push(event))
    await fault(keys.authenticate(`Bearer ${secret}`, null))
    const error = { message: expect.stringContaining('"now"') }
    expect(told).toMatchObject([{ error, at: new Date() }])
  })
})

describe('no rejection is left unhandled', () => {
  /** The rejections that nothing handles meanwhile. */
  async function unhandledIn(work: () => Promise<unknown>): Promise<readonly unknown[]> {
    const unhandled: unknown[] = []
    const keep = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', keep)
    await work()
    await settled(5)
    process.off('unhandledRejection', keep)
    return unhandled
  }

  test('by a clock that fails beside a storage that fails', async () => {
    const { keys, misbehaviour } = openWorld({ now: () => new Date(Number.NaN) })
    misbehaviour.list = () => Promise.reject(down)
    expect(await unhandledIn(() => rejection(keys.listKeys({ workspaceId })))).toEqual([])
  })

  const tap = () => thrown(new Error('tap'))
  test.each<[string, () => unknown]>([
    ['throws', tap],
    ['rejects', async () => tap()],
    ['gives a thenable that throws', () => Object.defineProperty({}, 'then', { get: tap })],
  ])('by an onEvent that %s, which changes nothing', async (_, onEvent) => {
    const unhandled = await unhandledIn(async () => {
      const options = { onEvent: onEvent as () => void }
      const { world, keys, one, secret } = await worldWithKey({}, options)
      expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
      expect(await keys.authenticate(undefined, null)).toMatchObject({ reason: 'missing' })
      await keys.rotateKey(one)
      world.misbehaviour.list = () => Promise.reject(down)
      await fault(keys.listKeys({ workspaceId }))
    })
    expect(unhandled).toEqual([])
  })
})
