import { parseArgs } from 'node:util'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { statementsOf } from '../../../adapters/storage/lib/postgres/statements.ts'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { fillKeys } from '../../support/postgres/many-keys.ts'
import { plannedNodes } from '../../support/postgres/plans.ts'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'

// What a call costs among many keys: npm run reliability:postgres:million -- [--keys n]

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000000' },
    few: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '9' },
    'big-workspace': { type: 'string', default: '100000' },
  },
})
const MOST_RATIO = 1.5
const CHUNK = 100_000
const page = { status: null, environment: null, atMs: 0, after: null, limit: 50 } as const

const server = await startPostgres({ shared_buffers: '512MB' })

/** A database of its own with that many keys. */
async function filled(count: number) {
  const database = await testDatabase(server)
  const pool = database.pool()
  const storage = postgresStorage(pool)
  await storage.migrate()
  for (let from = 1; from <= count; from += CHUNK) {
    await fillKeys(pool, Math.min(CHUNK, count - from + 1), from)
  }
  const { rows } = await pool.query(
    `SELECT encode(hash, 'hex') AS hash FROM miftah.keys ORDER BY md5(id) LIMIT 5000`,
  )
  const hashes = rows.map(({ hash }) => String(hash))
  return { database, pool, storage, hashes, count }
}

type Filled = Awaited<ReturnType<typeof filled>>

/** The median of what one call takes, in microseconds. */
async function median(calls: number, call: (index: number) => unknown): Promise<number> {
  const took: number[] = []
  for (let index = 0; index < calls; index += 1) {
    const begun = performance.now()
    await call(index)
    took.push((performance.now() - begun) * 1_000)
  }
  return middleOf(took)
}

function middleOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** Lookups a second with 64 callers at a time. */
async function throughput({ storage, hashes }: Filled, ms = 500): Promise<number> {
  const begun = performance.now()
  let calls = 0
  const caller = async (_: unknown, number: number) => {
    for (let turn = number * 97; performance.now() - begun < ms; turn += 61) {
      await storage.findByHash(hashes[turn % hashes.length] ?? '')
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  return (calls * 1_000) / (performance.now() - begun)
}

async function measure(one: Filled) {
  const { storage, hashes, count } = one
  const workspaces = Math.max(1, Math.floor(count / 100) - 1)
  const workspaceOf = (index: number) => `ws_${1 + ((index * 7_919) % workspaces)}`
  return {
    authenticateMicroseconds: await median(400, (index) =>
      storage.findByHash(hashes[(index * 13) % hashes.length] ?? ''),
    ),
    listMicroseconds: await median(150, (index) => storage.list(workspaceOf(index), page)),
    authenticationsPerSecond: await throughput(one),
  }
}

type Figures = Awaited<ReturnType<typeof measure>>

const NAMES = ['authenticateMicroseconds', 'listMicroseconds', 'authenticationsPerSecond'] as const

function middle(rounds: readonly Figures[]): Figures {
  const of = (name: (typeof NAMES)[number]) =>
    Math.round(middleOf(rounds.map((figures) => figures[name])))
  const [authenticateMicroseconds, listMicroseconds, authenticationsPerSecond] = NAMES.map(of)
  return {
    authenticateMicroseconds: authenticateMicroseconds ?? 0,
    listMicroseconds: listMicroseconds ?? 0,
    authenticationsPerSecond: authenticationsPerSecond ?? 0,
  }
}

async function tablesScanned({ pool, hashes }: Filled): Promise<readonly string[]> {
  const statements = statementsOf(namesOf({}))
  const asked = [
    statements.findOne(hashes[0] ?? ''),
    statements.findMany(hashes.slice(0, 64)),
    statements.list('ws_1', page),
    statements.list('ws_1', { ...page, after: 'key_150' }),
    statements.events('ws_1', page),
  ]
  const plans = await Promise.all(asked.map((statement) => plannedNodes(pool, statement)))
  return plans.flatMap(({ scannedTables }) => scannedTables)
}

/** One workspace with very many keys, read page by page to the end. */
async function walk(pool: Filled['pool'], storage: PostgresStorage, keys: number) {
  await pool.query(
    `INSERT INTO miftah.usage SELECT 'big_' || i, 0 FROM generate_series(1, $1::int) AS i`,
    [keys],
  )
  await pool.query(
    `INSERT INTO miftah.keys SELECT 'big_' || i, sha256(('big' || i)::bytea), 'ws_big', i, 'key ' || i,
      CASE i % 4 WHEN 0 THEN 'test' ELSE 'live' END, '{contacts.read}', 'svc_live_abc', 'u_1', 'Sami',
      i, CASE i % 2 WHEN 0 THEN i END, NULL, NULL FROM generate_series(1, $1::int) AS i`,
    [keys],
  )
  await pool.query('VACUUM ANALYZE miftah.keys')
  const took: number[] = []
  let seen = 0
  for (let after: string | null = null; ; ) {
    const begun = performance.now()
    const found = await storage.list('ws_big', { ...page, limit: 200, after })
    took.push(performance.now() - begun)
    seen += found?.records.length ?? 0
    after = found?.records.at(-1)?.id ?? null
    if (!found?.more) break
  }
  const slowest = Math.max(...took)
  const round = (ms: number) => Math.round(ms * 10) / 10
  return {
    keys,
    seen,
    pages: took.length,
    medianMs: round(middleOf(took)),
    slowestMs: round(slowest),
  }
}

const failures: string[] = []
try {
  const few = await filled(Number(values.few))
  const many = await filled(Number(values.keys))
  const rounds: { few: Figures; many: Figures }[] = []
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    rounds.push({ few: await measure(few), many: await measure(many) })
  }
  // The first round warms up.
  const warm = rounds.slice(1)
  const figures = {
    few: { keys: few.count, ...middle(warm.map((round) => round.few)) },
    many: { keys: many.count, ...middle(warm.map((round) => round.many)) },
  }
  const ratio = {
    authenticate: figures.many.authenticateMicroseconds / figures.few.authenticateMicroseconds,
    list: figures.many.listMicroseconds / figures.few.listMicroseconds,
  }
  for (const [name, value] of Object.entries(ratio)) {
    if (value > MOST_RATIO) failures.push(`${name} costs ${value.toFixed(2)} times as much`)
  }
  const scanned = await tablesScanned(many)
  if (scanned.length > 0) failures.push(`scanned: ${scanned.join(', ')}`)
  const big = await walk(many.pool, many.storage, Number(values['big-workspace']))
  if (big.seen !== big.keys) failures.push(`the walk saw ${big.seen} of ${big.keys} keys`)
  console.log(JSON.stringify({ scenario: 'million keys', figures, ratio, big, failures }, null, 2))
  await Promise.all([few.database.close(), many.database.close()])
} finally {
  await server.dispose()
}
if (failures.length > 0) process.exitCode = 1
