import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createGuard, type GuardOptions } from '../../../src/http/index.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { keyInput, openWorld, rejection } from '../../support/world.ts'

let nowMs = 1_000

function thrown(error: unknown): never {
  throw error
}

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const ACTOR = { id: 'u_1', name: 'نورة' }

/** A key, and requests with it to a guard that pauses. */
async function opened(options: Pick<GuardOptions, 'onDenied'> = {}) {
  const world = openWorld()
  const { key, secret } = await world.keys.createKey(keyInput())
  const guard = createGuard<DefaultScope, boolean>(world.keys, null, {
    cleartext: 'refuse_and_pause',
    isSecure: (secure) => secure,
    ...options,
  })
  const send = (secure: boolean, text = secret, method = 'GET') =>
    guard.check(method, (name) => (name === 'authorization' ? [`Bearer ${text}`] : []), secure)
  const statusOf = async (id = key.id) =>
    (await world.keys.getKey({ workspaceId: key.workspaceId, id })).status
  world.events.length = 0
  return { world, key, secret, send, statusOf }
}

describe('a key that came over plain HTTP', () => {
  test('is not paused before a request over TLS was seen', async () => {
    const { send, statusOf, world, key } = await opened()
    world.asked()
    expect(await send(false)).toMatchObject({ ok: false, answer: { status: 403 } })
    expect(world.asked()).toEqual([])
    expect(await statusOf()).toBe('active')
    expect(await send(true)).toMatchObject({ ok: true })
    world.events.length = 0
    await send(false)
    expect(await statusOf()).toBe('paused')
    const { id: keyId, workspaceId } = key
    expect(world.events).toMatchObject([
      { type: 'authentication.denied', reason: 'cleartext', keyId, workspaceId },
      {
        ...{ type: 'api_key.paused', keyId, data: { reason: 'exposed' } },
        actor: { id: 'miftah:cleartext', name: 'miftah' },
      },
    ])
    const resumed = await world.keys.resumeKey({ workspaceId, id: keyId, actor: ACTOR })
    expect(resumed.status).toBe('active')
  })

  test('one key a minute, also of requests at the same time', async () => {
    const { send, world, statusOf } = await opened()
    await send(true)
    const others = await Promise.all([1, 2, 3].map(() => world.keys.createKey(keyInput())))
    await Promise.all(others.map(({ secret }) => send(false, secret)))
    const statuses = async () => Promise.all(others.map(({ key }) => statusOf(key.id)))
    expect((await statuses()).sort()).toEqual(['active', 'active', 'paused'])
    nowMs += 59_999
    for (const { secret } of others) await send(false, secret)
    expect((await statuses()).sort()).toEqual(['active', 'active', 'paused'])
    nowMs += 1
    for (const { secret } of others) await send(false, secret)
    expect((await statuses()).sort()).toEqual(['active', 'paused', 'paused'])
  })

  test('what is not active costs no pause: unknown, malformed, retiring, paused, none', async () => {
    const { send, world, key, secret, statusOf } = await opened()
    await send(true)
    const action = { workspaceId: key.workspaceId, id: key.id, actor: ACTOR }
    const rotated = await world.keys.rotateKey({ ...action, overlapSeconds: 3_600 })
    world.events.length = 0
    await send(false)
    expect(world.events).toMatchObject([{ type: 'authentication.denied', keyId: key.id }])
    for (const text of ['x', `${secret.slice(0, -1)}?`, '', 'a b']) await send(false, text)
    expect(world.events.slice(1)).toMatchObject(
      Array(4).fill({ type: 'authentication.denied', keyId: null }),
    )
    expect(await statusOf()).toBe('retiring')
    await send(false, rotated.secret)
    expect(await statusOf(rotated.key.id)).toBe('paused')
  })

  test('an outage is reported, and the answer stays', async () => {
    const { send, world, statusOf } = await opened()
    await send(true)
    world.misbehaviour.findByHash = () => Promise.reject(new Error('gone'))
    const during = await send(false)
    expect(during).toMatchObject({ ok: false, answer: { status: 403 } })
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'findByHash' }])
    world.misbehaviour.findByHash = undefined as never
    expect(await statusOf()).toBe('active')
  })

  test('a preflight carries no key, and stays what it is', async () => {
    const { world } = await opened()
    const guard = createGuard(world.keys, null, { cleartext: 'refuse', isSecure: () => false })
    const lines = (name: string) => (name === 'access-control-request-method' ? ['GET'] : [])
    expect(await guard.check('OPTIONS', lines)).toMatchObject({ answer: { status: 204 } })
  })

  test('onDenied gives the refusal its form', async () => {
    const { send } = await opened({
      onDenied: (denial) => ({ status: 400, headers: {}, body: denial.reason }),
    })
    expect(await send(false)).toMatchObject({ answer: { status: 400, body: 'cleartext' } })
  })
})

describe('isSecure', () => {
  test.each<[string, () => unknown]>([
    ['throws', () => thrown(new Error('no socket'))],
    ['throws what is no error', () => thrown('no socket')],
    ['answers a promise', async () => true],
    ['answers nothing', () => undefined],
  ])('that %s: 503, reported, with no look at the key', async (_, isSecure) => {
    const { world } = await opened()
    world.asked()
    const options = { cleartext: 'refuse', isSecure: isSecure as never } as const
    const verdict = await createGuard(world.keys, null, options).check('GET', () => [])
    expect(verdict).toMatchObject({ ok: false, answer: { status: 503 } })
    expect(world.events).toMatchObject([{ type: 'outage', operation: 'isSecure' }])
    expect(world.asked()).toEqual([])
  })

  test('an object that stands in for the keys refuses, without a pause', async () => {
    const { world } = await opened()
    const { ...plain } = world.keys
    const standIn = Object.fromEntries(Object.entries(plain)) as unknown as ApiKeys
    for (const cleartext of ['refuse', 'refuse_and_pause'] as const) {
      let secure = true
      const guard = createGuard(standIn, null, { cleartext, isSecure: () => secure })
      expect(await guard.check('GET', () => [])).toMatchObject({ answer: { status: 401 } })
      secure = false
      expect(await guard.check('GET', () => [])).toMatchObject({ answer: { status: 403 } })
    }
  })
})

test.each([
  [{ cleartext: 'deny' }, /"cleartext"/],
  [{ cleartext: null }, /"cleartext"/],
  [{ cleartext: 'refuse' }, /"isSecure"/],
  [{ isSecure: true }, /"isSecure"/],
  [{ cleartext: 'refuse_and_pause', isSecure: null }, /"isSecure"/],
] as const)('a bad option is a TypeError when it is mounted: %j', async (options, message) => {
  const { keys } = openWorld()
  const mount = async () => createGuard(keys, null, options as never)
  expect(String(await rejection(mount()))).toMatch(message)
})
