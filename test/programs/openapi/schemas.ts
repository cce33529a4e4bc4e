import * as z from 'zod/mini'
import type { Answers } from '../../../adapters/http/lib/management/wire/answers.ts'
import type { KeyEventsAnswer } from '../../../adapters/http/lib/management/wire/events.ts'
import type { WireKey } from '../../../adapters/http/lib/management/wire/key.ts'
import { KEY_OPERATIONS } from '../../../adapters/http/lib/management/wire/key-operations.ts'
import type { WireIssue } from '../../../adapters/http/lib/management/wire/problems.ts'
import type { QueryKind } from '../../../adapters/http/lib/management/wire/requests.ts'
import { issueCodes, problemCodes } from '../../../src/http/index.ts'
import type { AuditEvent, KeyDenialReason, ScopeCatalogue } from '../../../src/index.ts'
import {
  changedFields,
  type DataKind,
  type DataTypes,
  ENVIRONMENTS,
  EVENT_TYPES,
  eventTypes,
  type FieldKind,
  KEY_DENIAL_REASONS,
  KEY_STATUSES,
  keyFields,
  REVOCATION_REASONS,
  snapshotFields,
  usageFields,
} from '../../../src/storage/index.ts'

/*
 * What the management routes take in queries and answer, as zod describes it for `openapi.json`. None of it
 * compiles unless it matches the types of the package.
 */

const environment = z.enum(ENVIRONMENTS)
const status = z.enum(KEY_STATUSES)
const count = z.int().check(z.nonnegative())

const instant = z.iso.datetime()
const person = z.strictObject({ id: z.string(), name: z.string() })
const ids = z.array(z.string())
const networks = z.union([z.literal('any'), z.array(z.string())])

/** A value of each kind as it is sent. */
const SCHEMAS = {
  text: z.string(),
  'text?': z.nullable(z.string()),
  texts: z.array(z.string()),
  prefix: z.string().check(z.minLength(1), z.maxLength(12)),
  hash: z.string(),
  environment,
  metadata: z.record(z.string(), z.string()),
  resources: z.record(z.string(), z.union([z.literal('all'), ids])),
  networks,
  count,
  version: z.int().check(z.minimum(1)),
  instant,
  'instant?': z.nullable(instant),
  person,
  'person?': z.nullable(person),
} satisfies { readonly [Kind in FieldKind]: z.ZodMiniType }

type Stored = typeof keyFields & typeof usageFields
type FixedField = Exclude<keyof WireKey, 'metadata'>

/** The schema of every stored field that is sent, by the name of the field in a view. */
type StoredSchemas = {
  readonly [Field in keyof Stored as Exclude<
    Stored[Field]['view'],
    null | 'metadata'
  >]: (typeof SCHEMAS)[Stored[Field]['kind']]
}

/** Every field of a key that leaves the server. It does not compile unless it matches `ApiKey`. */
const FIELDS = {
  ...storedSchemas(),
  status,
  withinGrant: z.boolean(),
} satisfies { readonly [Field in FixedField]: z.ZodMiniType<WireKey[Field], WireKey[Field]> }

function storedSchemas(): StoredSchemas {
  const stored = Object.values({ ...keyFields, ...usageFields })
  const sent = stored.filter(({ view }) => view !== null && view !== 'metadata')
  return Object.fromEntries(
    sent.map(({ view, kind }) => [view, SCHEMAS[kind]]),
  ) as unknown as StoredSchemas
}

/** The schema of a key whose scopes fit `scope`. */
export function keySchema(scope: z.ZodMiniType<string, string> = z.string()) {
  return z.strictObject({
    ...FIELDS,
    scopes: z.array(scope),
    metadata: z.exactOptional(SCHEMAS.metadata),
  })
}

