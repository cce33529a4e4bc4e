import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { postgresSchema } from '../../../adapters/storage/postgres.ts'
import type { FileDatabase } from './own-database.ts'

const suffix = Math.random().toString(36).slice(2, 10)
const ROLES = { runtimeRole: `miftah_run_${suffix}`, erasureRole: `miftah_erase_${suffix}` }
type Role = keyof typeof ROLES

/** Schemas whose printed grants two roles of the tests of a file have, and a pool of each role. */
export function rolesForFile(db: FileDatabase, ...schemas: readonly string[]) {
  const pools: Partial<Record<Role, pg.Pool>> = {}
  beforeAll(async () => {
    for (const role of Object.values(ROLES)) await db.pool.query(`CREATE ROLE "${role}" LOGIN`)
    for (const schema of schemas) await db.pool.query(postgresSchema({ schema, ...ROLES }))
  })
  afterAll(async () => {
    for (const role of Object.values(ROLES))
      await db.pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`)
  })
  return (role: Role) => (pools[role] ??= db.openPool({ user: ROLES[role] }))
}

/** What the role that serves requests is told when it deletes keys or events. */
export const MAY_NOT_DELETE = /permission denied for table miftah_(keys|events)$/
