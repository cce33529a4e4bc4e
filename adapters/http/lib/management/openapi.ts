import * as z from 'zod/mini'
import {
  bodySchemas,
  type DescribedFields,
  type ProblemCode,
  problemCodes,
} from '../../../../src/http/index.ts'
import type { ScopeCatalogue } from '../../../../src/index.ts'
import { ownOptions } from '../../../../src/lib/own-data.ts'
import type { ManagementOperation } from './call.ts'
import type {
  JsonObject,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOptions,
} from './openapi-document.ts'
import { ROUTES } from './routes.ts'
import { WORKSPACE_HEADER } from './shown-workspace.ts'
import { answerSchemas } from './wire/answers.ts'
import { OPERATION_NAMES, OPERATIONS, type WireOperation } from './wire/operations.ts'
import { noFields, QUERIES } from './wire/requests.ts'

/**
 * Describes the management routes in OpenAPI 3.1, with the scopes of a catalogue. It is made from the
 * schemas that check the bodies, so that the two cannot differ. How people sign in is the host's
 * matter: `session` describes it.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { openApi } from 'miftah/management'
 *
 * const document = openApi(defaultCatalogue, { basePath: '/api/settings' })
 * document.paths['/keys/{id}']?.['patch'] !== undefined //=> true
 * ```
 */
export function openApi<S extends string>(
  catalogue: ScopeCatalogue<S>,
  options: OpenApiOptions = {},
): OpenApiDocument {
  const given = ownOptions(options)
  const { basePath = '/', metadata = [], resourceTypes = [], session = SESSION_COOKIE } = given
  return {
    openapi: '3.1.1',
    info: infoOf(given),
    servers: [{ url: basePath }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ session: [] }],
    paths: Object.fromEntries(
      ROUTES.map(({ path, operations }) => [path, pathItem(path, operations)]),
    ),
    components: {
      securitySchemes: { session },
      schemas: componentSchemas(catalogue, { metadata, resourceTypes }),
      responses: problemResponses(),
    },
  }
}

const SESSION_COOKIE = {
  type: 'apiKey',
  in: 'cookie',
  name: 'session',
  description: 'The session of a signed-in user. An API key gives no access to these routes.',
}

const TAGS: Readonly<Record<WireOperation['tag'], string>> = {
  keys: 'The keys of the workspace that the session is in.',
  usage: 'How many requests came with the keys.',
  reference: 'What a program can know before it creates a key.',
}

function infoOf({
  title = 'API keys',
  version = '1.0.0',
  contact = { name: 'The team behind this API' },
  license = { name: 'MIT', identifier: 'MIT' },
}: OpenApiInfo): OpenApiDocument['info'] {
  const description = 'Create, change, rotate, revoke and list API keys, and count their requests.'
  return { title, version, description, contact: { ...contact }, license: { ...license } }
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
  const described: WireOperation = OPERATIONS[name]
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

function parametersOf({ query, needsVersion }: WireOperation): readonly JsonObject[] {
  return [
    ...(query === undefined ? [] : queryParameters(query)),
    ...(needsVersion ? [IF_MATCH] : []),
  ]
}

function successHeaders({ status, hasETag }: WireOperation): JsonObject {
  if (status === 201) return { headers: { Location: TEXT_HEADER } }
  return hasETag ? { headers: { ETag: TEXT_HEADER } } : {}
}

function bodyContent(body: NonNullable<WireOperation['body']>): JsonObject {
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
  const codes = new Set<ProblemCode>(OPERATION_NAMES.flatMap((name) => OPERATIONS[name].problems))
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

function componentSchemas<S extends string>(
  catalogue: ScopeCatalogue<S>,
  fields: Required<DescribedFields>,
) {
  const { create, update, rotate, revoke, revokeMany } = bodySchemas(catalogue, fields)
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ NoFields: noFields, ...answerSchemas(catalogue) })) {
    registry.add(schema, { id })
  }
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri, override: plain })
  const described = Object.entries(schemas).map(([id, schema]) => [id, bare(schema)])
  return {
    KeyFields: create,
    KeyChanges: update,
    Rotation: rotate,
    Revocation: revoke,
    Revocations: revokeMany,
    ...Object.fromEntries(described),
  }
}

/** Omits what `format` and `type` already say. */
function plain({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** A document names the dialect once, and its schemas by where they stand (OpenAPI 3.1.1 §4.8.24). */
function bare({ $schema: _, $id: __, ...schema }: JsonObject): JsonObject {
  return schema
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}
