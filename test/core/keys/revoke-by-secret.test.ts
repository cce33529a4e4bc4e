import { expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import { action, fault, keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

test('the holder of a secret revokes its key, on every plan', async () => {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  world.plan = plans.none
  expect(await world.keys.revokeBySecret(secret)).toMatchObject({ id: key.id, status: 'revoked' })
  const { events } = await world.keys.listEvents({ workspaceId: WORKSPACE })
  expect(events.at(-1)).toMatchObject({
    type: 'api_key.revoked',
    actor: { id: 'miftah:holder', name: 'Holder of the key' },
    data: { reason: 'reported' },
  })
  expect(await world.keys.revokeBySecret(secret)).toMatchObject({ id: key.id })
  expect((await world.keys.listEvents({ workspaceId: WORKSPACE })).events).toHaveLength(2)
})

test('what is no key ends nothing', async () => {
  const { keys } = openWorld()
  for (const secret of [mintSecret('svc', 'live'), 'nonsense', '', undefined as never]) {
    expect(await keys.revokeBySecret(secret)).toBeNull()
  }
})

test('a key that is deleted in the meantime was no key', async () => {
  const world = openWorld()
  const { secret } = await world.keys.createKey(keyInput())
  world.misbehaviour.findByHash = async (...args: never[]) => {
    const found = await Reflect.apply(world.stored.findByHash, world.stored, args)
    await world.keys.eraseWorkspace({ workspaceId: WORKSPACE })
    return found
  }
  expect(await world.keys.revokeBySecret(secret)).toBeNull()
})

test('an outage is no answer, and closed keys say so', async () => {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  world.misbehaviour.read = () => Promise.reject(new Error('the connection was lost'))
  expect((await fault(world.keys.revokeBySecret(secret))).operation).toBe('read')
  await world.keys.close()
  await expect(world.keys.revokeBySecret(secret)).rejects.toMatchObject({ code: 'closed' })
  await expect(world.keys.revokeKey(action(key.id))).rejects.toMatchObject({ code: 'closed' })
})
