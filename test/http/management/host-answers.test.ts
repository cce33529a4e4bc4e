import { describe, expect, test } from 'vitest'
import {
  type ContextAnswer,
  introspectKeys,
  type ManageKeysOptions,
  manageKeys,
  requireKey,
} from '../../../adapters/http/fetch.ts'
import { defineResources } from '../../../src/index.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'

const CONTEXT = 'manageKeys: the answer of "context"'
const SESSION = { workspaceId: 'ws_1', user: USER }
const READS = {
  scopes: ['contacts.read'],
  resources: 'all',
  networks: 'any',
  environments: ['live', 'test'],
}

/** What `POST /keys` for a key with two scopes gets, and what the host is told of it. */
async function created(answer: object) {
  const { keys } = testKeys()
  const errors: unknown[] = []
  const manage = manageKeys(keys, {
    context: () => answer as ContextAnswer,
    onError: (error) => errors.push(error),
  })
  const body = JSON.stringify({ ...NEW_KEY, scopes: ['contacts.read', 'orders.write'] })
  const headers = { 'content-type': 'application/json' }
  const { status } = await manage(
    new Request('https://a.example/keys', { method: 'POST', headers, body }),
  )
  return { status, errors, made: (await keys.listKeys({ workspaceId: 'ws_1' })).keys.length }
}

describe('a typing mistake in the answer of context gives nobody more', () => {
  test.each<readonly [object, string]>([
    [{ grantables: READS }, 'has no member "grantables"; did you mean "grantable"?'],
    [{ visble: 'own' }, 'has no member "visble"; did you mean "visible"?'],
    [
      { allowedOperation: [] },
      'has no member "allowedOperation"; did you mean "allowedOperations"?',
    ],
    [
      { email: 'noura@example.com' },
      'has no member "email"; known names: workspaceId, user, allowedOperations, grantable, visible.',
    ],
    ...['grantable', 'visible', 'allowedOperations'].map(
      (name) =>
        [
          { [name]: undefined },
          `has "${name}" as undefined: give it a value or leave it out.`,
        ] as const,
    ),
  ])('%j', async (mistake, message) => {
    expect(await created({ ...SESSION, ...mistake })).toEqual({
      status: 500,
      errors: [new TypeError(`${CONTEXT} ${message}`)],
      made: 0,
    })
  })

  test('what is spelt well limits, and the user may be a whole row of the host', async () => {
    const user = { ...USER, email: 'noura@example.com' }
    expect(await created({ ...SESSION, user, grantable: READS })).toMatchObject({ status: 403 })
    expect(await created({ ...SESSION, user })).toMatchObject({ status: 201, made: 1 })
  })
})

describe('the answers of resources', () => {
  const named = { id: 'p_1', name: 'Site' }
  const whose = 'manageKeys: the answer of a function of "resources"'
  const read = async (search: object, query: string, name: readonly object[] = []) => {
    const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
    const errors: unknown[] = []
    const options = {
      context: () => SESSION,
      resources: { project: { search: () => search, name: () => name } },
      onError: (error: unknown) => errors.push(error),
    } as unknown as ManageKeysOptions<Request>
    const manage = manageKeys(testKeys({ resources }).keys, options)
    const url = `https://a.example/resources/project${query}`
    const response = await manage(new Request(url))
    return { status: response.status, errors, answer: await response.json() }
  }

  test.each([
    [{ resources: [], nextCursor: null, nextPage: 'x' }, 'has no member "nextPage"; known names: '],
    [{ resource: [], nextCursor: null }, 'has no member "resource"; did you mean "resources"?'],
    [
      { resources: [{ id: 'p_1', nmae: 'x' }], nextCursor: null },
      'has a resource with "nmae"; did you mean "name"?',
    ],
  ])('may not be %j', async (answer, message) => {
    const { status, errors } = await read(answer, '')
    expect([status, String(errors[0])]).toEqual([
      500,
      expect.stringContaining(`${whose} ${message}`),
    ])
  })

  test('by id they are checked likewise', async () => {
    const { status, errors } = await read({}, '?id=p_1', [{ ids: 'p_1', name: 'x' }])
    expect([status, String(errors[0])]).toEqual([
      500,
      expect.stringContaining('did you mean "id"?'),
    ])
  })

  test('may be whole rows of the host', async () => {
    const { answer } = await read({ resources: [{ ...named, createdAt: 1 }], nextCursor: null }, '')
    expect(answer).toEqual({ resources: [named], nextCursor: null })
  })
})

test('the answer of authorize', async () => {
  const errors: unknown[] = []
  const introspect = introspectKeys(testKeys().keys, {
    authorize: () => ({ workspaceId: 'ws_1', restrictions: 'by_caller' }),
    onError: (error) => errors.push(error),
  })
  const init = { method: 'POST', body: new URLSearchParams({ token: 'x' }) }
  expect((await introspect(new Request('https://a.example', init))).status).toBe(500)
  expect(errors).toEqual([
    new TypeError(
      'introspectKeys: the answer of "authorize" has no member "restrictions"; known names: workspaceId.',
    ),
  ])
})

test('the answer of onDenied: the own one of the guard stays', async () => {
  const { keys, events } = testKeys()
  const onDenied = (_: unknown, answer: object) => ({ ...answer, header: { 'x-help': '/keys' } })
  const guarded = requireKey(keys, null, { onDenied: onDenied as never })(() => new Response())
  expect((await guarded(new Request('https://a.example'))).status).toBe(401)
  expect(events).toContainEqual(
    expect.objectContaining({
      operation: 'onDenied',
      error: new TypeError('onDenied must return no "header"; did you mean "headers"?'),
    }),
  )
})
