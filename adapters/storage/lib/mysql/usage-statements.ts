import type { KeyUses } from '../../../../src/storage/index.ts'
import { byId, inParts, tableOf } from '../sql/in-lists.ts'
import { changesOf, type SqlValue, type Work } from '../sql/work.ts'
import type { StorableCount } from '../storable-storage.ts'
import { NOW_MS } from './clock.ts'
import { made, Query, statement } from './query.ts'

const MOST = Number.MAX_SAFE_INTEGER
const NOW_S = 'UNIX_TIMESTAMP()'

type Period = 'hour' | 'day'

/** The statements of uses and their history. */
export const usageStatements = {
  advanceWriter: made(advanceWriter),
  forgetWriters: statement(
    `DELETE FROM miftah_writers WHERE seen_at_s < ${NOW_S} - ? ORDER BY seen_at_s LIMIT 100`,
  ),
  addUses,
  addCounts,
  forgetHours: statement(forget('hour')),
  forgetDays: statement(forget('day')),
  hoursOfKey: statement(read('hour', 'id', 'hour >= first_hour')),
  hoursOfWorkspace: statement(read('hour', 'workspace_id', 'hour >= first_hour')),
  daysOfKey: statement(read('day', 'id', 'day < first_hour DIV 24')),
  daysOfWorkspace: statement(read('day', 'workspace_id', 'day < first_hour DIV 24')),
}

const ADVANCE = statement(`UPDATE miftah_writers SET sequence = ?, seen_at_s = ${NOW_S}
  WHERE writer = ? AND sequence < ?`)
const IS_WRITER = statement('SELECT 1 FROM miftah_writers WHERE writer = ?')
const ADD_WRITER = statement(`INSERT INTO miftah_writers (sequence, writer, seen_at_s)
  VALUES (?, ?, ${NOW_S})`)

function* advanceWriter(writer: SqlValue = null, sequence: SqlValue = null): Work<unknown> {
  const advanced = yield ADVANCE.run(sequence, writer, sequence)
  if (changesOf(advanced) > 0 || (yield IS_WRITER.get(writer))) return advanced
  return yield ADD_WRITER.run(sequence, writer)
}

/**
 * Adds to the usage of many keys in few statements, in the order of ids: two processes that lock the same
 * rows then wait for each other instead of meeting in a deadlock. A stored instant that is ahead of the
 * clock does not count: the bounded one replaces it.
 */
function* addUses(uses: readonly KeyUses[]): Work<void> {
  for (const part of inParts(byId(uses))) {
    const values = part.flatMap(({ id, uses: count, lastUsedAtMs }) => [id, count, lastUsedAtMs])
    const text = `UPDATE miftah_usage AS u JOIN (${tableOf(part, 'id, uses, at_ms')}) AS d ON d.id = u.key_id
      SET u.uses = LEAST(u.uses + d.uses, ${MOST}), u.last_used_at_ms = GREATEST(
        IF(u.last_used_at_ms <= ${NOW_MS}, u.last_used_at_ms, ${-MOST}), LEAST(d.at_ms, ${NOW_MS}))`
    yield new Query(text, values, 'run')
  }
}

function* addCounts(counts: readonly StorableCount[]): Work<void> {
  for (const part of inParts(byId(counts))) {
    yield addTo('hour', part)
    yield addTo(
      'day',
      part.map((one) => ({ ...one, hour: Math.floor(one.hour / 24) })),
    )
  }
}

function addTo(period: Period, counts: readonly StorableCount[]): Query {
  const values = counts.flatMap(({ id, hour, outcome, count }) => [id, hour, outcome, count])
  const text = `INSERT INTO miftah_usage_${period}s (${period}, key_position, outcome, count)
    SELECT d.at, k.position, d.outcome, d.n
    FROM (${tableOf(counts, 'id, at, outcome, n')}) AS d JOIN miftah_keys AS k ON k.id = d.id
    ON DUPLICATE KEY UPDATE count = LEAST(count + VALUES(count), ${MOST})`
  return new Query(text, values, 'run')
}

function forget(period: Period): string {
  return `DELETE FROM miftah_usage_${period}s WHERE ${period} < ? ORDER BY ${period} LIMIT ?`
}

function read(period: Period, whose: 'id' | 'workspace_id', condition: string): string {
  return `SELECT ${period} AS at, outcome, LEAST(SUM(count), ${MOST}) AS count
    FROM miftah_keys AS k JOIN miftah_usage_${period}s AS h ON h.key_position = k.position
    JOIN miftah_usage_retention ON one = 1
    WHERE k.${whose} = ? AND ${period} >= ? AND ${period} < ? AND ${condition}
    GROUP BY ${period}, outcome`
}
