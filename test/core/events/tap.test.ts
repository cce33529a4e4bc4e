import { describe, expect, test } from 'vitest'
import { listenToFaults } from '../../../src/http/index.ts'
import { type ApiKeysOptions, type FaultEvent, plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
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
  START_MS,
} from '../../support/world.ts'

simulateTime()

const at = new Date(START_MS)
const EVENT_ID = expect.stringMatching(/^evt_[A-Za-z0-9_-]{21}$/)

describe('onEvent gets changes', () => {
  test('with the very event that is in the audit log', async () => {
    const { keys, events } = openWorld()
    const { key } = await keys.createKey(keyInput())
    const rotated = await keys.rotateKey(action(key.id))
    await keys.revokeKey(action(rotated.key.id))
    const log = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events).toEqual(log.events)
    const base = { id: EVENT_ID, at, workspaceId: 'ws_1' }
    const snapshot = { environment: 'live', scopes: ['contacts.read'] }
    expect(events).toEqual([
      {
        ...base,
        type: 'api_key.created',
        actor: CREATOR,
        keyId: key.id,
        data: { ...snapshot, name: 'CRM sync', prefix: key.prefix },
      },
      {
        ...base,
        type: 'api_key.rotated',
        actor: ACTOR,
        keyId: key.id,
        data: {
          ...snapshot,
          name: 'CRM sync',
          prefix: key.prefix,
          replacementId: rotated.key.id,
          replacementPrefix: rotated.key.prefix,
          replacementScopes: ['contacts.read'],
          overlapEndsAt: null,
        },
      },
      {
        ...base,
        type: 'api_key.revoked',
        actor: ACTOR,
        keyId: rotated.key.id,
        data: {
          ...snapshot,
          name: 'CRM sync (rotated)',
          prefix: rotated.key.prefix,
          endedOverlap: false,
          reason: null,
        },
      },
    ])
    for (const event of events) expect(Object.isFrozen(event)).toBe(true)
  })

  test('and not of what was refused', async () => {
    const world = openWorld()
    const { keys, events } = world
    const { key } = await keys.createKey(keyInput())
    await keys.revokeKey(action(key.id))
    events.splice(0)
    world.plan = { publicApi: true, activeKeyLimit: 0 }
    await refusal(keys.createKey(keyInput()))
    await refusal(keys.createKey({} as never))
    await refusal(keys.rotateKey(action(key.id)))
    await refusal(keys.rotateKey(action('key_x')))
    await keys.revokeKey(action(key.id))
    expect(events).toEqual([])
  })
})

describe('onEvent gets refused requests', () => {
  test('with the reason, and with the key only where one was found', async () => {
    const world = openWorld()
    const { keys, events } = world
    const { key, secret } = await keys.createKey(keyInput())
    const header = `Bearer ${secret}`
    await keys.authenticate(header, null)
    events.splice(0)
    await keys.authenticate(undefined, 'contacts.read')
    await keys.authenticate('Bearer', null)
    await keys.authenticate('Bearer x', null)
    await keys.authenticate(`Bearer ${mintSecret('svc', 'live')}`, null)
    await keys.authenticate(header, 'flows.read')
    world.plan = plans.none
    keys.dropEntitlements()
    await keys.authenticate(header, null)
    await keys.revokeKey(action(key.id))
    events.pop()
    await keys.authenticate(header, null)
    const denied = {
      type: 'authentication.denied',
      at,
      requirement: null,
      keyId: null,
      workspaceId: null,
    }
    const known = { ...denied, keyId: key.id, workspaceId: 'ws_1' }
    expect(events).toEqual([
      { ...denied, reason: 'missing', requirement: 'contacts.read' },
      { ...denied, reason: 'invalid_request' },
      { ...denied, reason: 'malformed' },
      { ...denied, reason: 'unknown' },
      { ...known, reason: 'insufficient_scope', requirement: 'flows.read' },
      { ...known, reason: 'plan_required' },
      { ...known, reason: 'revoked' },
    ])
  })

  test('and no success', async () => {
    const { keys, events } = openWorld()
    const { secret } = await keys.createKey(keyInput())
    events.splice(0)
    await keys.authenticate(`Bearer ${secret}`, null)
    expect(events).toEqual([])
  })
})

