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

/** Throws unless SQLite finds the file and its constraints in order. */
export async function checkSound(target: string): Promise<void> {
  const database = new DatabaseSync(target)
  const told = JSON.stringify(database.prepare('PRAGMA integrity_check').all())
  database.close()
  if (told !== '[{"integrity_check":"ok"}]') throw new Error(`integrity_check: ${told}`)
}
