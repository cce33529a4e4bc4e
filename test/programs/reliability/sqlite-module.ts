import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import type { OpenStorage, Place } from './storage-module.ts'

/** A file of its own in the folder for temporary files. */
export async function createPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-sqlite-'))
  return { target: join(folder, 'keys.db'), remove: () => rm(folder, { recursive: true }) }
}

export function openStorage(target: string): OpenStorage {
  return sqliteStorage(target)
}

let freeUntilMs = 0

/** Locks the whole file, but not for half of the time, or nothing would get through. */
export async function lock(target: string) {
  const startMs = performance.now()
  if (startMs < freeUntilMs) return undefined
  const database = new DatabaseSync(target)
  try {
    database.exec('BEGIN IMMEDIATE')
  } catch {
    database.close()
    return undefined
  }
  return async () => {
    database.close()
    freeUntilMs = 2 * performance.now() - startMs
  }
}

/** Makes all keys look as if they had been written two hours ago. */
export async function age(target: string): Promise<void> {
  const database = new DatabaseSync(target)
  try {
    database.exec('PRAGMA busy_timeout = 10000')
    database.exec('UPDATE miftah_keys SET written_at_ms = written_at_ms - 7200000')
  } finally {
    database.close()
  }
}

/** Throws unless SQLite finds the file and its constraints in order. */
export async function checkSound(target: string): Promise<void> {
  const database = new DatabaseSync(target)
  try {
    const rows: unknown[] = database.prepare('PRAGMA integrity_check').all()
    const told = JSON.stringify(rows)
    if (told !== '[{"integrity_check":"ok"}]') throw new Error(`integrity_check: ${told}`)
  } finally {
    database.close()
  }
}
