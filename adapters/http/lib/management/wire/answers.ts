import * as z from 'zod/mini'
import type {
  Grantable,
  KeyDenialReason,
  ScopeCatalogue,
  UsageHistory,
} from '../../../../../src/index.ts'
import { KEY_DENIAL_REASONS } from '../../../../../src/storage/index.ts'
import { type KeyEventsAnswer, keyEventsSchema } from './events.ts'
import {
  count,
  environment,
  instant,
  keySchema,
  type OnWire,
  SCHEMAS,
  type WireKey,
} from './key.ts'
import { KEY_OPERATIONS, type KeyOperation } from './key-operations.ts'
import { problemSchema } from './problems.ts'

/** One page of keys, newest first, with the plan of the workspace. */
export interface KeyListAnswer {
  /** The workspace of these keys; a page sends it back as `workspaceId` of its calls. */
  readonly workspaceId: string
  /** The keys of this page. */
  readonly keys: readonly WireKey[]
  /** Send it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** How many keys of the workspace are active or paused, whatever the filters. */
  readonly activeKeys: number
  /** Counting stops here: `activeKeys` or `total` of one more says that there are more. */
  readonly countedUpTo: number
  /** How many may be; `null` when the plan sets no limit. */
  readonly activeKeyLimit: number | null
  /** How many seconds a new key may live; `null` when the plan sets no limit. */
  readonly maxLifetimeSeconds: number | null
  /** The longest overlap of a rotation, in seconds. */
  readonly maxOverlapSeconds: number
  /** Whether the plan includes the public API. */
  readonly publicApi: boolean
  /** What the signed-in user may do; a page offers nothing else. */
  readonly allowedOperations: readonly KeyOperation[]
  /** What the signed-in user may give to keys; `null` for everything. */
  readonly grantable: Grantable | null
  /** On a first page without `search`: how many keys match the filters. Otherwise `null`. */
  readonly total: number | null
}

/** A new key and its secret, which is never shown again. */
export interface IssuedKeyAnswer {
  /** The new key. */
  readonly key: WireKey
  /** What the key's holder sends; it cannot be retrieved later. */
  readonly secret: string
}

/** A replacement with its secret, and the key that it replaces. */
export interface RotatedKeyAnswer extends IssuedKeyAnswer {
  /** The old key as it is now: revoked, or retiring with an overlap. */
  readonly replaced: WireKey
}

/** The keys that a call has revoked, or with `dryRun` would revoke: at most 200. */
export interface RevokedKeysAnswer {
  /** How many. */
  readonly revoked: number
  /** How many matched and had stopped or changed when they were to be revoked. */
  readonly skipped: number
  /** The keys, as they stood before. */
  readonly keys: readonly WireKey[]
  /** Whether others match; call again. */
  readonly more: boolean
}

/** One resource as people know it. */
export interface NamedResource {
  /** Its id, as keys list it. */
  readonly id: string
  /** What people call it. */
  readonly name: string
}

/** A page of resources of one type. */
export interface ResourcesAnswer {
  /** Their ids and names. */
  readonly resources: readonly NamedResource[]
  /** Send it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/** One key. */
export interface KeyAnswer {
  /** The key as it is now. */
  readonly key: WireKey
}

/** The requests of one hour. */
export interface WireUsageBucket extends OnWire<UsageBucket> {}

type UsageBucket = UsageHistory['buckets'][number]

/** The requests of a key or of all keys, by hour. */
export interface UsageAnswer {
  /** The hours, oldest first, without gaps: at most 800. */
  readonly buckets: readonly WireUsageBucket[]
}

/** A bucket as it is sent. */
export function toWireBucket({ startsAt, endsAt, ...counts }: UsageBucket): WireUsageBucket {
  return { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString(), ...counts }
}

/** A text by language tag, in at least one language. */
export interface WireLabel {
  readonly [language: string]: string
}

/** A group of scopes under one heading. */
export interface WireScopeGroup {
  /** The name of the group; not shown. */
  readonly id: string
  /** The heading. */
  readonly label: WireLabel
  /** The scopes of the group, in display order. */
  readonly scopes: readonly {
    /** The scope, as a key holds it. */
    readonly scope: string
    /** The text for people. */
    readonly label: WireLabel
    /** The text without the object that the group names. Default: `label`. */
    readonly short?: WireLabel
  }[]
}

/** The scopes that a key may have. */
export interface ScopesAnswer {
  /** The groups of the catalogue, in order. */
  readonly groups: readonly WireScopeGroup[]
  /** The types of resources that a key can be restricted in, in order. Default: none. */
  readonly resources?: readonly WireResourceType[]
  /** What every secret of the host begins with. Default: unknown. */
  readonly brand?: string
}

/** A type of resources. */
export interface WireResourceType {
  /** Its name in keys. */
  readonly type: string
  /** The text for people. */
  readonly label: WireLabel
  /** Whether `GET /resources/{type}` knows names; otherwise a page shows ids. */
  readonly isNamed: boolean
}

/** The response bodies by their names in the API description. */
export interface Answers {
  readonly KeyList: KeyListAnswer
  readonly IssuedKey: IssuedKeyAnswer
  readonly RotatedKey: RotatedKeyAnswer
  readonly KeyAnswer: KeyAnswer
  readonly RevokedKeys: RevokedKeysAnswer
  readonly Resources: ResourcesAnswer
  readonly Usage: UsageAnswer
  readonly KeyEvents: KeyEventsAnswer
  readonly Scopes: ScopesAnswer
}

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
