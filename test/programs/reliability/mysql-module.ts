import mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { OpenStorage, Place } from './storage-module.ts'

/** A database of its own, on the server that the environment names. */
export async function createPlace(): Promise<Place> {
  const url = process.env['MIFTAH_TEST_MYSQL_URL']
  if (!url) throw new Error('MIFTAH_TEST_MYSQL_URL must name a server.')
  const name = `miftah_race_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  await onServer(url, (connection) => connection.query(`CREATE DATABASE ${name}`))
  const remove = async () => {
    await onServer(url, (connection) => connection.query(`DROP DATABASE ${name}`))
  }
  return { target: `${url}/${name}`, remove }
}

async function onServer<T>(url: string, use: (connection: mysql.Connection) => Promise<T>) {
  const connection = await mysql.createConnection(url)
  try {
    return await use(connection)
  } finally {
    await connection.end()
  }
}

/** Calls without a limit: two cores with many processes on them are slow. */
export function openStorage(target: string): OpenStorage {
  const pool = mysql.createPool({ uri: target, connectionLimit: 5 })
  return Object.assign(mysqlStorage(pool), { close: () => pool.end() })
}

const UNSOUND = `
SELECT 'a place after the last one' AS what, k.id FROM miftah_keys AS k
  JOIN miftah_workspaces AS w ON w.id = k.workspace_id WHERE k.place > w.revision
UNION ALL
SELECT 'usage without a key', u.key_id FROM miftah_usage AS u
  WHERE NOT EXISTS (SELECT 1 FROM miftah_keys AS k WHERE k.id = u.key_id)
UNION ALL
SELECT 'an event that was delivered before an earlier one', e.id FROM miftah_events AS e
  JOIN miftah_events AS f ON f.workspace_id = e.workspace_id AND f.place < e.place
    AND f.is_pending = 1
  WHERE e.is_pending = 0`

/** Throws unless the rows agree with each other. */
export async function checkSound(target: string): Promise<void> {
  const [rows] = await onServer(target, (connection) =>
    connection.query<mysql.RowDataPacket[]>(`${UNSOUND} LIMIT 5`),
  )
  if (rows.length > 0) throw new Error(`unsound: ${JSON.stringify(rows)}`)
}
