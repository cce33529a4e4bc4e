import { createVersionOne } from '../../support/postgres/version-one.ts'
import { openPool } from '../../support/postgres-database.ts'
import * as current from './postgres-module.ts'
import type { Place } from './storage-module.ts'

export { checkSound, openStorage } from './postgres-module.ts'

/** A database whose schema the first release has created. */
export async function createPlace(): Promise<Place> {
  const place = await current.createPlace()
  const pool = openPool({ connectionString: place.target })
  await createVersionOne(pool)
  await pool.end()
  return place
}
