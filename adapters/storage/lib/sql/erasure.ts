import type { Progress, Purge, WorkspaceDeletion } from '../../../../src/storage/index.ts'
import { optionalIntegerIn, textIn } from './cells.ts'
import type { Dialect, Index, SomeRows } from './dialect.ts'
import { hashIn } from './rows.ts'
import { raw, type Sql, sql } from './sql.ts'
import { changesOf, rowsOf, type Work } from './work.ts'

/** What was written later than this before the clock of the database is not purged: its write may be repeated. */
export const SPARED_MS = 3_600_000

/** The revision grows so that something is written, and waits for the disk. */
export function* closeWorkspace(of: Dialect, workspaceId: string): Work<void> {
  const table = of.table('workspaces')
  yield [
    sql`INSERT INTO ${table} (id, revision, added, is_erased) VALUES (${workspaceId}, 1, 0, 1)
      ${of.onTaken('id')} is_erased = 1, revision = ${table}.revision + 1`,
  ]
}

export function* deleteWorkspace(
  of: Dialect,
  { workspaceId, limit }: WorkspaceDeletion,
): Work<Progress> {
  const isErased = sql`EXISTS (SELECT 1 FROM ${of.table('workspaces')} AS w
    WHERE w.id = ${workspaceId} AND w.is_erased = 1)`
  const revoked = sql`workspace_id = ${workspaceId} AND revoked_at_ms IS NOT NULL AND ${isErased}`
  const acknowledged = sql`workspace_id = ${workspaceId} AND is_pending = 0 AND ${isErased}`
  return yield* deleted(of, limit, {
    keys: { index: 'keys_revoked', where: revoked, order: raw('place') },
    events: { where: acknowledged, order: 'place' },
  })
}

/** What has not ended by the clock of the database stays, whatever is given. */
export function* purge(
  of: Dialect,
  { endedBeforeMs, eventsBeforeMs, limit }: Purge,
): Work<Progress> {
  const before = (instantMs: number | null) =>
    sql`${of.least}(${instantMs ?? -Number.MAX_SAFE_INTEGER}, ${of.nowMs})`
  const isOld = sql`written_at_ms <= ${of.nowMs} - ${SPARED_MS}`
  const ended = sql`format IS NULL AND ${of.endOfKey} < ${before(endedBeforeMs)} AND ${isOld}`
  const delivered = sql`is_pending = 0 AND at_ms < ${before(eventsBeforeMs)} AND ${isOld}`
  return yield* deleted(of, limit, {
    keys: { index: 'keys_end', where: ended, order: of.endOfKey },
    events: { where: delivered, order: 'at_ms' },
  })
}

interface Deleted {
  readonly keys: { readonly index: Index; readonly where: Sql; readonly order: Sql }
  readonly events: Pick<SomeRows, 'where' | 'order'>
}

/** Deletes keys and what belongs to them; events only where that has left room in the step. */
function* deleted(of: Dialect, limit: number, { keys, events }: Deleted): Work<Progress> {
  const rows = yield* rowsOf(sql`SELECT id, hash, revoked_at_ms
    FROM ${of.table('keys')} ${of.along(keys.index)}
    WHERE ${keys.where} ORDER BY ${keys.order} LIMIT ${limit} ${of.forUpdate}`)
  if (rows.length > 0) {
    const ids = of.list(rows.map((row) => textIn(row, 'id')))
    yield [
      sql`DELETE FROM ${of.table('keys')} WHERE id IN ${ids}`,
      sql`DELETE FROM ${of.table('usage')} WHERE key_id IN ${ids}`,
      sql`DELETE FROM ${of.table('hourly_usage')} WHERE key_id IN ${ids}`,
    ]
  }
  const some = of.some({ table: 'events', ...events, limit })
  const gone =
    rows.length === limit ? 0 : yield* changesOf(sql`DELETE FROM ${of.table('events')} ${some}`)
  const living = rows.filter((row) => optionalIntegerIn(row, 'revoked_at_ms') === null)
  const hashes = living.map((row) => hashIn(row, 'hash'))
  const isLogged = of.logDeleted === undefined ? false : yield* of.logDeleted(hashes)
  const more = Math.max(rows.length, gone) === limit
  return { keys: rows.length, events: gone, more, isLogged }
}
