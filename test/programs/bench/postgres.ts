import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import type pg from 'pg'
import { type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { apiKeys, asksFor, betterAuth, issueKeys, SCOPE } from './keys.ts'
import {
  type Asked,
  asked,
  type Bench,
  figure,
  measure,
  planOf,
  type Table,
  timeTable,
} from './measure.ts'
import { contest, MANY, ONE, rateTables } from './sql.ts'
import type { FloorRow, FloorTable } from './sql-floor.ts'

const BETTER_AUTH = '@better-auth/api-key'
const MEMORY = 'memory storage'
const CACHED = 'PostgreSQL with the cache'

/** Connections of each contender. */
const POOL = { max: 10 }

/** Checks on a real PostgreSQL. */
export async function section(bench: Bench): Promise<readonly Table[]> {
  const server = await startPostgres({ shared_buffers: '512MB' })
  const database = await testDatabase(server)
  try {
    const pool = database.pool(POOL)
    const counted = statementsOf(pool)
    const keys = apiKeys(postgresStorage(pool))
    const rival = await betterAuth(database.pool(POOL))
    const { headers, ...found } = await contest(bench, {
      keys,
      tables: [floorTable(database.pool(POOL), 'one'), floorTable(database.pool(POOL), 'many')],
      peer: { name: BETTER_AUTH, ...rival },
    })
    const together = asked('PostgreSQL, 64 at once', headers, asksFor(keys), { callers: 64 })
    const statements = await statementTable(together, 2_000, counted)
    await keys.close()
    const rates = rateTables('PostgreSQL', found, [ONE, MANY, BETTER_AUTH])
    return [...rates, statements, ...(await withCache(bench, database))]
  } finally {
    await database.close()
    await server.dispose()
  }
}

/** What the cache saves. */
async function withCache(bench: Bench, database: TestDatabase): Promise<readonly Table[]> {
  bench.log('with the cache')
  const pool = database.pool(POOL)
  const counted = statementsOf(pool)
  const memory = apiKeys(memoryStorage())
  const cached = apiKeys(postgresStorage(pool), { cache: {} })
  const headers = await issueKeys(cached)
  // From then on every key is in memory.
  for (const header of headers) await cached.authenticate(header, SCOPE)
  const contender = asked(CACHED, headers, asksFor(cached))
  const inMemory = asked(MEMORY, await issueKeys(memory), asksFor(memory))
  const found = await measure([inMemory, contender], planOf(bench, 31, 200))
  const statements = await statementTable(contender, 100_000, counted)
  for (const keys of [memory, cached]) await keys.close()
  return [timeTable('One caller, 1,000 keys', found, [MEMORY, CACHED]), statements]
}

/** Counts the statements of a pool: each takes a connection out. */
function statementsOf(pool: pg.Pool): () => number {
  let statements = 0
  pool.on('acquire', () => {
    statements += 1
  })
  return () => statements
}

/** Statements of an authentication, as so many of them need. */
async function statementTable(
  contender: Asked,
  count: number,
  counted: () => number,
): Promise<Table> {
  const before = counted()
  await contender.prepare(count)
  await contender.run()
  const each = figure((counted() - before) / count)
  return { title: 'Statements', head: ['', 'an authentication'], rows: [[contender.name, each]] }
}

function floorTable(pool: pg.Pool, name: string): FloorTable {
  const table = `floor_${name}`
  return {
    fill: async (rows) => {
      await pool.query(`CREATE TABLE ${table} (hash bytea PRIMARY KEY, id int NOT NULL UNIQUE,
        scopes text[] NOT NULL, revoked_at timestamptz, uses bigint NOT NULL DEFAULT 0,
        last_used_at timestamptz) WITH (fillfactor = 85)`)
      await pool.query(
        `INSERT INTO ${table} (hash, id, scopes)
          SELECT hash, id, $3::text[] FROM unnest($1::bytea[], $2::int[]) AS r (hash, id)`,
        [rows.map(({ hash }) => hash), rows.map(({ id }) => id), rows[0]?.scopes],
      )
    },
    find: async (hashes) => {
      const isOne = hashes.length === 1
      const { rows } = await pool.query<FloorRow>({
        name: isOne ? 'floor_one' : 'floor_many',
        text: `SELECT hash, id, scopes, revoked_at FROM ${table}
          WHERE hash = ${isOne ? '$1' : 'ANY ($1)'}`,
        values: [isOne ? hashes[0] : hashes],
      })
      return rows
    },
    add: (uses) =>
      pool.query({
        name: 'floor_flush',
        text: `UPDATE ${table} k SET uses = k.uses + u.uses, last_used_at = now()
          FROM unnest($1::int[], $2::bigint[]) u (id, uses) WHERE k.id = u.id`,
        values: [[...uses.keys()], [...uses.values()]],
      }),
    uses: async () => {
      const { rows } = await pool.query<{ uses: string }>(`SELECT sum(uses) AS uses FROM ${table}`)
      return Number(rows[0]?.uses)
    },
  }
}
