import * as z from 'zod/mini'
import type { ScopeCatalogue } from '../../scopes/catalogue.ts'
import { inputSchemas } from './schemas.ts'

/** A JSON Schema (draft 2020-12), as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The JSON Schema of the fields that a user chooses for a new key, with those entries of `metadata` that
 * are named and these types of resources. It is for API descriptions and says
 * less than `createKey` checks: a name that is blank or hides text passes it.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { keyFieldsSchema } from 'miftah/http'
 *
 * keyFieldsSchema(defaultCatalogue)['required'] //=> ['name', 'environment', 'scopes']
 * ```
 */
export function keyFieldsSchema(
  catalogue: ScopeCatalogue,
  metadata: readonly string[] = [],
  resourceTypes: readonly string[] = [],
): JsonSchema {
  return withMetadata(
    schemaOf(inputSchemas({ catalogue, nowMs: Date.now, resourceTypes }).fields),
    metadata,
  )
}

/**
 * The JSON Schema of the fields of an update, for API descriptions: as {@link keyFieldsSchema}, with
 * `null` to remove an entry of the metadata.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { keyChangesSchema } from 'miftah/http'
 *
 * keyChangesSchema(defaultCatalogue)['required'] //=> undefined
 * ```
 */
export function keyChangesSchema(
  catalogue: ScopeCatalogue,
  metadata: readonly string[] = [],
  resourceTypes: readonly string[] = [],
): JsonSchema {
  return withMetadata(
    schemaOf(inputSchemas({ catalogue, nowMs: Date.now, resourceTypes }).change),
    metadata,
  )
}

/**
 * The JSON Schema of the fields of a rotation, for API descriptions: `overlapSeconds` and `expiresAt`.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { rotationSchema } from 'miftah/http'
 *
 * rotationSchema(defaultCatalogue)['required'] //=> undefined
 * ```
 */
export function rotationSchema(catalogue: ScopeCatalogue): JsonSchema {
  return schemaOf(inputSchemas({ catalogue, nowMs: Date.now }).rotation)
}

/**
 * The JSON Schema of the fields of a revocation, for API descriptions: `reason`.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { revocationSchema } from 'miftah/http'
 *
 * revocationSchema(defaultCatalogue)['required'] //=> undefined
 * ```
 */
export function revocationSchema(catalogue: ScopeCatalogue): JsonSchema {
  return schemaOf(inputSchemas({ catalogue, nowMs: Date.now }).revocation)
}

/**
 * The JSON Schema of the fields of a revocation of several keys, for API descriptions. At least one filter
 * is needed.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { revocationsSchema } from 'miftah/http'
 *
 * revocationsSchema(defaultCatalogue)['required'] //=> undefined
 * ```
 */
export function revocationsSchema(
  catalogue: ScopeCatalogue,
  resourceTypes: readonly string[] = [],
): JsonSchema {
  const schema = schemaOf(inputSchemas({ catalogue, nowMs: Date.now, resourceTypes }).bulk)
  const { resource, limit: _limit, ...properties } = schema.properties
  const types = resourceTypes.length > 0 && resource !== undefined ? { resource } : {}
  return { ...schema, properties: { ...properties, ...types } }
}

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
}

function schemaOf(schema: z.ZodMiniType): ObjectSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' })
  return JSON.parse(JSON.stringify(described))
}

/** Metadata is the host's: it is described only as far as the host names its entries. */
function withMetadata(schema: ObjectSchema, names: readonly string[]): JsonSchema {
  const { metadata, ...others } = schema.properties
  const properties = withoutEmpty(others)
  if (names.length === 0 || metadata === undefined) return { ...schema, properties }
  const { additionalProperties: entry, maxProperties: _, ...rest } = metadata
  const entries = Object.fromEntries(names.map((name) => [name, entry]))
  const named = { ...rest, properties: entries, additionalProperties: false }
  return { ...schema, properties: { ...properties, metadata: named } }
}

/** Without `resources` where a backend has no types of them. */
function withoutEmpty({ resources, ...others }: ObjectSchema['properties']) {
  const types = Object.keys(Object(resources?.['properties']))
  return types.length === 0 || resources === undefined ? others : { ...others, resources }
}
