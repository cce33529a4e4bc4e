import * as z from 'zod/mini'
import { keyFieldsSchema } from '../../../../src/http/index.ts'
import type { ScopeCatalogue } from '../../../../src/index.ts'
import { ownOptions } from '../property.ts'
import type { ManagementOperation } from './call.ts'
import { ROUTES } from './routes.ts'
import { WORKSPACE_HEADER } from './shown-workspace.ts'
import { wireSchemas } from './wire.ts'

/** What the description says beside the routes themselves. */
export interface OpenApiOptions {
  /** Where the routes are mounted; becomes the one entry of `servers`. Default: none. */
  readonly basePath?: string
  /** The title of the document. Default `API keys`. */
  readonly title?: string
  /** The version of the host's own API. Default `1.0.0`. */
  readonly version?: string
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
 * Object.keys(document.paths) //=> ['/keys', '/keys/{id}/rotate', '/keys/{id}/revoke', '/scopes']
 * ```
 */
export function openApi<S extends string>(
  catalogue: ScopeCatalogue<S>,
  options: OpenApiOptions = {},
): OpenApiDocument {
  const { basePath, title = 'API keys', version = '1.0.0' } = ownOptions(options)
  return {
    openapi: '3.1.1',
    info: { title, version, description: 'Create, rotate, revoke and list API keys.' },
    ...(basePath === undefined ? {} : { servers: [{ url: basePath }] }),
    paths: Object.fromEntries(
      ROUTES.map(({ path, operations }) => [path, pathItem(path, operations)]),
    ),
    components: { schemas: componentSchemas(catalogue), responses: problemResponses() },
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

interface Description {
  readonly summary: string
  readonly status: 200 | 201
  readonly answer: 'KeyList' | 'IssuedKey' | 'RotatedKey' | 'RevokedKey' | 'Scopes'
  readonly parameters?: readonly JsonObject[]
  readonly requestBody?: JsonObject
  readonly problems: readonly number[]
}

/** Required for its type, which no form of another site can send: a part of the defence from CSRF. */
const EMPTY_BODY = {
  description: 'An object without fields.',
  required: true,
  content: json({ type: 'object', additionalProperties: false }),
}

const DESCRIPTIONS: Readonly<Record<ManagementOperation, Description>> = {
  listKeys: {
    summary: 'List keys, newest first, revoked ones included',
    status: 200,
    answer: 'KeyList',
    parameters: [
      filter('status', { type: 'string', enum: ['active', 'revoked'] }),
      filter('environment', { type: 'string', enum: ['live', 'test'] }),
      filter('cursor', { type: 'string', description: '`nextCursor` of the page before.' }),
      filter('limit', { type: 'integer', minimum: 1, maximum: 200, default: 50 }),
    ],
    problems: [422, 503],
  },
  createKey: {
    summary: 'Create a key',
    status: 201,
    answer: 'IssuedKey',
    requestBody: { required: true, content: json(ref('KeyFields')) },
    problems: [400, 413, 415, 422, 503],
  },
  rotateKey: {
    summary: 'Revoke a key and issue its replacement',
    status: 201,
    answer: 'RotatedKey',
    requestBody: EMPTY_BODY,
    problems: [400, 404, 413, 415, 422, 503],
  },
  revokeKey: {
    summary: 'Revoke a key',
    status: 200,
    answer: 'RevokedKey',
    requestBody: EMPTY_BODY,
    problems: [400, 404, 413, 415, 422, 503],
  },
  listScopes: {
    summary: 'The scopes that a key may have',
    status: 200,
    answer: 'Scopes',
    problems: [422],
  },
}

const LOCATION = { Location: { required: true, schema: { type: 'string' } } }

/**
 * Whatever is asked, nobody may be signed in, the user not allowed, the page of another workspace, or
 * the host at fault.
 */
const ALWAYS = [401, 403, 409, 500]

function operation(name: ManagementOperation): JsonObject {
  const { summary, status, answer, problems, ...request } = DESCRIPTIONS[name]
  const success = {
    description: summary,
    ...(status === 201 ? { headers: LOCATION } : {}),
    content: json(ref(answer)),
  }
  const failures = [...problems, ...ALWAYS]
  const responses = failures.map((code) => [code, { $ref: `#/components/responses/${code}` }])
  const all = { [status]: success, ...Object.fromEntries(responses) }
  return { operationId: name, summary, ...request, responses: all }
}

const PROBLEMS: Readonly<Record<number, string>> = {
  400: '`bad_request`: the body is not JSON in UTF-8.',
  401: '`unauthenticated`: nobody is signed in.',
  403: '`forbidden`: this user, or a page of another site; `plan_required`: not in the plan.',
  404: '`key_not_found`: there is no such key in this workspace.',
  409:
    '`workspace_changed`: the session is in another workspace than the page; ' +
    '`active_key_limit_reached`, with both numbers; `key_revoked`: it cannot be rotated.',
  413: '`too_large`: the body has more than 64 KiB.',
  415: '`unsupported_media_type`: not `application/json`, or compressed.',
  422: '`invalid_input`, with one issue for each problem.',
  500: '`internal_error`: the host has a fault; `outcome_unknown`: a change may have been made.',
  503: '`storage_unavailable`: an outage; nothing was changed.',
}

/** Headers that come with some statuses (RFC 9110 §10.2.3, §11.6.1). */
const PROBLEM_HEADERS: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  503: 'Retry-After',
}

function problemResponses(): Record<string, JsonObject> {
  const entries = Object.entries(PROBLEMS).map(([code, description]) => {
    const header = PROBLEM_HEADERS[Number(code)]
    const headers = header && {
      headers: { [header]: { required: true, schema: { type: 'string' } } },
    }
    const content = { 'application/problem+json': { schema: ref('Problem') } }
    return [code, { description, ...headers, content }]
  })
  return Object.fromEntries(entries)
}

function componentSchemas<S extends string>(catalogue: ScopeCatalogue<S>) {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(wireSchemas(catalogue))) registry.add(schema, { id })
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas: described } = z.toJSONSchema(registry, { io: 'input', uri, override: plain })
  const wire = Object.entries(described).map(([id, schema]) => [id, bare(schema)])
  return { KeyFields: keyFieldsSchema(catalogue), ...Object.fromEntries(wire) }
}

/** Leaves away what `format` and `type` say already. */
function plain({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** A document names the dialect once, and its schemas by where they stand (OpenAPI 3.1.1 §4.8.24). */
function bare({ $schema: _, $id: __, ...schema }: JsonObject): JsonObject {
  return schema
}

function filter(name: string, schema: JsonObject): JsonObject {
  return { name, in: 'query', required: false, schema }
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } }
}