describe('onEvent gets faults', () => {
  const down = Object.assign(new Error('down'), { code: 'unavailable' })
  const found = (operation: string) => [operation, operation] as const
  test.each([
    ...(['findByHash', 'list', 'addUses', 'events', 'usage'] as const).map((method) =>
      found(method),
    ),
    ['read', 'read'],
    ['write', 'createKey'],
  ] as const)('of the storage in %s, as a failure of %s', async (method, operation) => {
    const { keys, events, misbehaviour } = openWorld()
    const { secret } = await keys.createKey(keyInput())
    await keys.authenticate(`Bearer ${secret}`, null)
    events.splice(0)
    misbehaviour[method as 'read'] = () => {
      throw down
    }
    const range = { from: new Date(START_MS), to: new Date(START_MS + 1) }
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      findByHash: () => keys.authenticate(`Bearer ${secret}`, null),
      list: () => keys.listKeys({ workspaceId: 'ws_1' }),
      addUses: () => keys.flush(),
      events: () => keys.listEvents({ workspaceId: 'ws_1' }),
      usage: () => keys.keyUsage({ workspaceId: 'ws_1', ...range }),
      read: () => keys.createKey(keyInput()),
      write: () => keys.createKey(keyInput()),
    }
    const error = await fault(calls[method]?.() as Promise<unknown>)
    expect(error).toMatchObject({ operation, cause: down, name: 'OutageError' })
    expect(error.message).toBe(`The key storage failed in ${operation}.`)
    expect(events).toEqual([{ type: 'outage', at, operation, error: down }])
  })
})

describe('the default listener for faults', () => {
  const failing = (options: Partial<ApiKeysOptions> = {}) => {
    const world = openWorld({ onEvent: undefined as never, ...options })
    world.misbehaviour.list = () => Promise.reject(new Error('down'))
    return world
  }

  test('gets faults and nothing else', async () => {
    const { keys } = failing()
    const told: unknown[] = []
    listenToFaults(keys, (event) => told.push(event))
    await keys.createKey(keyInput())
    await keys.authenticate(undefined, null)
    const { cause } = await fault(keys.listKeys({ workspaceId: 'ws_1' }))
    expect(told).toEqual([{ type: 'outage', at, operation: 'list', error: cause }])
  })

  test('gets nothing where there is onEvent', async () => {
    const events: unknown[] = []
    const { keys } = failing({ onEvent: (event) => events.push(event) })
    const told: unknown[] = []
    listenToFaults(keys, (event) => told.push(event))
    await fault(keys.listKeys({ workspaceId: 'ws_1' }))
    expect([events.length, told.length]).toEqual([1, 0])
  })

  test('is the first that was set', async () => {
    const { keys } = failing()
    const told: string[] = []
    listenToFaults(keys, () => told.push('first'))
    listenToFaults(keys, () => told.push('second'))
    await fault(keys.listKeys({ workspaceId: 'ws_1' }))
    expect(told).toEqual(['first'])
  })

  test('may throw', async () => {
    const { keys } = failing()
    listenToFaults(keys, () => {
      throw new Error('listener')
    })
    await fault(keys.listKeys({ workspaceId: 'ws_1' }))
  })

  test('gets a clock that fails, at the time of the system', async () => {
    const first = openWorld()
    const { secret } = await first.keys.createKey(keyInput())
    const now = () => new Date(Number.NaN)
    const { keys } = openWorld({ storage: first.stored, onEvent: undefined as never, now })
    const told: FaultEvent[] = []
    listenToFaults(keys, (event) => told.push(event))
    await fault(keys.authenticate(`Bearer ${secret}`, null))
    expect(told).toMatchObject([{ error: { message: expect.stringContaining('"now"') } }])
    expect(told[0]?.at).toEqual(new Date())
  })
})

test('a clock that fails beside a storage that fails leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = []
  const keep = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', keep)
  const { keys, misbehaviour } = openWorld({ now: () => new Date(Number.NaN) })
  misbehaviour.list = () => Promise.reject(new Error('down'))
  expect(await rejection(keys.listKeys({ workspaceId: 'ws_1' }))).toBeInstanceOf(Error)
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', keep)
  expect(unhandled).toEqual([])
})

describe('an onEvent that misbehaves', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('tap')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('tap')
      },
    ],
    [
      'gives a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: the hostile answer that is tried here.
        get then() {
          throw new Error('tap')
        },
      }),
    ],
  ])('and %s changes nothing', async (_, onEvent) => {
    const unhandled: unknown[] = []
    const keep = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', keep)
    const { keys, misbehaviour } = openWorld({ onEvent: onEvent as () => void })
    const { key, secret } = await keys.createKey(keyInput())
    expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    expect(await keys.authenticate(undefined, null)).toMatchObject({ reason: 'missing' })
    await keys.rotateKey(action(key.id))
    misbehaviour.list = () => Promise.reject(new Error('down'))
    await fault(keys.listKeys({ workspaceId: 'ws_1' }))
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', keep)
    expect(unhandled).toEqual([])
  })
})
