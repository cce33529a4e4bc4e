import type { ApiKeys } from 'miftah'
import { postgresStorage } from 'miftah/postgres'
import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../../support/postgres-server.ts'
import {
  floorFill,
  floorTable,
  postgresTable,
  SqlFloor,
  selectMany,
  selectOne,
} from '../floors/sql-floor.ts'
import { apiKeys, issueKeys, SCOPE, SCOPES, type Texts } from './keys.ts'

const POOL_SIZE = 10

/** A server whose statements are counted by itself where it can. */
export function countingServer(): Promise<PostgresServer> {
  return startPostgres({
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'top',
    shared_buffers: '512MB',
    max_wal_size: '4GB',
  })
}

/** One database, and a pool of its own for each contender. */
export class Database {
  readonly #url: string
  readonly #pools: pg.Pool[] = []

  constructor(url: string) {
    this.#url = url
  }

  pool(): pg.Pool {
    const pool = new pg.Pool({ connectionString: this.#url, max: POOL_SIZE })
    pool.on('error', () => {})
    this.#pools.push(pool)
    return pool
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }
}

/** miftah and both floors on the same keys. */
export interface PostgresWorld {
  readonly keys: ApiKeys
  readonly headers: Texts
  readonly one: SqlFloor
  readonly many: SqlFloor
  readonly pool: pg.Pool
  readonly check: {
    readonly [name in 'miftah' | 'one' | 'many']: (header: string) => Promise<boolean>
  }
}

/** Fills a database with `real` keys whose secrets are known, and others up to `size`. */
export async function fillDatabase(
  database: Database,
  { size, real }: { readonly size: number; readonly real: number },
): Promise<PostgresWorld> {
  const pool = database.pool()
  const keys = apiKeys(postgresStorage(database.pool()))
  const headers = (await issueKeys(keys, real)).headers()
  await pool.query(USAGE_FILLER, [size - real])
  await pool.query(FILLER, [size - real, [...SCOPES]])
  for (const floor of ['floor_one', 'floor_many']) {
    await pool.query(floorTable(floor))
    await pool.query(floorFill(floor))
  }
  await pool.query('VACUUM ANALYZE')
  const one = new SqlFloor(postgresTable(database.pool(), 'floor_one', selectOne))
  const many = new SqlFloor(postgresTable(database.pool(), 'floor_many', selectMany))
  return {
    ...{ keys, headers, one, many, pool },
    check: {
      miftah: async (header) => (await keys.authenticate(header, SCOPE)).ok,
      one: async (header) => (await one.authenticate(header, SCOPE)) !== null,
      many: async (header) => (await many.authenticate(header, SCOPE)) !== null,
    },
  }
}

/** Fills a database with keys that are all in use, and returns their secrets. */
export async function filledDatabase(url: string, size: number): Promise<readonly string[]> {
  const database = new Database(url)
  const { keys, headers } = await fillDatabase(database, { size, real: size })
  await keys.close()
  await database.close()
  return headers.all().map((header) => header.slice('Bearer '.length))
}

/** A key needs its row of usage first. */
const USAGE_FILLER = `INSERT INTO miftah.usage
  SELECT 'key_filler_' || n, 0 FROM generate_series(1, $1::int) n`

/** Keys that nobody asks for, so that the table and its indexes have their size. */
const FILLER = `INSERT INTO miftah.keys
  (id, hash, workspace_id, seq, name, environment, scopes, prefix, creator_id, creator_name,
   created_at_ms, updated_at_ms, version, metadata, resources, networks)
  SELECT 'key_filler_' || n, sha256(n::text::bytea), 'filler_' || n / 10, n % 10 + 1, 'Filler ' || n,
    'live', $2::text[], 'svc_live_abc', 'u_1', 'Filler', 1700000000000, 1700000000000, 1, '{}', '{}', '"any"'
  FROM generate_series(1, $1::int) n`

/** How many statements the server has seen in the database of this pool. */
export async function statementCounter(pool: pg.Pool): Promise<() => Promise<number>> {
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
  const read = async () => {
    const { rows } = await pool.query<{ calls: string }>(
      `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND query NOT LIKE '%pg_stat_statements%'`,
    )
    return Number(rows[0]?.calls)
  }
  return read
}
