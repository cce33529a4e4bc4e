import { integerIn, optionalTextIn, rowFrom, type SqlRow } from '../sql/cells.ts'
import { NotCopied, type OnSide, type Row, type Side, TABLES, type Table } from './tables.ts'

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
  const { run, at, nowMs, hasLog } = source
  if (hasLog && (await isFilled(source, 'nodes'))) {
    throw new NotCopied(
      '--from is in use: a process that answers from memory is registered. Stop the application; of a process ' +
        'that was killed, delete the row in miftah_nodes',
    )
  }
  const [lease] = await run(
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

async function isFilled({ run, at }: Side, table: string): Promise<boolean> {
  return (await run(`SELECT 1 AS one FROM ${at(table)} LIMIT 1`)).length > 0
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
  const found = integerIn(rowFrom((await target.run(sql))[0]), 'number')
  if (found === count) return
  throw new Error(`miftah_${table.name} has ${found} rows after ${count} were copied`)
}

const PAGE = 200

async function* pagesOf(source: Side, table: Table): AsyncGenerator<readonly Row[]> {
  const { run, at, beyond, read = (column) => column } = source
  const columns = Object.entries(table.columns)
  const selected = columns.map(([name, kind]) => {
    const text = read(name, kind)
    return text === name ? name : `${text} AS ${name}`
  })
  for (let last: Row | null = null; ; ) {
    const more = last && beyond(table.key, cellsOf(last, table.key))
    const page = await run(
      `SELECT ${selected.join(', ')} FROM ${at(table.name)} ${whereOf(source, table, more?.text)}
        ORDER BY ${table.key.join(', ')} LIMIT ${PAGE}`,
      more?.values,
    )
    const rows = page.map((row) => rowOf(row, table))
    last = rows.at(-1) ?? null
    if (last === null) return
    yield rows
  }
}

function cellsOf(row: Row, columns: readonly string[]) {
  return columns.map((column) => row[column] ?? null)
}

function whereOf({ where = (text) => text }: Side, table: Table, more?: string): string {
  const all = [table.where && where(table.where), more].filter((one) => one !== undefined)
  return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`
}

/** Drivers answer large numbers as texts or as bigints. */
function rowOf(row: SqlRow, { columns }: Table): Row {
  const isNumber = (kind: string) => kind === 'number' || kind === 'flag'
  const cells = Object.entries(columns).map(([name, kind]) => {
    if (row[name] === null) return [name, null]
    return [name, isNumber(kind) ? integerIn(row, name) : optionalTextIn(row, name)]
  })
  return Object.fromEntries(cells)
}

/** How long the rows of one statement are, in characters of JSON; a longer row goes alone. */
const LONGEST = 500_000

function* batchesOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let batch: Row[] = []
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
