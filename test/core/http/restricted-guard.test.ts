import { describe, expect, test } from 'vitest'
import {
  createGuard,
  createScopeGuard,
  type GuardOptions,
  guardAnswers,
} from '../../../src/http/index.ts'
import { type ApiKeys, defineResources, OutageError } from '../../../src/index.ts'
import { keyInput, openWorld, rejection } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

type AddressCase = [string, NonNullable<GuardOptions['clientAddress']>, boolean]
const touching = (project: string) => (): Readonly<Record<string, string>> => ({ project })

/** A restricted key, and a guard's verdict about a request with it. */
async function restricted(fields: Record<string, unknown> = { resources: { project: ['p_1'] } }) {
  const world = openWorld({ resources })
  const { key, secret } = await world.keys.createKey(keyInput(fields))
  const lines = (name: string) => (name === 'authorization' ? [`Bearer ${secret}`] : [])
  return { world, key, lines, keys: world.keys }
}

/** What stands in for the keys: another object with the same functions. */
const standIn = (keys: ApiKeys, own: Partial<ApiKeys> = {}): ApiKeys => ({ ...keys, ...own })

describe.each([
  ['the keys', (keys: ApiKeys) => keys, 503],
  // It has no way to tell whose fault it is.
  ['an object that stands in for them', (keys: ApiKeys) => standIn(keys), 500],
] as const)('a guard of %s', (_, of, failed) => {
  test.each([
    ['a function', { resource: touching('p_1') }, true],
    ['a promise', { resource: async () => touching('p_1')() }, true],
    ['another id', { resource: touching('p_2') }, false],
    ['none', { resource: 'none' }, true],
    ['by_handler', { resource: 'by_handler' }, true],
    ['nothing', {}, false],
    ['a cost alone', { cost: 2 }, false],
  ] as const)('resource: %s', async (_what, options, ok) => {
    const { keys, lines } = await restricted()
    const verdict = await createGuard(of(keys), 'contacts.read', options).check('GET', lines)
    expect(verdict.ok).toBe(ok)
  })

  test.each<AddressCase>([
    ['inside', () => '198.51.100.7', true],
    ['inside, later', async () => '198.51.100.7', true],
    ['outside', () => '203.0.113.9', false],
    ['nowhere', () => null, false],
  ])('clientAddress: %s', async (_what, clientAddress, ok) => {
    const { keys, lines } = await restricted({ networks: ['198.51.100.0/24'] })
    const guard = createGuard(of(keys), 'contacts.read', { clientAddress })
    expect((await guard.check('GET', lines)).ok).toBe(ok)
  })

  test('by_route holds the key back until a guard of the route has passed', async () => {
    const { keys, lines, key } = await restricted()
    const outer = createGuard(of(keys), null, { resource: 'by_route' })
    const request = {}
    expect(await outer.check('GET', lines, request)).toMatchObject({ ok: true, key: null })
    const check = (resource: object | undefined) =>
      createScopeGuard(of(keys), 'contacts.read', resource as never).check(undefined, request)
    expect((await check({})).ok).toBe(false)
    expect((await check({ resource: touching('p_2') })).ok).toBe(false)
    for (const resource of ['none', 'by_handler', touching('p_1')]) {
      expect(await check({ resource })).toMatchObject({ ok: true, key: { id: key.id } })
    }
  })

  test('the key of one request is not that of another', async () => {
    const { keys, lines } = await restricted()
    const outer = createGuard(of(keys), null, { resource: 'by_route' })
    await outer.check('GET', lines, {})
    await outer.check('GET', lines)
    const inner = createScopeGuard(of(keys), null, { resource: 'none' })
    for (const request of [{}, undefined, null, 'request']) {
      expect(String(await rejection(inner.check(undefined, request)))).toMatch(/mount one before/)
    }
  })

  test('a function gets the request', async () => {
    const { keys, lines } = await restricted()
    const resource = ({ project }: { project: string }) => ({ project })
    const guard = createGuard(of(keys), null, { resource })
    expect((await guard.check('GET', lines, { project: 'p_1' })).ok).toBe(true)
    expect((await guard.check('GET', lines, { project: 'p_2' })).ok).toBe(false)
    const read = await createGuard(of(keys), null, { resource: 'by_handler' }).check('GET', lines)
    if (!read.ok || read.key === null) throw new Error('the key is good')
    const inner = createScopeGuard(of(keys), null, { resource })
    expect((await inner.check(read.key, { project: 'p_1' })).ok).toBe(true)
    expect((await inner.check(read.key, { project: 'p_2' })).ok).toBe(false)
  })

  test('a function that fails is never an answer', async () => {
    const { keys, lines, world } = await restricted()
    const read = await createGuard(of(keys), null, { resource: 'by_handler' }).check('GET', lines)
    if (!read.ok || read.key === null) throw new Error('the key is good')
    const fails = () => Promise.reject(new Error('the database is gone'))
    const inner = createScopeGuard(of(keys), null, { resource: fails })
    const verdict = await inner.check(read.key)
    expect(verdict).toMatchObject({ ok: false, answer: { status: failed } })
    expect(world.events.filter(({ type }) => type === 'outage')).toHaveLength(1)
  })
})

test.each([
  ['resource', { resources: { project: ['p_1'] } }],
  ['clientAddress', { networks: ['198.51.100.0/24'] }],
] as const)(
  'a rule of the route that fails is no fault of the storage: %s',
  async (name, fields) => {
    const { keys, lines } = await restricted(fields)
    const options = { [name]: () => Promise.reject(new Error('the database is gone')) }
    const verdict = await createGuard(keys, null, options).check('GET', lines)
    expect(verdict).toEqual({ ok: false, answer: guardAnswers().ruleFault })
  },
)

test.each(['resources', 'my resource'])('a fault of "%s" is no rule of the route', async (name) => {
  const { keys } = await restricted()
  const authenticate = () => Promise.reject(new OutageError(name, new Error('down')))
  const verdict = await createGuard(standIn(keys, { authenticate }), null).check('GET', () => [])
  expect(verdict).toEqual({ ok: false, answer: guardAnswers().fault })
})

test('a key that was given has been checked before, unless the route names a resource', async () => {
  const { keys, lines } = await restricted()
  const verdict = await createGuard(keys, null, { resource: 'by_handler' }).check('GET', lines)
  if (!verdict.ok || verdict.key === null) throw new Error('the key is good')
  const { key } = verdict
  expect((await createScopeGuard(keys, 'contacts.read').check(key)).ok).toBe(true)
  const elsewhere = createScopeGuard(keys, null, { resource: touching('p_2') })
  expect((await elsewhere.check(key)).ok).toBe(false)
})

test('a stand-in gets what its guard knows', async () => {
  const { keys, lines } = await restricted()
  const asked: unknown[] = []
  const authenticate: ApiKeys['authenticate'] = async (_header, ...rest) => {
    asked.push(rest)
    return { ok: false, reason: 'missing' }
  }
  const options = { resource: 'by_route', clientAddress: () => null, cost: 3 } as const
  await createGuard(standIn(keys, { authenticate }), null, options).check('GET', lines)
  await createGuard(standIn(keys, { authenticate }), null).check('GET', lines)
  const free = { resource: 'none' } as const
  await createGuard(standIn(keys, { authenticate }), null, free).check('GET', lines)
  expect(asked).toStrictEqual([
    [null, { cost: 3, clientAddress: null, resource: 'by_handler' }],
    [null, { cost: 1 }],
    [null, { cost: 1, resource: 'none' }],
  ])
})
