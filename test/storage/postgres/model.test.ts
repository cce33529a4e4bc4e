import { beforeAll, expect, test } from 'vitest'
import { EXPIRED_AHEAD_MS, EXTENDED_BEFORE_MS } from '../../../adapters/storage/lib/decision.ts'
import {
  type ColumnKind,
  KEY_COLUMNS,
  STATE_COLUMNS,
  USAGE_COLUMNS,
} from '../../../adapters/storage/lib/key-columns.ts'
import { COUNTS_WITHOUT_END } from '../../../adapters/storage/lib/key-conditions.ts'
import {
  CALLED_FUNCTIONS,
  ERASURE_FUNCTIONS,
} from '../../../adapters/storage/lib/postgres/schema/grants.ts'
import { HIGHEST_CODE, MOST_DELETED } from '../../../adapters/storage/lib/usage-history.ts'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import type { AuditEvent } from '../../../src/index.ts'
import { MAX_NAME_LENGTH } from '../../../src/model/name.ts'
import { ERASED_PERSON } from '../../../src/storage/index.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

// The schema is literal SQL: here it is held against the model that the library is made of.

const db = databaseForFile()

beforeAll(() => postgresStorage(db.pool).migrate())

async function read(sql: string): Promise<string> {
  const { rows } = await db.pool.query(`SELECT (${sql})::text AS value`)
  return rows[0].value
}

const constraint = (table: string, name: string) =>
  read(`SELECT pg_get_constraintdef(oid) FROM pg_constraint
    WHERE conrelid = '${table}'::regclass AND conname = '${name}'`)

const trigger = (name: string) =>
  read(`SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = '${name}'`)

const body = (name: string) =>
  read(`SELECT prosrc FROM pg_proc WHERE pronamespace = 'miftah'::regnamespace
    AND proname = '${name}'`)

const TYPES: { readonly [Kind in ColumnKind]: string } = {
  text: 'text NOT NULL',
  'text?': 'text',
  texts: 'text[] NOT NULL',
  prefix: 'text NOT NULL',
  hash: 'bytea NOT NULL',
  environment: 'text NOT NULL',
  metadata: 'jsonb NOT NULL',
  resources: 'jsonb NOT NULL',
  networks: 'jsonb NOT NULL',
  count: 'bigint NOT NULL',
  version: 'bigint NOT NULL',
  instant: 'bigint NOT NULL',
  'instant?': 'bigint',
}

async function columnsOf(table: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await db.pool.query(`SELECT attname, format_type(atttypid, atttypmod)
      || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS type FROM pg_attribute
    WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped`)
  return Object.fromEntries(rows.map(({ attname, type }) => [attname, type]))
}

test('a key has the columns of the model, and its place', async () => {
  const columns = KEY_COLUMNS.map(({ name, kind }) => [name, TYPES[kind]])
  expect(await columnsOf('miftah.keys')).toEqual({
    ...Object.fromEntries(columns),
    hash: 'bytea NOT NULL',
    seq: 'bigint NOT NULL',
  })
  expect(await columnsOf('miftah.usage')).toEqual({
    ...Object.fromEntries(USAGE_COLUMNS.map(({ name, kind }) => [name, TYPES[kind]])),
    id: 'text NOT NULL',
  })
})

test('an update sets the state of the model, and nothing else may change but by a rotation', async () => {
  const state = STATE_COLUMNS.map(({ name }) => name)
  const set = [...(await body('update_key')).matchAll(/(\w+) = v_state\.(\w+)/g)]
  expect(set.map(([, column]) => column).sort()).toEqual([...state].sort())
  expect(set.map(([, , value]) => value)).toEqual(set.map(([, column]) => column))
  const bookkeeping = ['version', 'updated_at_ms', 'retires_at_ms', 'revoked_at_ms', 'replaced_by']
  const columns = ['hash', 'seq', ...KEY_COLUMNS.map(({ name }) => name)]
  const [compared = ''] = (await trigger('keys_identity')).split('AND (NOT')
  const identity = [...compared.matchAll(/new\.(\w+) IS DISTINCT FROM old\.(\w+)/g)]
  expect(identity.map(([, column]) => column)).toEqual(identity.map(([, , column]) => column))
  expect([...identity.map(([, column]) => column), ...state, ...bookkeeping].sort()).toEqual(
    columns.sort(),
  )
  const [replacement, widening] = [
    await trigger('keys_replacement'),
    await trigger('keys_widening'),
  ]
  const rights = ['scopes', 'resources', 'networks']
  for (const name of rights) {
    expect(widening).toContain(`new.${name} IS DISTINCT FROM old.${name}`)
  }
  for (const name of [...state.filter((name) => !rights.includes(name)), 'replaced_by']) {
    expect(replacement).toContain(`new.${name} IS DISTINCT FROM old.${name}`)
  }
})

