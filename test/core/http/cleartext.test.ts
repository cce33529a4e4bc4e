import { describe, expect, test } from 'vitest'
import { createGuard } from '../../../src/http/index.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { keyInput, openWorld, thrown } from '../../support/world.ts'

/** A key, and requests with it to a guard that refuses plain HTTP. */
async function opened() {
  const world = openWorld()
  const { secret } = await world.keys.createKey(keyInput())
  const guard = createGuard<DefaultScope, boolean>(world.keys, null, {
    cleartext: 'refuse',
    isSecure: (secure) => secure,
  })
  const send = (secure: boolean) =>
    guard.check('GET', (name) => (name === 'authorization' ? [`Bearer ${secret}`] : []), secure)
  world.events.length = 0
  return { world, send }
}

describe('a key that came over plain HTTP', () => {
  test('is refused unread and reported to onEvent', async () => {
    const { send, world } = await opened()
    world.asked()
    expect(await send(false)).toMatchObject({ ok: false, answer: { status: 403 } })
    expect(world.asked()).toEqual([])
    expect(world.events).toMatchObject([
      { type: 'authentication.denied', reason: 'cleartext', keyId: null, workspaceId: null },
    ])
    expect(await send(true)).toMatchObject({ ok: true })
  })

  test('a preflight carries no key, and stays what it is', async () => {
    const { world } = await opened()
    const guard = createGuard(world.keys, null, { cleartext: 'refuse', isSecure: () => false })
    const lines = (name: string) => (name === 'access-control-request-method' ? ['GET'] : [])
    expect(await guard.check('OPTIONS', lines)).toMatchObject({ answer: { status: 204 } })
  })
})

describe('isSecure', () => {
  const noBoolean = { message: 'isSecure must return a boolean.' }
  test.each<[string, () => unknown, object]>([
    ['throws', () => thrown(new Error('no socket')), { message: 'no socket' }],
    [
      'throws what is no error',
      () => thrown('no socket'),
      { message: 'isSecure threw.', cause: 'no socket' },
    ],
    ['answers a promise', async () => true, noBoolean],
    ['answers nothing', () => undefined, noBoolean],
  ])('that %s: 503, reported, with no look at the key', async (_, isSecure, error) => {
    const { world } = await opened()
    world.asked()
    const options = { cleartext: 'refuse', isSecure: isSecure as never } as const
    const verdict = await createGuard(world.keys, null, options).check('GET', () => [])
    expect(verdict).toMatchObject({ ok: false, answer: { status: 503 } })
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'isSecure', error }])
    expect(world.asked()).toEqual([])
  })

  test('is not asked where plain HTTP is allowed', async () => {
    const { world } = await opened()
    const isSecure = () => thrown(new Error('asked'))
    const guard = createGuard(world.keys, null, { isSecure })
    expect(await guard.check('GET', () => [])).toMatchObject({ answer: { status: 401 } })
    expect(world.events).toMatchObject([{ reason: 'missing' }])
  })

  test('an object that stands in for the keys refuses, too', async () => {
    const { world } = await opened()
    const { ...plain } = world.keys
    const standIn = Object.fromEntries(Object.entries(plain)) as unknown as ApiKeys
    let secure = true
    const guard = createGuard(standIn, null, { cleartext: 'refuse', isSecure: () => secure })
    expect(await guard.check('GET', () => [])).toMatchObject({ answer: { status: 401 } })
    secure = false
    expect(await guard.check('GET', () => [])).toMatchObject({ answer: { status: 403 } })
  })
})
