import { readFileSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import {
  filesIn,
  holdsHashes,
  isCanaryRun,
  keepHashes,
  keepPlace,
  type Rows,
  searchFiles,
} from './keep.ts'

/** Keeps every table of every database in a folder and searches all its files. */
export function keepSqlite(folder: string): void {
  if (!isCanaryRun) return
  const files = filesIn(folder)
  searchFiles(files)
  for (const path of files.filter(isDatabase)) keepUndamaged(path)
}

/** A test may leave a file that SQLite cannot read; its bytes have been searched. */
function keepUndamaged(path: string): void {
  try {
    keepFile(path)
  } catch (error) {
    if (!/malformed|disk I\/O error/.test(String(error))) throw error
  }
}

function isDatabase(path: string): boolean {
  return readFileSync(path, 'latin1').startsWith('SQLite format 3\0')
}

function keepFile(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true })
  const names = "SELECT name FROM sqlite_schema WHERE type = 'table'"
  for (const { name } of rowsOf(database, names)) {
    const rows = rowsOf(database, `SELECT * FROM "${name}"`)
    if (holdsHashes(name)) keepHashes(rows.map(({ hash }) => String(hash)))
    const shown = rows.map((row) => JSON.stringify(holdsHashes(name) ? { ...row, hash: '' } : row))
    keepPlace('tables', `${path}.${name}`, shown.join('\n'))
  }
  database.close()
}

function rowsOf(database: DatabaseSyncInstance, text: string): Rows {
  const statement = database.prepare(text)
  statement.setReadBigInts(true)
  const rows = statement.all() as Rows
  const told = (value: unknown) => (value instanceof Uint8Array ? hexOf(value) : String(value))
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, told(value)])),
  )
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
