import { expect, test } from 'vitest'
import { keyInput, openWorld } from '../../support/world.ts'

/*
 * The answer for a key whose state has not changed is made once: to get the very same promise is to
 * have taken the short way, without another check of the record and without waiting for anyone.
 */

async function known() {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  const authenticate = () => world.keys.authenticate(`Bearer ${secret}`, 'contacts.read')
  await authenticate()
  return { ...world, key, authenticate }
}

test('an unchanged key is answered with the same promise', async () => {
  const { authenticate } = await known()
  const answer = authenticate()
  expect(authenticate()).toBe(answer)
  expect(await answer).toMatchObject({ ok: true, key: { uses: 0 } })
})

test('a flush, which changes the key, changes the answer', async () => {
  const { keys, authenticate } = await known()
  const before = authenticate()
  await keys.flush()
  const after = authenticate()
  expect(after).not.toBe(before)
  expect(await after).toMatchObject({ ok: true, key: { uses: 2 } })
})

test('a plan that is dropped is asked for anew, and then known again', async () => {
  const { keys, authenticate } = await known()
  const before = authenticate()
  keys.dropEntitlements('ws_1')
  expect(authenticate()).not.toBe(before)
  await authenticate()
  expect(authenticate()).toBe(before)
})

test('a header without a secret is answered with the same promise', async () => {
  const { keys } = await known()
  for (const header of [undefined, 'Bearer', 'Bearer x']) {
    expect(keys.authenticate(header, null)).toBe(keys.authenticate(header, 'contacts.read'))
  }
})
