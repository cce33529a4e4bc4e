import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createGuard, guardAnswers, type HeaderLines } from '../../../src/http/index.ts'
import { ApiKeyError, type ApiKeys, createApiKeys, OutageError, plans } from '../../../src/index.ts'
import type { LimiterRequest } from '../../../src/model/limiter.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { thrown } from '../../support/world.ts'

/*
 * The guard by itself, without a host; what it does on the wire is in ./guards and in
 * test/security/header-vectors.test.ts.
 */

const withLines =
  (headers: Readonly<Record<string, readonly string[]>>): HeaderLines =>
  (name) =>
    headers[name] ?? []

const PREFLIGHT = {
  ok: false,
  answer: { status: 204, headers: { vary: 'Authorization' }, body: '' },
}

async function guarded() {
  const backend = testKeys()
  const { key, secret } = await issueKey(backend)
  return {
    backend,
    key,
    guard: createGuard(backend.keys, 'contacts.read'),
    bearer: `Bearer ${secret}`,
  }
}

describe('a guard', () => {
  test('answers without a promise when nothing has to be waited for', async () => {
    const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
    const { key, secret } = await issueKey({ keys })
    const guard = createGuard(keys, null)
    const lines = withLines({ authorization: [`Bearer ${secret}`] })
    expect(guard.check('GET', lines)).toMatchObject({ ok: true, key: { id: key.id } })
    const answer = guardAnswers().denial({ ok: false, reason: 'missing' })
    expect(guard.check('GET', withLines({}))).toEqual({ ok: false, answer })
  })

  const authenticate = async () => ({ ok: false, reason: 'missing' }) as const
  const proxied = (keys: ApiKeys): ApiKeys => {
    const get = (of: ApiKeys, name: keyof ApiKeys) =>
      name === 'authenticate' ? authenticate : of[name]
    return new Proxy({ ...keys }, { get: get as never })
  }
  test.each<[string, (keys: ApiKeys) => ApiKeys]>([
    ['a copy', (keys) => ({ ...keys, authenticate })],
    ['an heir', (keys) => Object.create(keys, { authenticate: { value: authenticate } })],
    ['a proxy', proxied],
  ])('asks an object that stands in for the keys: %s', async (_what, standIn) => {
    const { backend, bearer } = await guarded()
    const guard = createGuard(standIn(backend.keys), 'contacts.read')
    const lines = withLines({ authorization: [bearer] })
    const answer = guardAnswers().denial({ ok: false, reason: 'missing' })
    expect(await guard.check('GET', lines)).toEqual({ ok: false, answer })
  })

  test('waits for one that answers with a promise of another realm', async () => {
    const { backend } = await guarded()
    const denial = { ok: false, reason: 'missing' } as const
    const authenticate = (): Promise<typeof denial> =>
      runInNewContext('Promise.resolve(denial)', { denial })
    const guard = createGuard({ ...backend.keys, authenticate }, null)
    const answer = guardAnswers().denial(denial)
    expect(await guard.check('GET', withLines({}))).toEqual({ ok: false, answer })
  })

  test.each(['outage', 'close'] as const)('%s is 503', async (what) => {
    const { guard, backend, bearer } = await guarded()
    backend.outage = what === 'outage'
    if (what === 'close') await backend.keys.close()
    const verdict = await guard.check('GET', withLines({ authorization: [bearer] }))
    expect(verdict).toEqual({ ok: false, answer: guardAnswers().fault })
  })

  const mistake = new TypeError('a mistake')
  const answering = (authenticate: () => unknown) => (keys: ApiKeys) =>
    ({ ...keys, authenticate }) as ApiKeys
  const none: HeaderLines = () => []
  test.each<[string, (keys: ApiKeys) => ApiKeys, HeaderLines]>([
    ['header lines that throw', (keys) => keys, () => Reflect.get(null as unknown as object, 'x')],
    ['keys that reject', answering(() => Promise.reject(mistake)), none],
    [
      'keys that reject with what ends nothing',
      answering(() => Promise.reject(new ApiKeyError('key_not_found'))),
      none,
    ],
    ['keys that throw', answering(() => thrown(mistake)), none],
    ['keys that answer nonsense', answering(async () => undefined), none],
  ])('%s: 500, and onEvent hears of it', async (_, standIn, lines) => {
    const backend = testKeys()
    const guard = createGuard(standIn(backend.keys), null)
    const answer = guardAnswers().internalError
    expect(await guard.check('GET', lines)).toEqual({ ok: false, answer })
    const error = expect.any(Error)
    expect(backend.events).toMatchObject([{ type: 'outage', operation: 'guard', error }])
  })

  test('an outage is reported where it occurs, and not again', async () => {
    const backend = testKeys()
    const outage = new OutageError('findByHash', new Error('down'))
    const standIn = { ...backend.keys, authenticate: () => Promise.reject(outage) }
    const verdict = await createGuard(standIn, null).check('GET', () => [])
    expect(verdict).toEqual({ ok: false, answer: guardAnswers().fault })
    expect(backend.events).toEqual([])
  })

  test('passes on its cost, and shows what the limiter says of an accepted call', async () => {
    const costs: number[] = []
    const policies = [{ name: 'default', limit: 5, remaining: 2 }]
    const limiter = {
      take: ({ cost }: LimiterRequest) => {
        costs.push(cost)
        return { allowed: true, policies } as const
      },
    }
    const backend = testKeys({ limiter })
    const { secret } = await issueKey(backend)
    const guard = createGuard(backend.keys, null, { cost: 3 })
    const headers = withLines({ authorization: [`Bearer ${secret}`] })
    expect(await guard.check('GET', headers)).toMatchObject({
      ok: true,
      headers: { 'ratelimit-policy': '"default";q=5', ratelimit: '"default";r=2' },
    })
    expect(costs).toEqual([3])
  })

  test('presents itself with the realm it was given', async () => {
    const guard = createGuard(testKeys().keys, null, { realm: 'orders' })
    const headers = { 'www-authenticate': 'Bearer realm="orders"' }
    expect(await guard.check('GET', withLines({}))).toMatchObject({ answer: { headers } })
    expect(Object.isFrozen(guard)).toBe(true)
  })
})

describe('a preflight', () => {
  const asks = { 'access-control-request-method': ['GET'] }

  test('is answered without CORS headers and without a lookup', async () => {
    const { guard, backend } = await guarded()
    const verdict = await guard.check('OPTIONS', withLines(asks))
    expect(verdict).toEqual(PREFLIGHT)
    expect(Object.isFrozen('answer' in verdict && verdict.answer.headers)).toBe(true)
    expect(backend.events).toMatchObject([{ type: 'api_key.created' }])
  })

  test.each([
    ['another method', 'GET', asks],
    ['no question', 'OPTIONS', {}],
    ['a credential', 'OPTIONS', { ...asks, authorization: ['Bearer x'] }],
  ])('%s makes it a request like any other', async (_, method, headers) => {
    const { guard } = await guarded()
    expect(await guard.check(method, withLines(headers))).toMatchObject({
      ok: false,
      answer: { headers: { 'www-authenticate': expect.stringMatching(/^Bearer /) } },
    })
  })
})
