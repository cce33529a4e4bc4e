import { hash } from 'node:crypto'
import type pg from 'pg'

/** What floors on a database read of a key. */
export interface FloorRow {
  readonly hash: Buffer
  readonly id: string
  readonly workspace_id: string
  readonly scopes: readonly string[]
  readonly revoked_at: Date | null
}

const COLUMNS = 'hash, id, workspace_id, name, scopes, revoked_at, uses, last_used_at'

/** A floor's own table, with the columns that a check needs. */
export const floorTable = (name: string) => `CREATE TABLE ${name} (
  hash bytea PRIMARY KEY, id text NOT NULL UNIQUE, workspace_id text NOT NULL, name text NOT NULL,
  scopes text[] NOT NULL, revoked_at timestamptz, uses bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz) WITH (fillfactor = 85)`

/** Fills a floor's table from that of miftah, which must be in the same database. */
export const floorFill = (name: string) => `INSERT INTO ${name}
  SELECT hash, id, workspace_id, name, scopes, NULL, 0, NULL FROM miftah.keys`

/** A way to find one row by the digest of a secret. */
export type Find = (digest: Buffer) => Promise<FloorRow | undefined>

/** A floor's table in a database. */
export interface FloorTable {
  readonly find: Find
  /** Adds uses by id, in one statement. */
  readonly add: (uses: ReadonlyMap<string, number>) => Promise<unknown>
  /** All uses that it has. */
  readonly uses: () => Promise<number>
}

/**
 * What a careful hand-written check on a database does: parse, hash, find the row, look at
 * revocation and scope, count in memory, and write the counts once a second in one statement.
 */
export class SqlFloor {
  readonly #table: FloorTable
  #uses = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null
  #flushed: Promise<unknown> = Promise.resolve()

  constructor(table: FloorTable) {
    this.#table = table
  }

  async authenticate(header: string, scope: string): Promise<FloorRow | null> {
    if (!header.startsWith('Bearer ')) return null
    const row = await this.#table.find(hash('sha256', header.slice(7), 'buffer'))
    if (row === undefined || row.revoked_at !== null || !row.scopes.includes(scope)) return null
    this.#uses.set(row.id, (this.#uses.get(row.id) ?? 0) + 1)
    this.#timer ??= setTimeout(() => void this.flush(), 1_000)
    return row
  }

  /** One after the other: two at once would lock each other's rows. */
  flush(): Promise<unknown> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const uses = this.#uses
    this.#uses = new Map()
    this.#flushed = this.#flushed.then(() => uses.size > 0 && this.#table.add(uses))
    return this.#flushed
  }

  /** All uses that the table has. */
  async stored(): Promise<number> {
    await this.flush()
    return this.#table.uses()
  }
}

/** A table in PostgreSQL. */
export function postgresTable(
  pool: pg.Pool,
  name: string,
  find: (pool: pg.Pool, table: string) => Find,
): FloorTable {
  return {
    find: find(pool, name),
    add: (uses) =>
      pool.query({
        name: 'floor_flush',
        text: `UPDATE ${name} k SET uses = k.uses + u.uses, last_used_at = now()
          FROM unnest($1::text[], $2::bigint[]) u (id, uses) WHERE k.id = u.id`,
        values: [[...uses.keys()], [...uses.values()]],
      }),
    uses: async () => {
      const { rows } = await pool.query<{ uses: string }>(`SELECT sum(uses) AS uses FROM ${name}`)
      return Number(rows[0]?.uses)
    },
  }
}

/** One prepared SELECT for each call. */
export function selectOne(pool: pg.Pool, table: string): Find {
  const text = `SELECT ${COLUMNS} FROM ${table} WHERE hash = $1`
  return async (digest) => {
    const { rows } = await pool.query<FloorRow>({ name: 'floor_one', text, values: [digest] })
    return rows[0]
  }
}

interface Asker {
  readonly digest: Buffer
  readonly resolve: (row: FloorRow | undefined) => void
  readonly reject: (error: unknown) => void
}

/** The calls of one turn in one prepared SELECT, two on their way at most. */
export function selectMany(pool: pg.Pool, table: string): Find {
  const text = `SELECT ${COLUMNS} FROM ${table} WHERE hash = ANY ($1)`
  return coalesced(async (digests) => {
    const { rows } = await pool.query<FloorRow>({ name: 'floor_many', text, values: [digests] })
    return rows
  })
}

/** Finds the digests of one turn together, two turns at most at once. */
export function coalesced(
  findAll: (digests: readonly Buffer[]) => Promise<readonly FloorRow[]>,
): Find {
  let waiting: Asker[] = []
  let running = 0
  const send = async (askers: readonly Asker[]) => {
    const rows = await findAll(askers.map(({ digest }) => digest))
    const found = new Map(rows.map((row) => [row.hash.toString('latin1'), row]))
    for (const { digest, resolve } of askers) resolve(found.get(digest.toString('latin1')))
  }
  const next = () => {
    if (running === 2 || waiting.length === 0) return
    const askers = waiting
    waiting = []
    running += 1
    send(askers)
      .catch((error: unknown) => {
        for (const { reject } of askers) reject(error)
      })
      .finally(() => {
        running -= 1
        next()
      })
  }
  return (digest) =>
    new Promise((resolve, reject) => {
      waiting.push({ digest, resolve, reject })
      if (waiting.length === 1) setImmediate(next)
    })
}
