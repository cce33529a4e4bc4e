import * as z from 'zod/mini'
import { keyChangesSchema, keyFieldsSchema, rotationSchema } from '../../../../src/http/index.ts'
import type { ScopeCatalogue } from '../../../../src/index.ts'
import { ownOptions } from '../property.ts'
import type { ManagementOperation } from './call.ts'
import { ROUTES } from './routes.ts'
import { WORKSPACE_HEADER } from './shown-workspace.ts'
import { answerSchemas } from './wire/answers.ts'
import { OPERATION_NAMES, OPERATIONS, type WireOperation } from './wire/operations.ts'
import { PROBLEMS, type ProblemCode } from './wire/problems.ts'
import { listQuery, noFields } from './wire/requests.ts'

/** What the description says beside the routes themselves. */
export interface OpenApiOptions {
  /** Where the routes are mounted; becomes the one entry of `servers`. Default: none. */
  readonly basePath?: string
  /** The title of the document. Default `API keys`. */
  readonly title?: string
  /** The version of the host's own API. Default `1.0.0`. */
  readonly version?: string
  /** The entries of the metadata that `manageKeys` shows and takes. Default: none. */
  readonly metadata?: readonly string[]
}

/** JSON as OpenAPI and JSON Schema write it. */
export type JsonObject = { readonly [name: string]: unknown }

/** An OpenAPI 3.1 document of the management routes. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.1'
  /** What the document is about. */
  readonly info: {
    /** The title, as {@link OpenApiOptions} has it. */
    readonly title: string
    /** The version, as {@link OpenApiOptions} has it. */
    readonly version: string
    /** One sentence in English. */
    readonly description: string
  }
  /** Where the routes are mounted, if `basePath` was given. */
  readonly servers?: readonly {
    /** The `basePath`. */
    readonly url: string
  }[]
  /** The routes by their paths. */
  readonly paths: { readonly [path: string]: JsonObject }
  /** What the routes refer to. */
  readonly components: {
    /** The bodies, in JSON Schema. */
    readonly schemas: { readonly [name: string]: JsonObject }
    /** The problems, by their status. */
    readonly responses: { readonly [name: string]: JsonObject }
  }
}

/**
 * Describes the management routes in OpenAPI 3.1, with the scopes of a catalogue. It is made from the
 * schemas that check the bodies, so that the two cannot differ. How people sign in is the host's
 * matter and not part of it.
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
  const { basePath, title = 'API keys', version = '1.0.0', metadata = [] } = ownOptions(options)
  return {
    openapi: '3.1.1',
    info: { title, version, description: 'Create, change, rotate, revoke and list API keys.' },
    ...(basePath === undefined ? {} : { servers: [{ url: basePath }] }),
    paths: Object.fromEntries(
      ROUTES.map(({ path, operations }) => [path, pathItem(path, operations)]),
    ),
    components: { schemas: componentSchemas(catalogue, metadata), responses: problemResponses() },
  }
}

const KEY_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

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
  const parameters = path.includes('{id}') ? [KEY_ID, SHOWN_WORKSPACE] : [SHOWN_WORKSPACE]
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
  const { summary, status, answer, body, problems } = described
  const parameters = parametersOf(described)
  const success = { description: summary, ...successHeaders(described), content: json(ref(answer)) }
  const failures = problems.map((code) => PROBLEMS[code].status)
  const responses = failures.map((code) => [code, { $ref: `#/components/responses/${code}` }])
  return {
    operationId: name,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    // Also required where it has no fields: forms cannot send its type, which helps against CSRF.
    ...(body === undefined ? {} : { requestBody: { required: true, content: bodyContent(body) } }),
    responses: { [status]: success, ...Object.fromEntries(responses) },
  }
}

function parametersOf({ query, needsVersion }: WireOperation): readonly JsonObject[] {
  return [...(query === undefined ? [] : QUERY_PARAMETERS), ...(needsVersion ? [IF_MATCH] : [])]
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

const QUERY_PARAMETERS: readonly JsonObject[] = Object.entries(
  z.toJSONSchema(listQuery, { io: 'input', override: plain }).properties ?? {},
).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))

/** Headers that come with some statuses (RFC 9110 §10.2.3, §11.6.1). */
const PROBLEM_HEADERS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  503: 'Retry-After',
}

function problemResponses(): Record<string, JsonObject> {
  const codes = new Set<ProblemCode>(OPERATION_NAMES.flatMap((name) => OPERATIONS[name].problems))
  const statuses = new Set([...codes].map((code) => PROBLEMS[code].status))
  const content = { 'application/problem+json': { schema: ref('Problem') } }
  const responses = [...statuses].map((status) => {
    const own = [...codes].filter((code) => PROBLEMS[code].status === status)
    const description = `${own.map((code) => `\`${code}\`: ${PROBLEMS[code].when}`).join('; ')}.`
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
  metadata: readonly string[],
) {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ NoFields: noFields, ...answerSchemas(catalogue) })) {
    registry.add(schema, { id })
  }
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri, override: plain })
  const described = Object.entries(schemas).map(([id, schema]) => [id, bare(schema)])
  return {
    KeyFields: keyFieldsSchema(catalogue, metadata),
    KeyChanges: keyChangesSchema(catalogue, metadata),
    Rotation: rotationSchema(catalogue),
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
