import * as z from 'zod/mini'
import type { ScopeCatalogue } from '../../scopes/catalogue.ts'
import { inputSchemas } from './schemas.ts'

/** A JSON Schema (draft 2020-12), as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The JSON Schema of the fields that a user chooses for a new key: `name`, `environment` and `scopes`,
 * and no other. It is for API descriptions and says less than `createKey` checks: a name that is
 * blank or hides text passes it.
 *
 * @example
 * ```ts
 * import { defaultCatalogue } from 'miftah'
 * import { keyFieldsSchema } from 'miftah/http'
 *
 * keyFieldsSchema(defaultCatalogue)['required'] //=> ['name', 'environment', 'scopes']
 * ```
 */
export function keyFieldsSchema(catalogue: ScopeCatalogue): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(inputSchemas(catalogue).fields, { io: 'input' })
  return JSON.parse(JSON.stringify(schema))
}
