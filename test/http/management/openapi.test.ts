import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { defaultCatalogue, defineResources, plans } from '../../../src/index.ts'
import { type JsonObject, openApi } from '../../programs/openapi/document.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'
import { contextOf } from '../../support/http/sessions.ts'

const document = openApi()

test('docs/openapi.json is this document; npm run openapi writes it', () => {
  const written = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
  expect(JSON.parse(written)).toEqual(document)
})

test('it holds for every host: it names no scope and no type of resources', () => {
  const text = JSON.stringify(document)
  expect(text).not.toMatch(/of\.the\.host|"\*"/)
  for (const name of [
    'scopes.items',
    'resources.additionalProperties',
    'metadata.additionalProperties',
  ]) {
    for (const body of ['KeyFields', 'KeyChanges', 'Key']) {
      expect(document.components.schemas).toHaveProperty(`${body}.properties.${name}`)
    }
  }
})

describe('a body of a create is let through by the document and by the routes alike', () => {
  const isLetThrough = checker({ $ref: '#/components/schemas/KeyFields' })
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
  ])('%s: %s', async (_, isGood, changes) => {
    const body = JSON.parse(JSON.stringify({ ...NEW_KEY, ...changes }))
    expect(isLetThrough.safeParse(body).success).toBe(isGood)
    const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
    const manage = manageKeys(testKeys({ resources }).keys, {
      context: () => ({ workspaceId: 'ws_1', user: USER }),
      metadata: ['team'],
    })
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const { status } = await manage(new Request('https://host.example/keys', sent))
    expect(status).toBe(isGood ? 201 : 422)
  })
})

test('every operation belongs to a group that the document names', () => {
  const names = new Set(document.tags.map(({ name }) => name))
  const operations = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .filter((found) => Object.hasOwn(Object(found), 'operationId'))
  expect(operations).toHaveLength(14)
  for (const found of operations) {
    const { tags } = found as { readonly tags: readonly string[] }
    expect(tags.filter((tag) => names.has(tag))).toHaveLength(1)
  }
})

/** What a reference of the document points at. */
function at(reference: string): JsonObject {
  const steps = reference.replace('#/', '').split('/')
  return steps.reduce<JsonObject>((node, step) => node[step] as JsonObject, { ...document })
}

/** A checker for a schema of the document, made from the document alone. */
function checker(schema: unknown) {
  const local = (json: unknown) =>
    JSON.parse(JSON.stringify(json).replaceAll('#/components/schemas/', '#/$defs/'))
  return z.fromJSONSchema({ $defs: local(document.components.schemas), allOf: [local(schema)] })
}

