import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { FORMAT, importInput } from '../../support/lifecycle/import.ts'
import { worldWithKey } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { findById } from '../../support/stored.ts'
import { ACTOR, fault, keyInput, openWorld, thrown } from '../../support/world.ts'

simulateTime()

const failure = new Error('connection refused')
const never = () => new Promise<never>(() => {})

test('the deadline ends the wait for a storage that hangs', async () => {
  const { world, keys, secret } = await worldWithKey({}, { storageTimeoutMs: 30 })
  world.misbehaviour.findByHash = never
  const startMs = performance.now()
  const errors = await Promise.all(
    Array.from({ length: 20 }, () => fault(keys.authenticateSecret(secret, null))),
  )
  expect(errors.map(({ operation }) => operation)).toEqual(Array(20).fill('findByHash'))
  // And a turn, in which a storage that heeds the signal can state the outcome.
  expect(performance.now() - startMs).toBe(31)
})

test('a record that can still change is looked at each time', async () => {
  const { world, keys, key, secret } = await worldWithKey()
  const loose = { ...(await findById(world.stored, 'ws_1', key.id)) } as { revokedAtMs: unknown }
  world.misbehaviour.findByHash = () => loose
  const ask = () => keys.authenticateSecret(secret, null)
  expect((await ask()).ok).toBe(true)
  loose.revokedAtMs = Number.NaN
  await fault(ask())
  loose.revokedAtMs = 5
  expect(await ask()).toMatchObject({ reason: 'revoked' })
})

describe('the entitlements function is an outage of its own', () => {
  test.each([
    ['throws', () => thrown(failure)],
    ['rejects', () => Promise.reject(failure)],
  ])('it %s', async (_, entitlements) => {
    const { world, secret, now } = await worldWithKey()
    const { keys } = openWorld({ storage: world.stored, entitlements })
    const error = await fault(keys.authenticateSecret(secret, null))
    expect(error).toMatchObject({ operation: 'entitlements', cause: failure })
    await keys.flush()
    expect((await now()).uses).toBe(0)
  })

  test('behind a storage that answers later it is one fault and not two', async () => {
    const { world: first, secret } = await worldWithKey()
    const world = openWorld({ storage: first.stored, entitlements: () => Promise.reject(failure) })
    world.misbehaviour.findByHash = async (hash: string) => first.stored.findByHash(hash)
    const error = await fault(world.keys.authenticateSecret(secret, null))
    expect(error).toMatchObject({ operation: 'entitlements', cause: failure })
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'entitlements' }])
  })

  test('one that hung does not hold up callers after its deadline', async () => {
    const { world, secret } = await worldWithKey()
    let hangs = true
    const entitlements = () => (hangs ? never() : plans.business)
    const options = { storage: world.stored, entitlements, storageTimeoutMs: 20 }
    const { keys } = openWorld(options)
    await fault(keys.authenticateSecret(secret, null))
    hangs = false
    expect((await keys.authenticateSecret(secret, null)).ok).toBe(true)
  })
})

test('a clock that fails is an outage of every change, and reported', async () => {
  const { world, keys, one, update } = await worldWithKey({}, { formats: [FORMAT] })
  world.nowMs = Number.NaN
  world.events.splice(0)
  const changes = [
    () => keys.createKey(keyInput()),
    () => update({ name: 'ERP' }),
    () => keys.pauseKey(one),
    () => keys.rotateKey(one),
    () => keys.revokeKey(one),
    () => keys.importKeys([importInput()], { actor: ACTOR }),
  ]
  for (const change of changes) expect((await fault(change())).operation).toBe('now')
  expect(world.events).toMatchObject(
    Array(changes.length).fill({ type: 'outage', operation: 'now' }),
  )
  expect((await findById(world.stored, 'ws_1', one.id))?.version).toBe(1)
})
