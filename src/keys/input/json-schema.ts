import * as z from 'zod/mini'
import type { ScopeCatalogue } from '../../scopes/catalogue.ts'
import { inputSchemas } from './schemas.ts'

/** A JSON Schema (draft 2020-12), as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** What a backend has besides its catalogue, as far as API descriptions show it. */
export interface DescribedFields {
  /** The entries of `metadata` to name. Default: none, which leaves `metadata` out. */
  readonly metadata?: readonly string[]
  /** The types of resources. Default: none. */
  readonly resourceTypes?: readonly string[]
}

/** The bodies that users send. */
export interface BodySchemas {
  /** The fields of a new key. */
  readonly create: JsonSchema
  /** The fields of an update. */
  readonly update: JsonSchema
  /** The fields of a rotation. */
  readonly rotate: JsonSchema
  /** The fields of a revocation. */
  readonly revoke: JsonSchema
  /** The fields of a revocation of several keys, of which at least one filter is required. */
  readonly revokeMany: JsonSchema
}

/**
 * The JSON Schemas of the bodies that users send, for API descriptions. They say less than the operations
 * check: a name that is blank or hides text passes them.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { bodySchemas } from 'miftah/http'
 *
 * bodySchemas(defaultCatalogue).create['required'] //=> ['name', 'environment', 'scopes']
 * ```
 */
export function bodySchemas(
  catalogue: ScopeCatalogue,
  described: DescribedFields = {},
): BodySchemas {
  const { metadata = [], resourceTypes = [] } = described
  const { fields, change, rotation, revocation, bulk } = inputSchemas({
    catalogue,
    nowMs: Date.now,
    resourceTypes,
  })
  const hasTypes = resourceTypes.length > 0
  return {
    create: keySchema(fields, { metadata, hasTypes }),
    update: keySchema(change, { metadata, hasTypes }),
    rotate: schemaOf(rotation),
    revoke: schemaOf(revocation),
    revokeMany: without(schemaOf(bulk), hasTypes ? [] : ['resource']),
  }
}

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
}

function schemaOf(schema: z.ZodMiniType): ObjectSchema {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input' })
  return JSON.parse(JSON.stringify(described))
}

/** The fields of a key. Metadata is the host's: it is described only as far as the host names its entries. */
function keySchema(
  schema: z.ZodMiniType,
  { metadata, hasTypes }: { readonly metadata: readonly string[]; readonly hasTypes: boolean },
): JsonSchema {
  const described = without(schemaOf(schema), hasTypes ? [] : ['resources'])
  const { metadata: entries, ...properties } = described.properties
  if (metadata.length === 0 || entries === undefined) return { ...described, properties }
  const { additionalProperties: entry, maxProperties: _, ...rest } = entries
  const named = Object.fromEntries(metadata.map((name) => [name, entry]))
  const closed = { ...rest, properties: named, additionalProperties: false }
  return { ...described, properties: { ...properties, metadata: closed } }
}

function without(schema: ObjectSchema, names: readonly string[]): ObjectSchema {
  const properties = Object.entries(schema.properties).filter(([name]) => !names.includes(name))
  return { ...schema, properties: Object.fromEntries(properties) }
}
