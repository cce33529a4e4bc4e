import * as z from 'zod/mini'
import { ownData, ownItems } from '../../lib/own-data.ts'
import { folded } from '../../model/folded.ts'
import type { KeyNetworks, KeyStatus } from '../../model/key.ts'
import {
  checkName,
  codePoints,
  isIdentifier,
  isReservedId,
  MAX_IDENTIFIER_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NOTE_LENGTH,
} from '../../model/name.ts'
import { CHOSEN_REASONS, REVOCATION_REASONS } from '../../model/revocation-reason.ts'
import { KEY_STATUSES } from '../../model/status.ts'
import { LONGEST_OVERLAP_S } from '../../plans/entitlements.ts'
import type { ScopeCatalogue } from '../../scopes/catalogue.ts'
import { PREFIX_LENGTH } from '../../secret/format.ts'
import { isDigest } from '../../secret/key-format.ts'
import { expirySchema, instantSchema, longAgoSchema, pastSchema } from './instants.ts'
import { metadataChangeSchema, metadataSchema } from './metadata.ts'
import { type Problem, reading } from './parse.ts'
import { networksSchema, resourceSchema, resourcesSchema } from './restrictions.ts'

const MAX_PAGE = 200
const MAX_ROWS = 1_000
const MAX_UNUSED_DAYS = 3_660
/** In Unicode code points. */
const MAX_SEARCH_LENGTH = 120
const MAX_STATUSES = 50
/** How many items beyond the longest sensible list are looked at. */
const MAX_EXCESS = 50

function strictObject<const T extends z.core.$ZodShape>(shape: T) {
  return z.pipe(z.transform(ownData), z.strictObject(shape))
}

function textThat(holds: (text: string) => boolean, message: string) {
  return z.string().check(z.refine(holds, { message }))
}

function whole(least: number, most: number) {
  return z.int().check(z.minimum(least), z.maximum(most))
}

const identifier = textThat(
  isIdentifier,
  `must be 1 to ${MAX_IDENTIFIER_LENGTH} characters without control characters.`,
)

const personId = identifier.check(
  z.refine((id: string) => !isReservedId(id), { message: 'must not begin with "miftah:".' }),
)

const person = strictObject({ id: personId, name: identifier })

const environment = z.enum(['live', 'test'])

// The checks count code points after trimming, which JSON Schema can only describe.
const name = reading(
  z.string().register(z.globalRegistry, { minLength: 1, maxLength: MAX_NAME_LENGTH }),
  (raw, refuse): string => {
    const result = checkName(raw)
    return result.ok ? result.name : refuse(result)
  },
)

/** Empty text is no note. */
const note = reading(
  z.nullable(z.string().register(z.globalRegistry, { maxLength: MAX_NOTE_LENGTH })),
  (raw, refuse): string | null => {
    if (raw === null || raw.trim() === '') return null
    const result = checkName(raw, MAX_NOTE_LENGTH)
    return result.ok ? result.name : refuse(result)
  },
)

/** What is searched for. It comes out folded. */
const search = reading(z.string(), (text, refuse): string => {
  if (codePoints(text) > MAX_SEARCH_LENGTH) {
    const message = `must have at most ${MAX_SEARCH_LENGTH} characters.`
    return refuse({ code: 'too_long', message })
  }
  return folded(text) || refuse({ code: 'required', message: 'must not be blank.' })
})

/** One status or a list of them. They come out as a list without repeats, in the order of the union. */
const statuses = reading(z.unknown(), (input, refuse): readonly KeyStatus[] => {
  const list = Array.isArray(input) ? ownItems(input, MAX_STATUSES + 1) : [input]
  // A list that cannot be read is no list.
  if (!Array.isArray(list)) return refuse({ code: 'invalid_type', message: 'must be a list.' })
  if (list.length === 0) return refuse({ code: 'required', message: 'must name at least one.' })
  if (list.length > MAX_STATUSES) {
    return refuse({ code: 'too_long', message: `must name at most ${MAX_STATUSES}.` })
  }
  const problems = list.flatMap((item, index) => {
    if (KEY_STATUSES.includes(item)) return []
    const path = Array.isArray(input) ? [index] : []
    return typeof item === 'string'
      ? { path, code: 'invalid_value', message: `must be one of: ${KEY_STATUSES.join(', ')}.` }
      : { path, code: 'invalid_type', message: 'must be text.' }
  }) satisfies Problem[]
  if (problems.length > 0) return refuse(...problems)
  return KEY_STATUSES.filter((status) => list.includes(status))
})

