import type { ScopeCatalogue } from '../../scopes/catalogue.ts'
import { MAX_NAME_LENGTH } from './name.ts'

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
  const scope = { type: 'string', enum: catalogue.scopes }
  const maxItems = catalogue.scopes.length
  return {
    type: 'object',
    properties: {
      name: { minLength: 1, maxLength: MAX_NAME_LENGTH, type: 'string' },
      environment: { type: 'string', enum: ['live', 'test'] },
      scopes: { minItems: 1, maxItems, uniqueItems: true, type: 'array', items: scope },
    },
    required: ['name', 'environment', 'scopes'],
    additionalProperties: false,
  }
}
