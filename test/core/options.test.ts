import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { checkerOf } from '../../src/http/index.ts'
import { createApiKeys, defaultCatalogue, pickScopes, plans } from '../../src/index.ts'
import { simulateTime } from '../support/simulated-time.ts'
import { findById } from '../support/stored.ts'
import { fault, keyInput, openWorld, refusal, START_MS } from '../support/world.ts'

simulateTime()

const good = () => ({ storage: memoryStorage(), entitlements: () => plans.business })
const make = (options: unknown) => createApiKeys(options as ReturnType<typeof good>)

test('a clock without a time', async () => {
  const keys = make({ ...good(), now: () => new Date(Number.NaN) })
  const { operation, cause } = await fault(keys.createKey(keyInput()))
  expect(operation).toBe('now')
  expect(cause).toEqual(new TypeError('createApiKeys: option "now" must answer a valid Date.'))
})

describe('good options', () => {
  test.each([
    {},
    { brand: 'ab' },
    { brand: 'z9x8' },
    { entitlementsTtlMs: 0 },
    { usageFlushMs: 1 },
    { storageTimeoutMs: 2 ** 31 - 1 },
    { brand: undefined, catalogue: undefined, onEvent: undefined, now: undefined },
  ])('%j', async (options) => {
    const keys = make({ ...good(), ...options })
    const { secret } = await keys.createKey(keyInput())
    expect((await keys.authenticate(`Bearer ${secret}`, null)).ok).toBe(true)
    await keys.close()
  })

  test('a catalogue of the host', async () => {
    const catalogue = pickScopes(defaultCatalogue, ['contacts.read'])
    const keys = createApiKeys({ ...good(), catalogue })
    expect(keys.catalogue).toBe(catalogue)
    await keys.createKey(keyInput())
    expect(
      (await refusal(keys.createKey(keyInput({ scopes: ['flows.read'] })))).issues,
    ).toHaveLength(1)
  })

  test('are copied: later changes have no effect', async () => {
    const options = { ...good(), brand: 'abc', now: () => new Date(START_MS) }
    const keys = createApiKeys(options)
    Object.assign(options, {
      brand: 'xyz',
      storage: memoryStorage(),
      entitlements: () => plans.none,
      now: () => new Date(0),
      onEvent: () => expect.fail('a tap added later was told'),
    })
    const { key, secret } = await keys.createKey(keyInput())
    expect(secret).toMatch(/^abc_/)
    expect(key.createdAt).toEqual(new Date(START_MS))
    await keys.authenticate(undefined, null)
  })

  test('the answer cannot be changed', () => {
    expect(Object.isFrozen(make(good()))).toBe(true)
  })

  test('without a clock the time is the system time', async () => {
    const { key } = await make(good()).createKey(keyInput())
    expect(key.createdAt).toEqual(new Date())
  })
})

describe('close', () => {
  test.each(['close', Symbol.asyncDispose] as const)('%s writes what was counted', async (end) => {
    const { keys, stored } = openWorld({ usageFlushMs: 60_000 })
    const { key, secret } = await keys.createKey(keyInput())
    for (let use = 0; use < 7; use += 1) await keys.authenticate(`Bearer ${secret}`, null)
    expect((await findById(stored, 'ws_1', key.id))?.uses).toBe(0)
    await keys[end]()
    expect((await findById(stored, 'ws_1', key.id))?.uses).toBe(7)
  })

  test('refuses further work, and may be called again', async () => {
    const { keys, asked } = openWorld()
    await keys.close()
    await keys.close()
    const action = { workspaceId: 'ws_1', id: 'key_x', actor: { id: 'u', name: 'n' } }
    const calls = [
      () => keys.createKey(keyInput()),
      () => keys.rotateKey(action),
      () => keys.revokeKey(action),
      () => keys.listKeys({ workspaceId: 'ws_1' }),
      () => keys.listEvents({ workspaceId: 'ws_1' }),
      () => keys.authenticate('Bearer x', null),
      // Nothing else of it is checked.
      () => keys.authenticate('Bearer x', 'no.such' as 'contacts.read'),
      () => keys.authenticateSecret('x', null, { cost: 0 }),
      () => keys.findKeyBySecret('x'),
      () => keys.revokeBySecret('x'),
      () => keys.dropEntitlements('ws_1'),
      () => keys.dropEntitlements(),
    ]
    for (const call of calls) expect((await refusal(call())).code).toBe('closed')
    expect(asked()).toEqual([])
    expect(
      checkerOf(keys).fields({ name: 'x', environment: 'live', scopes: ['flows.read'] }).name,
    ).toBe('x')
  })

  test('rejects when the storage is down, and can be tried again without counting twice', async () => {
    const { keys, stored, misbehaviour } = openWorld()
    const { key, secret } = await keys.createKey(keyInput())
    await keys.authenticate(`Bearer ${secret}`, null)
    misbehaviour.addUses = () => Promise.reject(new Error('down'))
    await expect(keys.close()).rejects.toThrow('addUses')
    delete misbehaviour.addUses
    await keys.close()
    expect((await findById(stored, 'ws_1', key.id))?.uses).toBe(1)
  })
})
