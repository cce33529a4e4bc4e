import { describe, expect, test } from 'vitest'
import { defaultCatalogue, defineResources, plans } from '../../../src/index.ts'
import { openApi } from '../../programs/openapi/document.ts'
import { issueKey } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'
import {
  checkerOf,
  DOCUMENT,
  describedAnswer,
  openRoutes,
  type RoutesCall,
} from '../../support/http/routes.ts'
import { contextOf } from '../../support/http/sessions.ts'

/* `openRoutes` fails for an answer that the document does not describe, in every test of the routes. */

test('docs/openapi.json is this document; npm run openapi writes it', () => {
  expect(DOCUMENT).toEqual(JSON.parse(JSON.stringify(openApi())))
})

test('it holds for every host: it names no scope and no type of resources', () => {
  expect(JSON.stringify(DOCUMENT)).not.toMatch(/of\.the\.host|"\*"/)
  const open = ['scopes.items', 'resources.additionalProperties', 'metadata.additionalProperties']
  for (const body of ['KeyFields', 'KeyChanges', 'Key']) {
    for (const name of open) {
      expect(DOCUMENT.components.schemas).toHaveProperty(`${body}.properties.${name}`)
    }
  }
})

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

test.each<[string, boolean, object]>([
  ['fields as they should be', true, {}],
  ['the longest name', true, { name: 'a'.repeat(120) }],
  ['a longer name', false, { name: 'a'.repeat(121) }],
  ['an empty name', false, { name: '' }],
  ['a name that is no text', false, { name: 7 }],
  ['the other environment', true, { environment: 'test' }],
  ['an unknown environment', false, { environment: 'staging' }],
  ['every scope', true, { scopes: defaultCatalogue.scopes }],
  ['no scope', false, { scopes: [] }],
  ['all resources of a type', true, { resources: { project: 'all' } }],
  ['resources by no id', false, { resources: { project: 'none' } }],
  ['an entry of metadata', true, { metadata: { team: 'sales' } }],
  ['an entry of metadata that is no text', false, { metadata: { team: 1 } }],
  ['a field too many', false, { colour: 'red' }],
  ['a field too few', false, { environment: undefined }],
])('a new key with %s is let through by document and routes alike: %s', async (_, isGood, more) => {
  const body = JSON.parse(JSON.stringify({ ...NEW_KEY, ...more }))
  const checker = checkerOf({ $ref: '#/components/schemas/KeyFields' })
  expect(checker.safeParse(body).success).toBe(isGood)
  const { call } = openRoutes({ metadata: ['team'] }, { resources })
  expect((await call('POST /keys', { body })).status).toBe(isGood ? 201 : 422)
})

test('every operation belongs to a group that the document names', () => {
  const names = DOCUMENT.tags.map(({ name }: { name: string }) => name)
  const operations = Object.values<object>(DOCUMENT.paths)
    .flatMap((item) => Object.values(item))
    .filter((found) => Object.hasOwn(Object(found), 'operationId'))
  expect(operations).toHaveLength(14)
  for (const { tags } of operations) expect(names).toEqual(expect.arrayContaining(tags))
})