test('people are replaced by the pseudonym of the model', async () => {
  const { id, name } = ERASED_PERSON
  const texts = [
    await body('erase_person'),
    ...(await Promise.all(
      ['keys_identity', 'keys_revocation', 'keys_replacement', 'events_append_only'].map(trigger),
    )),
  ]
  for (const text of texts) {
    const pseudonyms = new Set(text.match(/'(?:miftah:)?[Ee]rased'/g))
    expect(pseudonyms).toEqual(new Set([`'${id}'`, `'${name}'`]))
  }
})

/** Does not compile when the model has another type of event. */
const EVENT_TYPES: { readonly [Type in AuditEvent['type']]: true } = {
  'api_key.created': true,
  'api_key.imported': true,
  'api_key.updated': true,
  'api_key.paused': true,
  'api_key.resumed': true,
  'api_key.rotated': true,
  'api_key.revoked': true,
  'api_key.expiring': true,
  'api_key.expired': true,
  'api_key.retired': true,
}

test('the log takes the types of events of the model', async () => {
  const types = (await constraint('miftah.events', 'events_type')).match(/api_key\.\w+/g)
  expect(new Set(types)).toEqual(new Set(Object.keys(EVENT_TYPES)))
})

test('numbers are those of the model', async () => {
  const max = Number.MAX_SAFE_INTEGER
  expect(await constraint('miftah.keys', 'keys_name_length')).toContain(`<= ${MAX_NAME_LENGTH})`)
  expect(await constraint('miftah.keys', 'keys_version')).toContain(`'${max}'`)
  for (const period of ['hours', 'days']) {
    const table = `usage_${period}`
    expect(await constraint(`miftah.${table}`, `${table}_outcome`)).toContain(`<= ${HIGHEST_CODE})`)
    expect(await constraint(`miftah.${table}`, `${table}_count`)).toContain(`'${max}'`)
  }
  expect(new Set((await body('add_uses')).match(/\d{16,}/g))).toEqual(new Set([String(max)]))
  const deleted = new Set((await body('forget_old_usage')).match(/(?<=LIMIT |count\(\*\) = )\d+/g))
  expect(deleted).toEqual(new Set([String(MOST_DELETED)]))
  for (const name of ['decided_at', 'insert_key']) {
    expect(await body(name)).toContain(`::bigint + ${EXPIRED_AHEAD_MS}`)
  }
  const extended = new Set((await body('update_key')).match(/(?<=THEN 0 ELSE )\d+/g))
  expect(extended).toEqual(new Set([String(EXTENDED_BEFORE_MS)]))
})

test('every count of keys without an end has the condition that reads have', async () => {
  const plain = (sql: string) => sql.replaceAll(/\b[kx]\.|\s+/g, ' ').replaceAll(/\s+/g, ' ')
  for (const [name, times] of [
    ['count_added_keys', 1],
    ['count_changed_keys', 3],
  ] as const) {
    expect(plain(await body(name)).split(COUNTS_WITHOUT_END)).toHaveLength(times + 1)
  }
})

test('every function that a program calls is there, and nobody else may call one that changes', async () => {
  const { rows } = await db.pool.query(`SELECT proname, prosecdef,
      proacl IS NULL OR array_to_string(proacl, ',') ~ '(^|,)=' AS is_public,
      prorettype = 'trigger'::regtype AS is_trigger
    FROM pg_proc WHERE pronamespace = 'miftah'::regnamespace`)
  const names = (of: (row: Record<string, unknown>) => unknown) =>
    rows.flatMap((row) => (of(row) ? [String(row.proname)] : [])).sort()
  expect(names(({ prosecdef, is_trigger }) => prosecdef && !is_trigger)).toEqual(
    [...CALLED_FUNCTIONS, ...ERASURE_FUNCTIONS].sort(),
  )
  expect(names(({ is_public, is_trigger }) => is_public && !is_trigger)).toEqual(['stored_key'])
})
