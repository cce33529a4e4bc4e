import { createHash } from 'node:crypto'
import type pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { SCHEMA, type Schema } from '../../../adapters/storage/lib/postgres/schema/index.ts'
import { migrationScript } from '../../../adapters/storage/lib/postgres/schema/script.ts'
import { postgresSchema, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { catalogueOf } from '../../support/postgres/catalogue.ts'
import { databaseForTest } from '../../support/postgres/own-database.ts'
import { until } from '../../support/postgres/until.ts'
import type { TestDatabase } from '../../support/postgres-database.ts'

/** A migration as a later release would add it: a column with a value in old rows, an index, a function. */
const TO_VERSION_2 = `
  PERFORM pg_catalog.set_config('lock_timeout', '2s', true);
  ALTER TABLE miftah.keys
    ADD COLUMN color text COLLATE "C" NOT NULL DEFAULT 'none'
      CONSTRAINT keys_color CHECK (color <> '');
  ALTER TABLE miftah.keys ALTER COLUMN color DROP DEFAULT;
  CREATE INDEX keys_colord ON miftah.keys (color);
  CREATE FUNCTION miftah.color_of(p_id text) RETURNS text
    LANGUAGE sql STABLE
    RETURN (SELECT k.color FROM miftah.keys k WHERE k.id OPERATOR(pg_catalog.=) p_id);
  REVOKE ALL ON FUNCTION miftah.color_of(text) FROM PUBLIC;`

/** The same in the files that show the newest version. */
const NEWEST = edited(SCHEMA.newest, [
  [
    '  CONSTRAINT keys_paused_by CHECK (',
    `  color text COLLATE "C" NOT NULL CONSTRAINT keys_color CHECK (color <> ''),
  CONSTRAINT keys_paused_by CHECK (`,
  ],
  [
    '\n-- What finds the keys of a person',
    '\nCREATE INDEX keys_colord ON miftah.keys (color);\n-- What finds the keys of a person',
  ],
  [
    '\n-- Makes the commit of this transaction wait',
    `
CREATE FUNCTION miftah.color_of(p_id text) RETURNS text LANGUAGE sql STABLE
  RETURN (SELECT k.color FROM miftah.keys k WHERE k.id OPERATOR(pg_catalog.=) p_id);

-- Makes the commit of this transaction wait`,
  ],
  ['\nFROM PUBLIC;', ',\n  miftah.color_of(text)\nFROM PUBLIC;'],
])

const VERSION_1: Schema = { newest: SCHEMA.newest, migrations: [] }
const VERSION_2: Schema = { newest: NEWEST, migrations: [TO_VERSION_2] }
const VERSION_3: Schema = {
  newest: NEWEST,
  migrations: [TO_VERSION_2, 'CREATE INDEX keys_renamed ON miftah.keys (name);'],
}

function edited(sql: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((text, [from, to]) => {
    expect(text.split(from)).toHaveLength(2)
    return text.replace(from, () => to)
  }, sql)
}

const NAMINGS = [{}, { schema: 'user', tablePrefix: 'order_' }, { schema: 'public' }] as const

let database: TestDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await databaseForTest()
  pool = database.pool()
})

async function versionsIn(table = 'miftah.schema_version'): Promise<readonly number[]> {
  const { rows } = await pool.query(`SELECT version FROM ${table} ORDER BY version`)
  return rows.map(({ version }) => version)
}

/** Its catalogue, in the words of an installation with the default names. */
async function catalogueWithDefaultNames(naming: (typeof NAMINGS)[number]) {
  const { schema, prefix } = namesOf(naming)
  const facts = await catalogueOf(pool, schema)
  const named = new RegExp(`"?\\b${schema}"?\\.${prefix}`, 'g')
  return facts
    .map((fact) => fact.replaceAll(named, 'miftah.'))
    .map((fact) => (prefix === '' ? fact : fact.replaceAll(new RegExp(`\\b${prefix}`, 'g'), '')))
    .sort()
}

test('released migrations stay as they were released', () => {
  const digests = SCHEMA.migrations.map((sql) => createHash('sha256').update(sql).digest('hex'))
  expect(digests).toEqual([])
})

test('the printed SQL has the text of the schema, word by word', () => {
  expect(postgresSchema()).toContain(SCHEMA.newest)
})