describe('the handler conforms to the document', () => {
  interface Sample {
    readonly operation: string
    readonly status: number
    readonly path?: string
    readonly method?: string
    readonly body?: string | undefined
    readonly session?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly outage?: true
    readonly lost?: true
    readonly limit?: number
    readonly history?: false
  }

  const change = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const creation = {
    operation: 'createKey',
    path: '/keys',
    ...change,
    body: JSON.stringify(NEW_KEY),
  }
  const rotation = { operation: 'rotateKey', path: '/keys/ID/rotate', ...change }
  const revocation = { operation: 'revokeKey', path: '/keys/ID/revoke', ...change }
  const bulk = {
    operation: 'revokeKeys',
    path: '/keys/revoke',
    ...change,
    body: '{"creatorId":"u_1"}',
  }
  const resources = { operation: 'listResources', path: '/resources/project' }
  const reading = { operation: 'getKey', path: '/keys/ID' }
  const atVersion = (tag: string) => ({ ...change.headers, 'if-match': tag })
  const update = {
    ...{ operation: 'updateKey', path: '/keys/ID', method: 'PATCH', body: '{"name":"y"}' },
    headers: atVersion('"1"'),
  }
  const pause = { operation: 'pauseKey', path: '/keys/ID/pause', ...change }
  const resume = { operation: 'resumeKey', path: '/keys/ID/resume', ...change }
  const list = { operation: 'listKeys', path: '/keys' }
  const scopes = { operation: 'listScopes', path: '/scopes' }
  const day = 86_400_000
  const range = `?from=${new Date(Date.now() - day).toISOString()}&to=${new Date().toISOString()}`
  const usage = { operation: 'getUsage', path: `/usage${range}` }
  const keyUsage = { operation: 'getKeyUsage', path: `/keys/ID/usage${range}` }
  const history = { operation: 'getKeyEvents', path: '/keys/REVOKED/events' }
  const broken = { status: 400, body: '{' }
  const strange = { status: 422, body: '{"x":1}' }
  const large = { status: 413, body: ' '.repeat(65_537) }
  const untyped = { status: 415, headers: {} }
  const unknown = 'key_000000000000000000000'

  /** What any call answers to nobody, to a page of another workspace, and where the session fails. */
  const anyway = (call: Omit<Sample, 'status'>): Sample[] => [
    { ...call, status: 401, session: 'nobody' },
    { ...call, status: 409, headers: { ...change.headers, 'miftah-workspace': 'ws_2' } },
    { ...call, status: 500, session: 'crash' },
  ]

  const samples: readonly Sample[] = [
    { ...list, status: 200 },
    { ...list, status: 422, path: '/keys?limit=x' },
    { ...list, status: 403, session: 'locked' },
    { ...list, status: 503, outage: true },
    { ...usage, status: 404, history: false },
    { ...keyUsage, status: 404, path: `/keys/${unknown}/usage${range}` },
    { ...history, status: 200 },
    { ...history, status: 404, path: `/keys/${unknown}/events` },
    { ...history, status: 422, path: '/keys/REVOKED/events?x' },
    { ...history, status: 403, session: 'locked' },
    { ...history, status: 503, outage: true },
    ...[usage, keyUsage].flatMap((call) => [
      { ...call, status: 200 },
      { ...call, status: 422, path: `${call.path}&by=day` },
      { ...call, status: 403, session: 'locked' },
      { ...call, status: 503, outage: true } as const,
    ]),
    { ...scopes, status: 200 },
    { ...scopes, status: 422, path: '/scopes?x' },
    { ...scopes, status: 403, session: 'locked' },
    { ...resources, status: 200 },
    { ...resources, status: 404, path: '/resources/team' },
    { ...resources, status: 422, path: '/resources/project?x' },
    { ...resources, status: 403, session: 'locked' },
    { ...bulk, status: 200 },
    { ...creation, status: 201 },
    { ...creation, status: 409, limit: 0 },
    { ...rotation, status: 201 },
    { ...rotation, status: 404, path: `/keys/${unknown}/rotate` },
    { ...rotation, status: 409, path: '/keys/REVOKED/rotate' },
    { ...revocation, status: 200 },
    { ...revocation, status: 404, path: `/keys/${unknown}/revoke` },
    ...[creation, rotation, revocation, bulk].flatMap((call) => [
      { ...call, ...broken },
      { ...call, ...strange },
      { ...call, ...large },
      { ...call, ...untyped },
      { ...call, status: 503, outage: true } as const,
      { ...call, status: 403, session: 'viewer' },
    ]),
    { ...reading, status: 200 },
    { ...reading, status: 422, path: '/keys/ID?x' },
    { ...reading, status: 403, session: 'locked' },
    { ...reading, status: 404, path: `/keys/${unknown}` },
    { ...reading, status: 503, outage: true },
    { ...update, status: 412, headers: atVersion('"2"') },
    { ...update, status: 428, headers: change.headers },
    { ...update, ...untyped, headers: { 'if-match': '"1"' } },
    ...[pause, resume].map((call) => ({ ...call, ...untyped })),
    ...[update, pause, resume].flatMap((call) => [
      { ...call, status: 200 },
      { ...call, ...broken },
      { ...call, ...strange },
      { ...call, ...large },
      { ...call, status: 404, path: call.path.replace('ID', unknown) },
      { ...call, status: 409, path: call.path.replace('ID', 'REVOKED') },
      { ...call, status: 403, session: 'viewer' },
      { ...call, status: 503, outage: true } as const,
    ]),
    ...[creation, rotation, revocation, bulk, update, pause].map(
      (call) => ({ ...call, status: 500, lost: true }) as const,
    ),
    ...[list, scopes, resources, usage, keyUsage, history, reading].flatMap(anyway),
    ...[creation, rotation, revocation, bulk, update, pause, resume].flatMap(anyway),
  ]

  async function ask({ path = '', session = 'noura', outage, lost, ...sample }: Sample) {
    const { limit, history: usageHistory } = sample
    const backend = testKeys({
      ...(lost && { storageTimeoutMs: 1_000 }),
      resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
      ...(usageHistory === undefined ? {} : { usageHistory }),
    })
    const { key } = await issueKey(backend)
    const revoked = (await issueKey(backend)).key
    await backend.keys.revokeKey({ workspaceId: 'ws_1', id: revoked.id, actor: key.creator })
    backend.plans.set('ws_1', { ...plans.enterprise, activeKeyLimit: limit ?? null })
    backend.outage = outage ?? false
    backend.lostAnswer = lost ? new Error('connection reset') : null
    const source = {
      search: () => ({ resources: [{ id: 'p_1', name: 'Site' }], nextCursor: null }),
      name: () => [],
    }
    const handler = manageKeys(backend.keys, {
      resources: { project: source },
      context: (_request, operation) =>
        session === 'locked' ? 'forbidden' : contextOf(`session=${session}`, operation),
    })
    const url = `https://host.example${path.replace('ID', key.id).replace('REVOKED', revoked.id)}`
    const { method = 'GET', headers = {}, body = null } = sample
    const bytes = body === null ? null : new TextEncoder().encode(body)
    return handler(new Request(url, { method, headers, body: bytes }))
  }

  /** What the document says of an operation's answer. */
  function described({ operation, status }: Sample) {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, found] of Object.entries(item)) {
        if (operation !== (found as JsonObject)['operationId']) continue
        const { [status]: answer } = (found as { responses: Record<number, JsonObject> }).responses
        const { $ref } = answer ?? {}
        return { path, method, answer: typeof $ref === 'string' ? at($ref) : answer }
      }
    }
    throw new Error(`no operation ${operation}`)
  }

  test.each(samples)('$operation answers $status as described', async (sample) => {
    const response = await ask(sample)
    expect(response.status).toBe(sample.status)
    const { answer, method } = described(sample)
    expect(method.toUpperCase()).toBe(sample.method ?? 'GET')
    const content = answer?.['content'] as Record<string, { schema: JsonObject }>
    const type = response.headers.get('content-type') ?? ''
    expect(Object.keys(content)).toEqual([type])
    const body = await response.json()
    expect(checker(content[type]?.schema).safeParse(body).error).toBeUndefined()
    expect(checker(content[type]?.schema).safeParse({ ...body, hash: 'x' }).success).toBe(false)
    for (const header of Object.keys(answer?.['headers'] ?? {})) {
      expect(response.headers.get(header), header).not.toBeNull()
    }
  })

  test.each([creation, rotation, revocation])(
    '$operation: what the document lets a program leave out, the handler does without',
    async (call) => {
      const { path, method } = described({ ...call, status: 500 })
      const { requestBody } = (document.paths[path]?.[method] ?? {}) as {
        requestBody?: { readonly required?: boolean }
      }
      const { status } = await ask({
        operation: call.operation,
        path: call.path,
        method,
        status: 0,
      })
      expect(status === 415).toBe(requestBody?.required === true)
    },
  )

  test('every status it describes has been seen', () => {
    const seen = samples.map(({ operation, status }) => `${operation} ${status}`)
    const items = Object.values(document.paths).flatMap((item) => Object.values(item))
    const promised = items.flatMap((found) => {
      const { operationId, responses } = found as JsonObject
      return Object.keys(responses ?? {}).map((status) => `${operationId} ${status}`)
    })
    expect(promised.sort()).toEqual([...new Set(seen)].sort())
  })
})
