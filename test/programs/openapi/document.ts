import * as z from 'zod/mini'
import type { ManagementOperation } from '../../../adapters/http/lib/management/call.ts'
import { WORKSPACE_HEADER } from '../../../adapters/http/lib/management/page.ts'
import { ROUTES } from '../../../adapters/http/lib/management/routes.ts'
import {
  OPERATION_NAMES,
  OPERATIONS,
  type WireOperation,
} from '../../../adapters/http/lib/management/wire/operations.ts'
import { type ProblemCode, problemCodes } from '../../../src/http/index.ts'
import { defineScopes } from '../../../src/index.ts'
import { inputSchemas } from '../../../src/keys/input/schemas.ts'
import { DESCRIPTIONS, type Description } from './descriptions.ts'
import { answerSchemas, noFields, QUERIES } from './schemas.ts'

/** JSON as OpenAPI and JSON Schema write it. */
export type JsonObject = { readonly [name: string]: unknown }

/**
 * The management routes in OpenAPI 3.1, for a host whose scopes, types of resources and metadata are not known. It
 * is made from the schemas that check the bodies, so that the two cannot differ.
 */
export function openApi() {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ session: [] }],
    paths: Object.fromEntries(
      ROUTES.map(({ path, operations }) => [path, pathItem(path, operations)]),
    ),
    components: {
      securitySchemes: { session: SESSION_COOKIE },
      schemas: { ...bodySchemas(), ...answers() },
      responses: problemResponses(),
    },
  }
}

const INFO = {
  title: 'API keys',
  version: '1.0.0',
  description: 'Create, change, rotate, revoke and list API keys, and count their requests.',
  contact: { name: 'The team behind this API' },
  license: { name: 'MIT', identifier: 'MIT' },
}

const SESSION_COOKIE = {
  type: 'apiKey',
  in: 'cookie',
  name: 'session',
  description: 'The session of a signed-in user. An API key gives no access to these routes.',
}
const TAGS: Readonly<Record<Description['tag'], string>> = {
  keys: 'The keys of the workspace that the session is in.',
  usage: 'How many requests came with the keys.',
  reference: 'What a program can know before it creates a key.',
}
const SHOWN_WORKSPACE = {
  name: WORKSPACE_HEADER,
  in: 'header',
  required: false,
  description:
    'The `workspaceId` of the list that the page shows, percent-encoded. The call is refused when the session is in another workspace.',
  schema: { type: 'string' },
}

function pathItem(path: string, operations: ReadonlyMap<string, ManagementOperation>): JsonObject {
  const methods = [...operations].map(([method, name]) => [method.toLowerCase(), operation(name)])
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
  const inPath = { in: 'path', required: true, schema: { type: 'string' } }
  const parameters = [...names.map((name) => ({ name, ...inPath })), SHOWN_WORKSPACE]
  return { parameters, ...Object.fromEntries(methods) }
}

const TEXT_HEADER = { required: true, schema: { type: 'string' } }

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: true,
  description: 'The `ETag` that came with the key: the version that the change is made for.',
  schema: { type: 'string' },
}

function operation(name: ManagementOperation): JsonObject {
  const described: WireOperation & Description = { ...OPERATIONS[name], ...DESCRIPTIONS[name] }
  const { summary, description, tag, status, answer, body, problems } = described
  const parameters = parametersOf(described)
  const success = { description: summary, ...successHeaders(described), content: json(ref(answer)) }
  const failures = problems.map((code) => problemCodes[code].status)
  const responses = failures.map((code) => [code, { $ref: `#/components/responses/${code}` }])
  return {
    operationId: name,
    summary,
    description,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    // Also required where it has no fields: forms cannot send its type, which helps against CSRF.
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyContent(body) } }),
    responses: { [status]: success, ...Object.fromEntries(responses) },
  }
}

function parametersOf({ query, needsVersion }: WireOperation & Description): readonly JsonObject[] {
  return [
    ...(query === undefined ? [] : queryParameters(query)),
    ...(needsVersion ? [IF_MATCH] : []),
  ]
}

function successHeaders({ status, hasETag }: WireOperation): JsonObject {
  if (status === 201) return { headers: { Location: TEXT_HEADER } }
  return hasETag ? { headers: { ETag: TEXT_HEADER } } : {}
}

function bodyContent(body: NonNullable<Description['body']>): JsonObject {
  const schema = ref(body)
  return body === 'KeyChanges'
    ? { 'application/merge-patch+json': { schema }, ...json(schema) }
    : json(schema)
}

function queryParameters(query: keyof typeof QUERIES): readonly JsonObject[] {
  const { properties = {}, required = [] } = z.toJSONSchema(QUERIES[query], {
    io: 'input',
    override: plain,
  })
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: 'query', required: required.includes(name), schema }
  })
}

/** Headers that come with some statuses (RFC 9110 §10.2.3, §11.6.1). */
const PROBLEM_HEADERS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  503: 'Retry-After',
}

function problemResponses(): Record<string, JsonObject> {
  const codes = new Set<ProblemCode>(OPERATION_NAMES.flatMap((name) => DESCRIPTIONS[name].problems))
  const statuses = new Set([...codes].map((code) => problemCodes[code].status))
  const content = { 'application/problem+json': { schema: ref('Problem') } }
  const responses = [...statuses].map((status) => {
    const own = [...codes].filter((code) => problemCodes[code].status === status)
    const description = own.map((code) => `\`${code}\`: ${problemCodes[code].message}`).join(' ')
    return [status, { description, ...headersOf(status), content }]
  })
  return Object.fromEntries(responses)
}

function headersOf(status: number): JsonObject {
  const name = PROBLEM_HEADERS[status]
  if (name === undefined) return {}
  return { headers: { [name]: { required: true, schema: { type: 'string' } } } }
}

/** Stand for what is the host's own. */
const SCOPE = 'scopes.of.the.host'
const TYPE = '*'
const label = { en: 'Scopes' }
const catalogue = defineScopes([{ id: 'host', label, scopes: [{ scope: SCOPE, label }] }])

function bodySchemas(): JsonObject {
  const rules = { catalogue, nowMs: Date.now, resourceTypes: [TYPE] }
  const { fields, change, rotation, revocation, bulk } = inputSchemas(rules)
  const bodies = {
    KeyFields: fields,
    KeyChanges: change,
    Rotation: rotation,
    Revocation: revocation,
    Revocations: bulk,
  }
  const schemas = Object.entries(bodies).map(([id, schema]) => {
    return [id, bare(z.toJSONSchema(schema, { io: 'input' }))]
  })
  return Object.fromEntries(schemas)
}

function answers(): JsonObject {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ NoFields: noFields, ...answerSchemas(catalogue) })) {
    registry.add(schema, { id })
  }
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri, override: plain })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]))
}

/** Omits what `format` and `type` already say. */
function plain({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** A document names the dialect once, and its schemas by where they stand (OpenAPI 3.1.1 §4.8.24). */
function bare({ $schema: _, $id: __, ...schema }: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), ofAnyHost)
}

const ANY_SCOPE = { type: 'string', description: 'One of the scopes that `GET /scopes` lists.' }

/** Takes the stand-ins out of a part of a schema. */
function ofAnyHost(_: string, part: unknown): unknown {
  const { enum: [only] = [], properties, maxItems, ...others } = Object(part)
  if (only === SCOPE) return ANY_SCOPE
  if (others.items === ANY_SCOPE) return others
  const types = properties?.[TYPE]
  return Object.keys(properties ?? {}).join() === TYPE
    ? { ...others, additionalProperties: types }
    : part
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}
