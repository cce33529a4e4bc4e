import { expect, test } from 'vitest'
import { namesOf, type PostgresNaming } from '../../../adapters/storage/lib/postgres/names.ts'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'

test.each<readonly [PostgresNaming, string, string]>([
  [{}, '"miftah"."keys"', '"keys"'],
  [{ schema: 'auth' }, '"auth"."keys"', '"keys"'],
  [{ schema: 'public' }, '"public"."miftah_keys"', '"miftah_keys"'],
  [{ schema: 'public', tablePrefix: '' }, '"public"."keys"', '"keys"'],
  [{ tablePrefix: 'k_' }, '"miftah"."k_keys"', '"k_keys"'],
  [{ schema: '_', tablePrefix: '_' }, '"_"."_keys"', '"_keys"'],
  [{ schema: 'a'.repeat(63), tablePrefix: 'b'.repeat(24) }, '', ''],
  [{ schema: 'pg', tablePrefix: 'a0_' }, '"pg"."a0_keys"', '"a0_keys"'],
])('%j', (naming, at, bare) => {
  const names = namesOf(naming)
  expect(names.quotedSchema).toBe(`"${naming.schema ?? 'miftah'}"`)
  expect(names.schema).toBe(naming.schema ?? 'miftah')
  expect(names.at('keys')).toBe(at || `"${'a'.repeat(63)}"."${'b'.repeat(24)}keys"`)
  expect(names.bare('keys')).toBe(bare || `"${'b'.repeat(24)}keys"`)
  expect(names.bare('')).toBe(`"${names.prefix}"`)
})

const NO_SCHEMA =
  'Option "schema" must be lower-case letters, digits and _, and no schema of PostgreSQL itself.'
const NO_PREFIX = 'Option "tablePrefix" must be at most 24 lower-case letters, digits and _.'

test.each([
  ...[
    '',
    'A',
    '1a',
    'a-',
    '-a',
    'a\n',
    'a"b',
    'a;drop',
    'a\0',
    'pg_',
    'pg_x',
    'information_schema',
  ],
  'a'.repeat(64),
])('no schema: %j', (schema) => {
  const pool = { query: async () => ({ rows: [] }) }
  for (const use of [namesOf, postgresSchema, (naming: object) => postgresStorage(pool, naming)]) {
    expect(() => use({ schema })).toThrow(new TypeError(NO_SCHEMA))
  }
})

test.each(['A', '1a', 'a-', '-a', 'a\n', 'a'.repeat(25)])('no prefix: %j', (tablePrefix) => {
  expect(() => namesOf({ tablePrefix })).toThrow(new TypeError(NO_PREFIX))
})

test('an object with a toString is not a name', () => {
  const posed = { toString: () => 'fine' } as never
  expect(() => namesOf({ schema: posed })).toThrow(TypeError)
  expect(() => namesOf({ schema: 'a', tablePrefix: posed })).toThrow(new TypeError(NO_PREFIX))
})

test.each([undefined, null, {}, { query: 'SELECT' }])('a pool cannot be %j', (wrong) => {
  expect(() => postgresStorage(wrong as never)).toThrow(
    new TypeError('postgresStorage: "pool" must have a method "query".'),
  )
})

test('the printed SQL ends with a line of its own, with or without a role', () => {
  const [plain, granted] = [postgresSchema(), postgresSchema({ runtimeRole: 'a"b' })]
  expect(plain).toMatch(/^DO \$miftah\$\n[\s\S]*\n\$miftah\$;\n$/)
  expect(granted).toMatch(/\n\$miftah\$;\n\nGRANT USAGE ON SCHEMA "miftah" TO "a""b";\n[\s\S]*;\n$/)
  expect(granted.startsWith(plain.trimEnd())).toBe(true)
  expect(plain).not.toContain('GRANT')
})