const EVENT_SCHEMAS: {
  readonly [Kind in DataKind]: z.ZodMiniType<DataTypes[Kind], DataTypes[Kind]>
} = {
  text: z.string(),
  'text?': z.nullable(z.string()),
  texts: z.array(z.string()),
  names: z
    .array(z.string())
    .check(z.describe('The names of the entries, as far as they are shown.')),
  resources: z.record(z.string(), z.array(z.string())),
  networks,
  environment,
  instant,
  'instant?': z.nullable(instant),
  flag: z.boolean(),
  'reason?': z.nullable(z.enum(REVOCATION_REASONS)),
  get changes() {
    return z.strictObject(shapeOf(changedFields, z.exactOptional))
  },
}

function shapeOf(
  fields: Readonly<Record<string, DataKind>>,
  made: (schema: z.ZodMiniType) => z.ZodMiniType = (schema) => schema,
): Readonly<Record<string, z.ZodMiniType>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, kind]) => [field, made(EVENT_SCHEMAS[kind])]),
  )
}

/** The schema of a page of events. */
const keyEventsSchema = z.strictObject({
  events: z.array(z.union(EVENT_TYPES.map(eventSchema))),
  nextCursor: z.nullable(z.string()),
}) as unknown as z.ZodMiniType<KeyEventsAnswer, KeyEventsAnswer>

function eventSchema(type: AuditEvent['type']) {
  return z.strictObject({
    id: z.string(),
    type: z.literal(type),
    at: instant,
    actor: person,
    keyId: z.string(),
    data: z.strictObject(shapeOf({ ...snapshotFields, ...eventTypes[type] })),
  })
}

const limit = z._default(z.int().check(z.minimum(1), z.maximum(200)), 50)

/** The query of the list. The core checks its values; this names and describes them. */
export const listQuery = z.strictObject({
  status: z.optional(
    z
      .array(status)
      .check(z.minLength(1), z.describe('One status or several; repeat the parameter.')),
  ),
  environment: z.optional(environment),
  scope: z.optional(z.string()),
  creatorId: z.optional(z.string()),
  resource: z.optional(z.string().check(z.describe('The type and the id: `project:p_1`.'))),
  sort: z.optional(z.enum(['createdAt', '-createdAt'])),
  search: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(120),
        z.describe('Words in the name, the creator’s name or a scope.'),
      ),
  ),
  unusedForDays: z.optional(z.int().check(z.minimum(1), z.maximum(3_660))),
  cursor: z.optional(
    z.string().check(z.describe('`nextCursor` of the previous page with the same filters.')),
  ),
  limit,
})

/** The query of both counts of requests. The core checks its values. */
const usageQuery = z.strictObject({
  from: instant.check(z.describe('The hour that it is in is the first.')),
  to: instant.check(z.describe('The end: at most 800 hours after `from`.')),
})

/** The query of the events of a key. The core checks its values. */
const eventsQuery = z.strictObject({
  cursor: z.optional(z.string().check(z.describe('`nextCursor` of the previous page.'))),
  limit,
})

/** The query of the resources of a type. */
const resourceQuery = z.strictObject({
  search: z.optional(z.string().check(z.maxLength(120))),
  id: z.optional(
    z
      .array(z.string().check(z.minLength(1), z.maxLength(128)))
      .check(z.maxLength(100), z.describe('One id or several; repeat the parameter.')),
  ),
  cursor: z.optional(z.string().check(z.maxLength(1_000))),
})

/** The queries by the operations that have them. */
export const QUERIES = {
  ListQuery: listQuery,
  UsageQuery: usageQuery,
  EventsQuery: eventsQuery,
  ResourceQuery: resourceQuery,
} satisfies Readonly<Record<QueryKind, z.ZodMiniType>>

/** The body of a call whose path says everything. */
export const noFields = z.strictObject({}).check(z.describe('An object without fields.'))

const issue = z.strictObject({
  path: z.array(z.union([z.string(), count])),
  code: z.enum(Object.keys(issueCodes)),
  message: z.string(),
}) satisfies z.ZodMiniType<WireIssue, WireIssue>

