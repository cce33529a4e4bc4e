import { describe, expect, test } from 'vitest'
import { FORMAT, importInput } from '../../support/lifecycle/import.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { findById } from '../../support/stored.ts'
import { ACTOR, action, fault, keyInput, openWorld, thrown } from '../../support/world.ts'

simulateTime()

const failure = new Error('connection refused')

async function worldWithKey(options = {}) {
  const world = openWorld(options)
  const { key, secret } = await world.keys.createKey(keyInput())
  const record = await findById(world.stored, 'ws_1', key.id)
  if (record === null) throw new Error('the key is not there')
  return { world, record, header: `Bearer ${secret}`, events: world.events }
}

const never = new Promise<never>(() => {})
test('the deadline ends the wait for a storage that hangs', async () => {
  const { world, header } = await worldWithKey({ storageTimeoutMs: 30 })
  world.misbehaviour.findByHash = () => never
  const startMs = performance.now()
  const errors = await Promise.all(
    Array.from({ length: 20 }, () => fault(world.keys.authenticate(header, null))),
  )
  expect(errors.map(({ operation }) => operation)).toEqual(Array(20).fill('findByHash'))
  // And a turn, in which a storage that heeds the signal can state the outcome.
  expect(performance.now() - startMs).toBe(31)
})

test('a record that can still change is looked at each time', async () => {
  const { world, record, header } = await worldWithKey()
  const loose = { ...record } as { revokedAtMs: unknown }
  world.misbehaviour.findByHash = () => loose
  expect((await world.keys.authenticate(header, null)).ok).toBe(true)
  loose.revokedAtMs = Number.NaN
  await fault(world.keys.authenticate(header, null))
  loose.revokedAtMs = 5
  expect(await world.keys.authenticate(header, null)).toMatchObject({ reason: 'revoked' })
})

describe('the entitlements function is an outage of its own', () => {
  test.each([
    ['throws', () => thrown(failure)],
    ['rejects', () => Promise.reject(failure)],
  ])('it %s', async (_, entitlements) => {
    const {
      record,
      header,
      world: { stored },
    } = await worldWithKey()
    const world = openWorld({ storage: stored, entitlements })
    const error = await fault(world.keys.authenticate(header, null))
    expect(error.operation).toBe('entitlements')
    expect(error.cause).toBe(failure)
    await world.keys.flush()
    expect((await findById(stored, 'ws_1', record.id))?.uses).toBe(0)
  })

  test('behind a storage that answers later it is one fault and not two', async () => {
    const { header, world: first } = await worldWithKey()
    const world = openWorld({ storage: first.stored, entitlements: () => Promise.reject(failure) })
    world.misbehaviour.findByHash = async (hash: string) => first.stored.findByHash(hash)
    const error = await fault(world.keys.authenticate(header, null))
    expect(error).toMatchObject({ operation: 'entitlements', cause: failure })
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'entitlements' }])
  })

  test('one that hung does not hold up callers after its deadline', async () => {
    const { header, world: first } = await worldWithKey()
    let hangs = true
    const entitlements = () =>
      hangs ? new Promise<never>(() => {}) : { publicApi: true, activeKeyLimit: 5 }
    const world = openWorld({ storage: first.stored, entitlements, storageTimeoutMs: 20 })
    await fault(world.keys.authenticate(header, null))
    hangs = false
    expect((await world.keys.authenticate(header, null)).ok).toBe(true)
  })
})

test('a clock that fails is an outage of every change, and reported', async () => {
  const { world, record } = await worldWithKey({ formats: [FORMAT] })
  const { keys } = world
  world.nowMs = Number.NaN
  world.events.splice(0)
  const changes = [
    () => keys.createKey(keyInput()),
    () => keys.updateKey({ ...action(record.id), version: 1, change: { name: 'ERP' } }),
    () => keys.pauseKey(action(record.id)),
    () => keys.rotateKey(action(record.id)),
    () => keys.revokeKey(action(record.id)),
    () => keys.importKeys([importInput()], { actor: ACTOR }),
  ]
  for (const change of changes) expect((await fault(change())).operation).toBe('now')
  expect(world.events).toMatchObject(
    Array(changes.length).fill({ type: 'outage', operation: 'now' }),
  )
  expect((await findById(world.stored, 'ws_1', record.id))?.version).toBe(1)
})