/** A check of a whole list that runs even if an item is wrong, so that all problems are reported. */
function listCheck(holds: (list: readonly unknown[]) => boolean, code: string, message: string) {
  return z.refine<readonly unknown[]>(holds, {
    message,
    params: { code },
    when: ({ value }) => Array.isArray(value),
  })
}

const notEmpty = listCheck((list) => list.length > 0, 'required', 'must name at least one.')

const withoutRepeats = listCheck(
  (list) => new Set(list).size === list.length,
  'repeated',
  'must not repeat a scope.',
)

function scopeOf<S extends string>({ scopes }: ScopeCatalogue<S>) {
  return z.enum(scopes) as unknown as z.ZodMiniType<S, S>
}

function scopes<S extends string>(catalogue: ScopeCatalogue<S>) {
  const most = catalogue.scopes.length
  const short = listCheck(
    (list) => list.length <= most,
    'too_long',
    `must name at most ${most} scopes.`,
  )
  const scope = scopeOf(catalogue)
  const list = z
    .array(scope)
    .check(notEmpty, short, withoutRepeats)
    .register(z.globalRegistry, { minItems: 1, maxItems: most, uniqueItems: true })
  const inOrder = z.transform((chosen: S[]): readonly S[] =>
    catalogue.scopes.filter((known) => chosen.includes(known)),
  )
  return z.pipe(
    z.transform((input: unknown) => ownItems(input, most + MAX_EXCESS)),
    z.pipe(list, inOrder),
  )
}

const prefix = textThat(
  (text) => /^[\x21-\x7E]{1,12}$/.test(text),
  `must be 1 to ${PREFIX_LENGTH} visible ASCII characters.`,
)

const digest = textThat(isDigest, 'must be 1 to 1,024 characters.')

function listOf<T extends z.ZodMiniType>(item: T, message: string) {
  return z.pipe(
    z.transform((input: unknown) => ownItems(input, MAX_ROWS + 1)),
    z.array(item).check(listCheck((list) => list.length <= MAX_ROWS, 'too_long', message)),
  )
}

const textOrNone = z._default(z.nullable(z.string()), null)

const pageLength = whole(1, MAX_PAGE)

const unusedForDays = whole(1, MAX_UNUSED_DAYS)

const FILTERS = ['creatorId', 'environment', 'scope', 'resource', 'unusedForDays', 'ids']

const isAnyFilter = z.refine<object>(
  (input) => FILTERS.some((name) => Object.hasOwn(input, name)),
  { message: `needs at least one of ${FILTERS.join(', ')}.`, params: { code: 'required' } },
)

const isAnyPurge = z.refine<Readonly<Record<string, unknown>>>(
  ({ endedBefore, eventsBefore }) => endedBefore !== undefined || eventsBefore !== undefined,
  { message: 'needs endedBefore, eventsBefore or both.', params: { code: 'required' } },
)

export type InputSchemas<S extends string> = ReturnType<typeof inputSchemas<S>>

/** An input as its schema lets it through. */
export type Parsed<Name extends keyof InputSchemas<string>, S extends string = string> = z.output<
  InputSchemas<S>[Name]
>

interface InputRules<S extends string> {
  readonly catalogue: ScopeCatalogue<S>
  readonly nowMs: () => number
  /** The ids of the formats. */
  readonly formats?: readonly string[]
  readonly resourceTypes?: readonly string[]
  readonly privateNetworks?: boolean
}

