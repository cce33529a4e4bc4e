import { integerIn, optionalTextIn, rowFrom } from '../sql/cells.ts'
import type { Cells } from '../sql/columns.ts'
import { Sql, type SqlValue } from '../sql/sql.ts'
import { NotCopied, type OnSide, type Side, TABLES, type Table } from './tables.ts'

export type Counts = Readonly<Record<Table['name'], number>>

/**
 * Copies all rows but the log of changes and its nodes into an empty database: all of them, or none. Throws
 * {@link NotCopied} for a source in use and for a target that is not empty.
 */
export function copy(onSource: OnSide, onTarget: OnSide): Promise<Counts> {
  return onSource('source', async (source) => {
    await checkSource(source)
    return onTarget('target', async (target) => {
      await checkTarget(target)
      return copied(source, target)
    })
  })
}

async function checkSource(source: Side): Promise<void> {
  const { read, at, nowMs, hasLog } = source
  if (hasLog && (await isFilled(source, 'nodes'))) {
    throw new NotCopied(
      '--from is in use: a process that answers from memory is registered. Stop the application; of a process ' +
        'that was killed, delete the row in miftah_nodes',
    )
  }
  const [lease] = await read(
    `SELECT relay, leased_until_ms, ${nowMs} AS now_ms FROM ${at('relay')} LIMIT 1`,
  )
  const row = rowFrom(lease)
  const leftMs = integerIn(row, 'leased_until_ms') - integerIn(row, 'now_ms')
  if (optionalTextIn(row, 'relay') !== null && leftMs > 0) {
    throw new NotCopied(
      `--from is in use: a relay delivers its events. Stop it; of one that was killed, the lease ends in ${leftMs} ms`,
    )
  }
}

async function checkTarget(target: Side): Promise<void> {
  const tables = new Set(TABLES.map(({ name }) => name))
  for (const table of [...tables, ...(target.hasLog ? ['log', 'nodes'] : [])]) {
    if (await isFilled(target, table)) {
      throw new NotCopied(`--to is not empty: it has rows in miftah_${table}`)
    }
  }
}

async function isFilled({ read, at }: Side, table: string): Promise<boolean> {
  return (await read(`SELECT 1 AS one FROM ${at(table)} LIMIT 1`)).length > 0
}

async function copied(source: Side, target: Side): Promise<Counts> {
  const counts: Record<string, number> = {}
  let position = 0
  for (const table of TABLES) {
    let count = 0
    for await (const page of pagesOf(source, table)) {
      const rows =
        table.name === 'events' ? page.map((row) => ({ ...row, position: ++position })) : page
      for (const batch of batchesOf(rows)) await target.insert(table, batch)
      count += page.length
    }
    await checkCount(target, table, count)
    counts[table.name] = (counts[table.name] ?? 0) + count
  }
  if (position > 0) await target.endWith?.(position)
  return counts as Counts
}

async function checkCount(target: Side, table: Table, count: number): Promise<void> {
  const sql = `SELECT COUNT(*) AS number FROM ${target.at(table.name)} ${whereOf(target, table)}`
  const found = integerIn(rowFrom((await target.read(sql))[0]), 'number')
  if (found === count) return
  throw new Error(`miftah_${table.name} has ${found} rows after ${count} were copied`)
}

const PAGE = 200

async function* pagesOf(source: Side, table: Table): AsyncGenerator<readonly Cells[]> {
  const { read, at, beyond = rowsBeyond, hash } = source
  const columns = table.columns.map((name) => (name === 'hash' ? `${hash} AS hash` : name))
  for (let last: Cells | undefined; ; ) {
    const values = table.key.map((column) => last?.[column] ?? null)
    const more = last && beyond(table.key, values)
    const rows = await read(
      `SELECT ${columns.join(', ')} FROM ${at(table.name)} ${whereOf(source, table, more?.text)}
        ORDER BY ${table.key.join(', ')} LIMIT ${PAGE}`,
      more?.values,
    )
    last = rows.at(-1)
    if (last === undefined) return
    yield rows
  }
}

function rowsBeyond(columns: readonly string[], values: readonly SqlValue[]): Sql {
  return new Sql(`(${columns.join(', ')}) > (${columns.map(() => '?').join(', ')})`, values)
}

function whereOf({ where = (text) => text }: Side, table: Table, more?: string): string {
  const all = [table.where && where(table.where), more].filter((one) => one !== undefined)
  return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`
}

/** How long the rows of one statement are, in characters of JSON; a longer row goes alone. */
const LONGEST = 500_000

function* batchesOf(rows: readonly Cells[]): Generator<readonly Cells[]> {
  let batch: Cells[] = []
  let size = 0
  for (const row of rows) {
    const length = JSON.stringify(row).length
    if (batch.length > 0 && size + length > LONGEST) {
      yield batch
      ;[batch, size] = [[], 0]
    }
    batch.push(row)
    size += length
  }
  yield batch
}