const missing = z
  .strictObject({
    scopes: z.optional(z.array(z.string())),
    resources: z.optional(SCHEMAS.resources),
    networks: z.optional(SCHEMAS.networks),
    environments: z.optional(z.array(environment)),
  })
  .check(z.describe('What the key would have beyond what the user may give, by dimension.'))

/** RFC 9457 with the members that some codes add. */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  detail: z.string(),
  code: z.enum(Object.keys(problemCodes)),
  issues: z.optional(z.array(issue)),
  activeKeys: z.optional(count),
  activeKeyLimit: z.optional(count),
  retiringKeys: z.optional(count),
  replacedBy: z.optional(z.string()),
  key: z.optional(keySchema()),
  missing: z.optional(missing),
})

/** The schemas of every response, for the scopes of a catalogue. */
export function answerSchemas<S extends string>({ scopes }: ScopeCatalogue<S>) {
  const scope: z.ZodMiniType<string, string> = z.enum(scopes)
  const key = keySchema(scope)
  const issued = {
    key,
    secret: z.string().check(z.describe('Shown once; it cannot be retrieved later.')),
  }
  const answers = {
    KeyList: z.strictObject({
      workspaceId: z.string().check(z.describe('The workspace of these keys.')),
      keys: z.array(key),
      nextCursor: z.nullable(z.string()),
      activeKeys: count,
      countedUpTo: count.check(
        z.describe('`activeKeys` or `total` of one more says that there are more.'),
      ),
      activeKeyLimit: z.nullable(count),
      maxLifetimeSeconds: z.nullable(count),
      maxOverlapSeconds: count,
      publicApi: z.boolean(),
      allowedOperations: z
        .array(z.enum(KEY_OPERATIONS))
        .check(z.describe('What the signed-in user may do; a page offers nothing else.')),
      grantable: z.nullable(grantable),
      total: z.nullable(count),
    }),
    IssuedKey: z.strictObject(issued),
    RotatedKey: z.strictObject({ ...issued, replaced: key }),
    KeyAnswer: z.strictObject({ key }),
    RevokedKeys: z.strictObject({
      revoked: count,
      skipped: count,
      keys: z.array(key),
      more: z.boolean(),
    }),
    Resources: resourcesSchema,
    Usage: usageSchema,
    KeyEvents: keyEventsSchema,
    Scopes: z.strictObject({
      groups: z.array(groupSchema(scope)),
      resources: z.exactOptional(
        z.array(z.strictObject({ type: z.string(), label, isNamed: z.boolean() })),
      ),
      brand: z.exactOptional(
        z.string().check(z.describe('What every secret of the host begins with.')),
      ),
    }),
  } satisfies { readonly [Name in keyof Answers]: z.ZodMiniType<Answers[Name], Answers[Name]> }
  return { Key: key, ...answers, Problem: problemSchema }
}

const DENIED = Object.fromEntries(KEY_DENIAL_REASONS.map((reason) => [reason, count])) as Readonly<
  Record<KeyDenialReason, typeof count>
>

const usageSchema = z.strictObject({
  buckets: z.array(
    z.strictObject({
      startsAt: instant,
      endsAt: instant,
      accepted: count.check(z.describe('How many requests were accepted.')),
      denied: z.strictObject(DENIED).check(z.describe('How many were refused, by the reason.')),
    }),
  ),
})

const label = z.record(z.string(), z.string())

const resourcesSchema = z.strictObject({
  resources: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  nextCursor: z.nullable(z.string()),
})

const grantable = z.strictObject({
  scopes: z.array(z.string()),
  resources: z.union([z.literal('all'), SCHEMAS.resources]),
  networks: SCHEMAS.networks,
  environments: z.array(environment),
})

function groupSchema(scope: z.ZodMiniType<string, string>) {
  return z.strictObject({
    id: z.string(),
    label,
    scopes: z.array(z.strictObject({ scope, label, short: z.exactOptional(label) })),
  })
}
