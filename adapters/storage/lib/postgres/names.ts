/** Where the tables live and what they are called. */
export interface PostgresNaming {
  /**
   * The schema of all tables and functions: lower-case letters, digits and `_`. The first migration
   * creates it if it does not exist. Default `miftah`.
   */
  readonly schema?: string
  /**
   * Put in front of every table and function: at most 24 lower-case letters, digits and `_`.
   * Default: nothing, and `miftah_` in the schema `public`, where other tables live too.
   */
  readonly tablePrefix?: string
}

/** The names of one installation, quoted where they are written into SQL. */
export interface Names {
  readonly schema: string
  readonly prefix: string
  /** The schema as a quoted identifier. */
  readonly quotedSchema: string
  /** A table, function or type with its schema: `"miftah"."keys"`. */
  readonly at: (name: string) => string
  /** A name without a schema, for indexes, constraints and triggers: `"keys_pk"`. */
  readonly bare: (name: string) => string
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/
const PREFIX = /^(?:[a-z_][a-z0-9_]{0,23})?$/

/** Checks the naming and completes it; throws a `TypeError` that names the option. */
export function namesOf(naming: PostgresNaming): Names {
  const { schema = 'miftah' } = naming
  const { tablePrefix: prefix = schema === 'public' ? 'miftah_' : '' } = naming
  if (!isText(schema, SCHEMA) || schema.startsWith('pg_') || schema === 'information_schema') {
    throw new TypeError(
      'Option "schema" must be lower-case letters, digits and _, and no schema of PostgreSQL itself.',
    )
  }
  if (!isText(prefix, PREFIX)) {
    throw new TypeError('Option "tablePrefix" must be at most 24 lower-case letters, digits and _.')
  }
  const quotedSchema = `"${schema}"`
  const bare = (name: string) => `"${prefix}${name}"`
  return { schema, prefix, quotedSchema, bare, at: (name) => `${quotedSchema}.${bare(name)}` }
}

// Options may come from plain JavaScript, where a String object with its own `toString` would pass
// a pattern and then be written differently.
function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
