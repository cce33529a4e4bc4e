import * as z from 'zod/mini'
import type { ApiKey, InputIssueCode, ScopeCatalogue } from '../../../../src/index.ts'

/** Every `code` of a problem. */
const PROBLEM_CODES = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'plan_required',
  'not_found',
  'key_not_found',
  'method_not_allowed',
  'workspace_changed',
  'active_key_limit_reached',
  'key_revoked',
  'too_large',
  'unsupported_media_type',
  'invalid_input',
  'internal_error',
  'outcome_unknown',
  'storage_unavailable',
] as const

/** Every `code` of an issue; a record, so that the compiler sees when one is missing. */
const ISSUE_CODES: Readonly<Record<InputIssueCode, true>> = {
  required: true,
  invalid_type: true,
  invalid_value: true,
  too_long: true,
  forbidden_character: true,
  unknown_scope: true,
  repeated: true,
  unknown_field: true,
  out_of_range: true,
}

/** What the routes answer with, as schemas: the API description is made of them. */
export function wireSchemas<S extends string>(catalogue: ScopeCatalogue<S>) {
  const key = keySchema(catalogue)
  const issued = {
    key,
    secret: z.string().check(z.describe('Shown once; it cannot be had again.')),
  }
  return {
    Key: key,
    KeyList: z.strictObject({
      workspaceId: z.string().check(z.describe('Whose keys these are.')),
      keys: z.array(key),
      nextCursor: z.nullable(z.string()),
      activeKeys: count(),
      activeKeyLimit: z.nullable(count()),
      publicApi: z.boolean(),
    }),
    IssuedKey: z.strictObject(issued),
    RotatedKey: z.strictObject({ ...issued, replaced: key }),
    RevokedKey: z.strictObject({ key }),
    Scopes: z.strictObject({ groups: z.array(groupSchema(catalogue)) }),
    Problem: problemSchema(),
  }
}

function keySchema<S extends string>(catalogue: ScopeCatalogue<S>) {
  const instant = z.iso.datetime()
  return z.strictObject({
    id: z.string(),
    workspaceId: z.string(),
    name: z.string(),
    environment: z.enum(['live', 'test']),
    scopes: z.array(z.enum(catalogue.scopes)),
    prefix: z.string().check(z.length(12)),
    creator: z.strictObject({ id: z.string(), name: z.string() }),
    createdAt: instant,
    lastUsedAt: z.nullable(instant),
    uses: count(),
    status: z.enum(['active', 'revoked']),
    revokedAt: z.nullable(instant),
    replaces: z.nullable(z.string()),
    replacedBy: z.nullable(z.string()),
  })
}

function groupSchema<S extends string>(catalogue: ScopeCatalogue<S>) {
  const label = z.catchall(z.object({ en: z.string() }), z.string())
  const scope = z.strictObject({ scope: z.enum(catalogue.scopes), label })
  return z.strictObject({ id: z.string(), label, scopes: z.array(scope) })
}

/** RFC 9457 with the members that some codes add. */
function problemSchema() {
  const part = z.union([z.string(), count()])
  const code = z.enum(Object.keys(ISSUE_CODES))
  return z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int().check(z.minimum(400), z.maximum(599)),
    detail: z.string(),
    code: z.enum(PROBLEM_CODES),
    issues: z.optional(z.array(z.strictObject({ path: z.array(part), code, message: z.string() }))),
    activeKeys: z.optional(count()),
    activeKeyLimit: z.optional(count()),
  })
}

function count() {
  return z.int().check(z.nonnegative())
}

/** A key as it is sent: field by field, so that nothing new slips out. Instants in UTC (ISO 8601). */
export function toWire<S extends string>(key: ApiKey<S>) {
  return {
    id: key.id,
    workspaceId: key.workspaceId,
    name: key.name,
    environment: key.environment,
    scopes: key.scopes,
    prefix: key.prefix,
    creator: { id: key.creator.id, name: key.creator.name },
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    uses: key.uses,
    status: key.status,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    replaces: key.replaces,
    replacedBy: key.replacedBy,
  }
}