export function inputSchemas<S extends string>(rules: InputRules<S>) {
  const { catalogue, nowMs, formats = [], resourceTypes = [], privateNetworks = false } = rules
  const resource = resourceSchema(resourceTypes)
  const networks: z.ZodMiniType<KeyNetworks, unknown> = networksSchema(privateNetworks)
  const fields = {
    name,
    environment,
    scopes: scopes(catalogue),
    expiresAt: z.optional(expirySchema(nowMs)),
    note: z.optional(note),
    resources: z.optional(resourcesSchema(resourceTypes)),
    networks: z.optional(networks),
    metadata: z.optional(metadataSchema),
  }
  const change = strictObject({
    name: z.optional(fields.name),
    scopes: z.optional(fields.scopes),
    /** The expiry that the key has now is allowed, however soon it is. */
    expiresAt: z.optional(expirySchema()),
    note: fields.note,
    resources: fields.resources,
    networks: fields.networks,
    metadata: z.optional(metadataChangeSchema),
  })
  const rotation = {
    overlapSeconds: z._default(whole(0, LONGEST_OVERLAP_S), 0),
    expiresAt: fields.expiresAt,
  }
  const revocation = { reason: z.optional(z.enum(CHOSEN_REASONS)) }
  const key = { workspaceId: identifier, id: z.string() }
  const action = { ...key, actor: person }
  // A filter that is there but says nothing must not revoke everything.
  const bulk = {
    creatorId: z.exactOptional(personId),
    environment: z.exactOptional(environment),
    scope: z.exactOptional(scopeOf(catalogue)),
    resource: z.exactOptional(resource),
    unusedForDays: z.exactOptional(unusedForDays),
    ids: z.exactOptional(listOf(z.string(), `must name at most ${MAX_ROWS} keys.`)),
    dryRun: z._default(z.boolean(), false),
  }
  const longAgo = z.optional(longAgoSchema(nowMs))
  const page = { cursor: textOrNone, limit: z._default(pageLength, 50) }
  return {
    fields: strictObject(fields),
    change,
    rotation: strictObject(rotation),
    revocation: strictObject(revocation),
    create: strictObject({ workspaceId: identifier, creator: person, ...fields }),
    importRow: strictObject({
      workspaceId: identifier,
      creator: person,
      ...fields,
      prefix: z.optional(prefix),
      createdAt: z.optional(pastSchema(nowMs)),
      externalId: z.optional(identifier),
      format: z.enum(formats),
      digest,
    }),
    importRows: listOf(z.unknown(), `must be at most ${MAX_ROWS} rows.`),
    importOptions: strictObject({ actor: person, dryRun: z._default(z.boolean(), false) }),
    get: strictObject(key),
    action: strictObject(action),
    rotate: strictObject({ ...action, ...rotation }),
    revoke: strictObject({ ...action, reason: z.optional(z.enum(REVOCATION_REASONS)) }),
    revokeKeys: strictObject({
      workspaceId: identifier,
      actor: person,
      reason: z.exactOptional(z.enum(REVOCATION_REASONS)),
      limit: z.exactOptional(pageLength),
      ...bulk,
    }).check(isAnyFilter),
    bulk: strictObject({ reason: z.exactOptional(z.enum(CHOSEN_REASONS)), ...bulk }).check(
      isAnyFilter,
    ),
    removeResource: strictObject({ workspaceId: identifier, actor: person, resource }),
    update: strictObject({ ...action, version: z.int().check(z.minimum(1)), change }),
    list: strictObject({
      workspaceId: identifier,
      status: z.optional(statuses),
      environment: z.optional(environment),
      scope: z.optional(scopeOf(catalogue)),
      creatorId: z.optional(identifier),
      resource: z.optional(resource),
      sort: z.optional(z.enum(['createdAt', '-createdAt'])),
      search: z.optional(search),
      unusedForDays: z.optional(unusedForDays),
      ...page,
    }),
    usage: strictObject({
      workspaceId: identifier,
      id: z.optional(z.string()),
      from: instantSchema,
      to: instantSchema,
    }),
    events: strictObject({
      workspaceId: identifier,
      keyId: textOrNone,
      newestFirst: z._default(z.boolean(), false),
      ...page,
    }),
    erasePerson: strictObject({ personId: identifier }),
    eraseWorkspace: strictObject({ workspaceId: identifier }),
    purge: strictObject({ endedBefore: longAgo, eventsBefore: longAgo }).check(isAnyPurge),
  }
}
