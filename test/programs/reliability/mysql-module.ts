import mysql from 'mysql2/promise'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { OpenStorage, Place } from './storage-module.ts'

const SERVER_URL = process.env['MIFTAH_TEST_MYSQL_URL']

/** The connections that hold locks, by target. */
const lockers = new Map<string, mysql.Pool>()

/** A database of its own, on the server that the environment names. */
export async function createPlace(): Promise<Place> {
  if (!SERVER_URL) throw new Error('MIFTAH_TEST_MYSQL_URL must name a server.')
  const name = `miftah_race_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  await onServer(SERVER_URL, `CREATE DATABASE ${name}`)
  const target = `${SERVER_URL}/${name}`
  const remove = async () => {
    await lockers.get(target)?.end()
    lockers.delete(target)
    await onServer(SERVER_URL, `DROP DATABASE ${name}`)
  }
  return { target, remove }
}

async function onServer(url: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection(url)
  await connection.query(sql)
  await connection.end()
}

const CONNECTIONS = 5

/** Calls without a limit: two cores with many processes on them are slow. */
export function openStorage(target: string): OpenStorage {
  const pool = mysql.createPool({ uri: target, connectionLimit: CONNECTIONS })
  const crowd = (ms: number) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, () => pool.query(`SELECT SLEEP(${ms / 1_000})`)),
    )
  return Object.assign(mysqlStorage(pool), { close: () => pool.end(), crowd })
}

/** Locks the row of a workspace. */
export async function lock(target: string, workspaceId: string) {
  const pool = lockers.get(target) ?? mysql.createPool(target)
  lockers.set(target, pool)
  const connection = await pool.getConnection()
  await connection.query('START TRANSACTION')
  await connection.query('SELECT * FROM miftah_workspaces WHERE id = ? FOR UPDATE', [
    Buffer.from(workspaceId),
  ])
  return async () => {
    await connection.query('ROLLBACK')
    connection.release()
  }
}

/** Makes all keys look as if they had been written two hours ago. */
export async function age(target: string): Promise<void> {
  await onServer(target, 'UPDATE miftah_keys SET written_at_ms = written_at_ms - 7200000')
}

const UNSOUND = `
SELECT 'a key without its event' AS what, k.id FROM miftah_keys AS k WHERE k.replaces IS NULL
  AND NOT EXISTS (SELECT 1 FROM miftah_events AS e
    WHERE e.key_id = k.id AND e.workspace_id = k.workspace_id AND e.place <= k.place)
UNION ALL
SELECT 'a revocation without its event', k.id FROM miftah_keys AS k
  WHERE k.revoked_at_ms IS NOT NULL AND k.retires_at_ms IS NULL
  AND 1 <> (SELECT COUNT(*) FROM miftah_events AS e
    WHERE e.key_id = k.id AND e.type IN ('api_key.revoked', 'api_key.rotated'))
UNION ALL
SELECT 'a place after the last one', k.id FROM miftah_keys AS k
  JOIN miftah_workspaces AS w ON w.id = k.workspace_id WHERE k.place > w.revision
UNION ALL
SELECT 'usage without a key', u.key_id FROM miftah_usage AS u
  WHERE NOT EXISTS (SELECT 1 FROM miftah_keys AS k WHERE k.id = u.key_id)
UNION ALL
SELECT 'an event that was delivered before an earlier one', e.id FROM miftah_events AS e
  JOIN miftah_events AS f ON f.workspace_id = e.workspace_id AND f.place < e.place
    AND f.is_pending = 1
  WHERE e.is_pending = 0`

/** Throws unless the tables are whole and every change has its event. */
export async function checkSound(target: string): Promise<void> {
  const connection = await mysql.createConnection(target)
  try {
    const [tables] = await connection.query<mysql.RowDataPacket[]>('SHOW TABLES')
    const names = tables.flatMap((row) => Object.values(row).map(String))
    const [checks] = await connection.query<mysql.RowDataPacket[]>(
      `CHECK TABLE ${names.join(', ')}`,
    )
    const broken = checks.filter(({ Msg_text: text }) => text !== 'OK')
    const [rows] = await connection.query<mysql.RowDataPacket[]>(`${UNSOUND} LIMIT 5`)
    const found = [...broken, ...rows]
    if (found.length > 0) throw new Error(`unsound: ${JSON.stringify(found)}`)
  } finally {
    await connection.end()
  }
}
