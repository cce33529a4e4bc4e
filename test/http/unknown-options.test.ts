import { describe, expect, test } from 'vitest'
import * as express from '../../adapters/http/express.ts'
import * as fastify from '../../adapters/http/fastify.ts'
import * as fetch from '../../adapters/http/fetch.ts'
import * as hono from '../../adapters/http/hono.ts'
import * as nestjs from '../../adapters/http/nestjs.ts'
import { createGuard, createScopeGuard, guardAnswers } from '../../src/http/index.ts'
import { testKeys } from '../support/http/keys.ts'

type Make = (...args: readonly unknown[]) => unknown
type Mount = 'requireKey' | 'requireScope' | 'manageKeys' | Endpoint
type Endpoint = 'introspectKeys' | 'revokeBySecret' | 'forwardAuth'

const { keys } = testKeys()

/** What stands before the options, those that are needed, and one that is misspelt. */
const MOUNTS: readonly (readonly [Mount, readonly unknown[], object, string, string])[] = [
  ['requireKey', ['contacts.read'], {}, 'clearText', 'cleartext'],
  ['requireKey', [null], {}, 'clientAdress', 'clientAddress'],
  ['requireScope', ['contacts.read'], {}, 'resources', 'resource'],
  ['manageKeys', [], { context: () => null, basePath: '/a' }, 'allowedOrigin', 'allowedOrigins'],
  ['introspectKeys', [], { authorize: () => null }, 'cachableMs', 'cacheableMs'],
  ['revokeBySecret', [], {}, 'onErorr', 'onError'],
  ['forwardAuth', [], { proxy: 'nginx', requirement: () => null }, 'isSecured', 'isSecure'],
]

const HAVE_NO_BASE_PATH = ['fastify', 'hono']

describe.each(Object.entries({ express, fastify, fetch, hono, nestjs }))('%s', (name, host) => {
  const mounts = host as unknown as Readonly<Record<Mount, Make>>

  test.each(MOUNTS)('%s %j', (mount, before, given, misspelt, meant) => {
    const { basePath, ...rest } = given as { basePath?: string }
    const options = HAVE_NO_BASE_PATH.includes(name) ? rest : given
    expect(mounts[mount](keys, ...before, options)).toBeDefined()
    expect(() => mounts[mount](keys, ...before, { ...options, [misspelt]: 'refuse' })).toThrow(
      new TypeError(`${mount}: there is no option "${misspelt}"; did you mean "${meant}"?`),
    )
  })

  test.each(MOUNTS)('%s without the keys, %j', (mount, before, options) => {
    expect(() => mounts[mount](...before, options)).toThrow(
      new TypeError(`${mount}: the first argument must be what createApiKeys has made.`),
    )
  })
})

test('where routes are mounted by the host, a path of their own is no option', () => {
  const mount: Make = hono.manageKeys as never
  expect(() => mount(keys, { context: () => null, basePath: '/a' })).toThrow(/"basePath"/)
})

test('guards for other hosts', () => {
  const misspelt = { realms: 'api' } as object
  for (const make of [
    () => createGuard(keys, null, misspelt),
    () => createScopeGuard(keys, 'contacts.read', misspelt),
    () => guardAnswers(misspelt),
  ]) {
    expect(make).toThrow(/: there is no option "realms"; did you mean "realm"\?$/)
  }
})

test.each(['cost', 'clientAddress', 'cleartext', 'isSecure'])(
  'a guard of scopes does not leave %s to be overlooked',
  (name) => {
    const make = () => createScopeGuard(keys, 'contacts.read', { [name]: 1 })
    expect(make).toThrow(`requireScope: there is no option "${name}"; `)
  },
)