test('only names differ between installations', async () => {
  for (const naming of NAMINGS) await pool.query(postgresSchema(naming))
  const expected = await catalogueOf(pool, 'miftah')
  expect(expected.length).toBeGreaterThan(250)
  for (const naming of NAMINGS) expect(await catalogueWithDefaultNames(naming)).toEqual(expected)
})

test.each(NAMINGS)(
  'a fresh and an upgraded database have the same catalogue: %j',
  async (naming) => {
    const names = namesOf(naming)
    await pool.query(migrationScript(names, VERSION_1))
    await pool.query(migrationScript(names, VERSION_2))
    const upgraded = await catalogueOf(pool, names.schema)
    expect(await versionsIn(names.at('schema_version'))).toEqual([1, 2])
    await pool.query(
      `DROP SCHEMA ${names.quotedSchema} CASCADE; CREATE SCHEMA ${names.quotedSchema}`,
    )
    await pool.query(migrationScript(names, VERSION_2))
    expect(await versionsIn(names.at('schema_version'))).toEqual([2])
    expect(await catalogueOf(pool, names.schema)).toEqual(upgraded)
    await pool.query(migrationScript(names, VERSION_3))
    expect(await versionsIn(names.at('schema_version'))).toEqual([2, 3])
    expect(await catalogueOf(pool, names.schema)).not.toEqual(upgraded)
  },
)

describe('an upgrade', () => {
  const record = sampleRecord({ workspaceId: 'ws_1' })
  const upgrade = migrationScript(namesOf({}), VERSION_2)

  beforeEach(async () => {
    await postgresStorage(pool).insert(record, null, sampleCreatedEvent(record))
  })

  test('keeps every row, and runs once', async () => {
    const { rows } = await pool.query('SELECT k.* FROM miftah.keys k')
    await pool.query(upgrade)
    await pool.query(upgrade)
    expect((await pool.query('SELECT k.* FROM miftah.keys k')).rows).toEqual([
      { ...rows[0], color: 'none' },
    ])
    expect(await versionsIn()).toEqual([1, 2])
  })

  test('makes several steps at once', async () => {
    await pool.query(migrationScript(namesOf({}), VERSION_3))
    expect(await versionsIn()).toEqual([1, 2, 3])
  })

  test('is refused to an older release afterwards', async () => {
    await pool.query(upgrade)
    await expect(pool.query(postgresSchema())).rejects.toThrow(/at version 2, newer than 1/)
    await expect(postgresStorage(pool).migrate()).rejects.toMatchObject({ code: 'schema_too_new' })
  })

  test('happens once for 8 pools at once', async () => {
    const pools = Array.from({ length: 8 }, () => database.pool({ max: 1 }))
    await Promise.all(pools.map((each) => each.query(upgrade)))
    expect(await versionsIn()).toEqual([1, 2])
  })

  test('fails whole over a row that the new version refuses', async () => {
    const strict = TO_VERSION_2.replaceAll("DEFAULT 'none'", "DEFAULT ''")
    const broken = migrationScript(namesOf({}), { newest: NEWEST, migrations: [strict] })
    const before = await catalogueOf(pool, 'miftah')
    await expect(pool.query(broken)).rejects.toMatchObject({ constraint: 'keys_color' })
    expect(await catalogueOf(pool, 'miftah')).toEqual(before)
    expect(await versionsIn()).toEqual([1])
  })

  test('that is interrupted at its end leaves version 1, and can be run again', async () => {
    const before = await catalogueOf(pool, 'miftah')
    const blocker = await pool.connect()
    await blocker.query('BEGIN')
    await blocker.query('LOCK TABLE miftah.schema_version IN SHARE MODE')
    const running = database
      .pool({ max: 1 })
      .query(upgrade)
      .then(
        () => expect.fail('ran to its end'),
        (error: unknown) => error,
      )
    const waiting = `SELECT pid FROM pg_locks
      WHERE relation = 'miftah.schema_version'::regclass AND NOT granted`
    await until(pool, `EXISTS (${waiting})`)
    await pool.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`)
    expect(await running).toBeInstanceOf(Error)
    await blocker.query('ROLLBACK')
    blocker.release()
    expect(await catalogueOf(pool, 'miftah')).toEqual(before)
    await pool.query(upgrade)
    expect(await versionsIn()).toEqual([1, 2])
  })
})