describe('the routes answer what the document describes', () => {
  const day = 86_400_000
  const [from, to] = [Date.now() - day, Date.now()].map((ms) => new Date(ms).toISOString())
  const range = `?from=${from}&to=${to}`
  const UNKNOWN = 'key_000000000000000000000'
  const at = (tag: string) => ({ headers: { 'if-match': tag } })

  interface World {
    readonly outage?: true
    readonly limit?: number
    readonly history?: false
  }

  /** What every call, every read, every change, and every change of a key can be answered. */
  const ANY: readonly (readonly [number, RoutesCall, World?])[] = [
    [401, { session: 'nobody' }],
    [403, { session: 'locked' }],
    [409, { headers: { 'miftah-workspace': 'ws_2', 'if-match': '"1"' } }],
    [500, { session: 'crash' }],
  ]
  const CHANGE: typeof ANY = [
    ...ANY,
    [400, { body: '{', ...at('"1"') }],
    [413, { body: ' '.repeat(65_537), ...at('"1"') }],
    [415, { headers: { 'content-type': 'x', 'if-match': '"1"' } }],
    [422, { body: { x: 1 }, ...at('"1"') }],
    [503, at('"1"'), { outage: true }],
  ]
  const READ: typeof ANY = [...ANY, [503, {}, { outage: true }]]

  /** Each operation with the status of its success, and what else it can be answered. */
  const OPERATIONS: readonly (readonly [
    target: string,
    success: number,
    others: typeof ANY,
    own?: readonly (readonly [number, string, RoutesCall?, World?])[],
    body?: object,
  ])[] = [
    ['GET /keys', 200, READ, [[422, 'GET /keys?limit=x']]],
    ['POST /keys', 201, CHANGE, [[409, 'POST /keys', { body: NEW_KEY }, { limit: 0 }]], NEW_KEY],
    ['POST /keys/revoke', 200, CHANGE, [], { creatorId: 'u_1' }],
    [
      'GET /keys/ID',
      200,
      READ,
      [
        [404, `GET /keys/${UNKNOWN}`],
        [422, 'GET /keys/ID?x'],
      ],
    ],
    [
      'PATCH /keys/ID',
      200,
      CHANGE,
      [
        [404, `PATCH /keys/${UNKNOWN}`, at('"1"')],
        [409, 'PATCH /keys/REVOKED', at('"2"')],
        [412, 'PATCH /keys/ID', at('"2"')],
        [428, 'PATCH /keys/ID', { headers: {} }],
      ],
      { name: 'y' },
    ],
    ...['pause', 'resume', 'rotate'].map(
      (verb) =>
        [
          `POST /keys/ID/${verb}`,
          verb === 'rotate' ? 201 : 200,
          CHANGE,
          [
            [404, `POST /keys/${UNKNOWN}/${verb}`],
            [409, `POST /keys/REVOKED/${verb}`],
          ],
        ] as const,
    ),
    ['POST /keys/ID/revoke', 200, CHANGE, [[404, `POST /keys/${UNKNOWN}/revoke`]]],
    [
      'GET /keys/REVOKED/events',
      200,
      READ,
      [
        [404, `GET /keys/${UNKNOWN}/events`],
        [422, 'GET /keys/ID/events?x'],
      ],
    ],
    [
      `GET /keys/ID/usage${range}`,
      200,
      READ,
      [
        [404, `GET /keys/${UNKNOWN}/usage${range}`],
        [422, 'GET /keys/ID/usage'],
      ],
    ],
    [
      `GET /usage${range}`,
      200,
      READ,
      [
        [404, `GET /usage${range}`, {}, { history: false }],
        [422, 'GET /usage'],
      ],
    ],
    ['GET /scopes', 200, ANY, [[422, 'GET /scopes?x']]],
    [
      'GET /resources/project',
      200,
      ANY,
      [
        [404, 'GET /resources/team'],
        [422, 'GET /resources/project?x'],
      ],
    ],
  ]

  const SAMPLES = OPERATIONS.flatMap(([target, success, others, own = [], body]) => {
    const given = (call: RoutesCall) => ({ ...(body !== undefined && { body }), ...call })
    return [
      [success, target, given(at('"1"')), {}] as const,
      ...others.map(([status, call, world = {}]) => [status, target, given(call), world] as const),
      ...own.map(
        ([status, to, call = {}, world = {}]) => [status, to, given(call), world] as const,
      ),
    ]
  })
  const seen = new Set<string>()

  test.each(SAMPLES)('%i for %s, %j, %j', async (status, target, given, world) => {
    const { limit, history, outage } = world as World
    const source = {
      search: () => ({ resources: [{ id: 'p_1', name: 'Site' }], nextCursor: null }),
      name: () => [],
    }
    const { backend, call } = openRoutes(
      {
        resources: { project: source },
        context: (request, operation) => {
          const cookie = request.headers.get('cookie')
          return cookie === 'session=locked' ? 'forbidden' : contextOf(cookie, operation)
        },
      },
      {
        ...{ resources, usageHistory: history ?? {} },
      },
    )
    const { key } = await issueKey(backend)
    const revoked = (await issueKey(backend)).key.id
    await backend.keys.revokeKey({ workspaceId: 'ws_1', id: revoked, actor: key.creator })
    backend.plans.set('ws_1', { ...plans.enterprise, activeKeyLimit: limit ?? null })
    backend.outage = outage ?? false
    const filled = target.replace('REVOKED', revoked).replace('ID', key.id)
    const answer = await call(filled, given)
    expect(answer.status).toBe(status)
    const [method = '', path = ''] = filled.split(' ')
    const described = describedAnswer(method, path.split('?')[0] ?? '', status)
    seen.add(described?.id ?? '')
    const content = described?.content?.[answer.headers['content-type'] ?? '']
    expect(checkerOf(content?.schema).safeParse({ ...answer.json, hash: 'x' }).success).toBe(false)
  })

  test('every status it describes has been seen', () => {
    const items = Object.values<object>(DOCUMENT.paths).flatMap((item) => Object.values(item))
    const promised = items.flatMap(({ operationId, responses }) =>
      Object.keys(responses ?? {}).map((status) => `${operationId} ${status}`),
    )
    expect(promised.sort()).toEqual([...seen].sort())
  })
})
