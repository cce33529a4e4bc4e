import { describe, expect, test } from 'vitest'
import { defaultCatalogue, defineResources } from '../../../src/index.ts'
import { openApi } from '../../programs/openapi/document.ts'
import { ROWS } from '../../support/http/every-host.ts'
import { issueKey } from '../../support/http/keys.ts'
import { BASE, NEW_KEY } from '../../support/http/management-call.ts'
import { checkerOf, DOCUMENT, describedAnswer, openRoutes } from '../../support/http/routes.ts'

/* `openRoutes` and hosts.test.ts fail for an answer that the document does not describe. */

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

describe('the routes answer what the document describes, and all of it', () => {
  const [from, to] = [-86_400_000, 0].map((ms) => new Date(Date.now() + ms).toISOString())
  const range = `?from=${from}&to=${to}`
  const source = {
    search: () => ({ resources: [{ id: 'p_1', name: 'Site' }], nextCursor: null }),
    name: () => [],
  }

  /** What the table of requests has not, by its target; `outage` is 503. */
  const MORE: readonly (readonly [status: number, target: string, body?: object])[] = [
    ...['GET /keys', 'POST /keys', 'POST /keys/revoke', 'GET /keys/ID', 'PATCH /keys/ID'],
    ...['pause', 'resume', 'rotate', 'revoke'].map((verb) => `POST /keys/ID/${verb}`),
    ...[`GET /keys/ID/usage${range}`, 'GET /keys/ID/events', `GET /usage${range}`],
  ].map((target) => {
    const bodies: Readonly<Record<string, object>> = {
      'POST /keys': NEW_KEY,
      'POST /keys/revoke': { creatorId: 'u_1' },
    }
    return [503, target, bodies[target] ?? {}] as const
  })
  const OTHERS: typeof MORE = [
    [200, 'PATCH /keys/ID', { name: 'y' }],
    [200, 'POST /keys/ID/resume'],
    ...[200, 404].flatMap((status) => [
      [status, `GET /keys/ID/usage${range}`] as const,
      [status, `GET /usage${range}`] as const,
    ]),
    [200, 'GET /keys/ID/events'],
    [200, 'GET /resources/project'],
    [422, 'GET /resources/project?x'],
  ]
  const idOf = (target: string, status: number) => {
    const [method = '', path = ''] = target.split(' ')
    return describedAnswer(method, path.split('?')[0] ?? '', status)?.id
  }

  test.each([...MORE, ...OTHERS].map(([status, target, body]) => ({ status, target, body })))(
    '$status for $target',
    async ({ status, target, body }) => {
      const usageHistory = status === 404 ? false : {}
      const options = { resources: { project: source } }
      const { backend, call } = openRoutes(options, { resources, usageHistory })
      const { key } = await issueKey(backend)
      backend.outage = status === 503
      const change = target.startsWith('GET') ? {} : { body, headers: { 'if-match': '"1"' } }
      expect((await call(target.replace('ID', key.id), change)).status).toBe(status)
    },
  )

  test('every status it describes is in the table or above', () => {
    const inTable = ROWS.map(({ request: [method, target], expected }) =>
      idOf(`${method} ${target.replace(BASE, '')}`, Number(expected('fetch').slice(0, 3))),
    )
    const above = [...MORE, ...OTHERS].map(([status, target]) => idOf(target, status))
    const items = Object.values<object>(DOCUMENT.paths).flatMap((item) => Object.values(item))
    const promised = items.flatMap(({ operationId, responses }) =>
      Object.keys(responses ?? {}).map((status) => `${operationId} ${status}`),
    )
    expect(promised.filter((id) => ![...inTable, ...above].includes(id))).toEqual([])
  })
})
