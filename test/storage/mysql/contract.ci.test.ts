import { afterAll, beforeAll, describe, test } from 'vitest'
import { mysqlSchema } from '../../../adapters/storage/mysql.ts'
import { contractOn } from '../../support/mysql/contract.ts'
import { hasServer, tablesForFile } from '../../support/mysql/server.ts'

const db = tablesForFile()
const [RUNTIME, ERASURE] = ['run', 'erase'].map((role) => `${db.name.slice(-16)}_${role}`) as [
  string,
  string,
]

beforeAll(async () => {
  if (!hasServer) return
  for (const user of [RUNTIME, ERASURE]) await db.pool.query(`CREATE USER '${user}'@'%'`)
  const grants = mysqlSchema({ runtimeUser: RUNTIME, erasureUser: ERASURE })
  for (const grant of grants.match(/^GRANT .*$/gm) ?? []) await db.pool.query(grant)
})
afterAll(async () => {
  if (!hasServer) return
  for (const user of [RUNTIME, ERASURE]) await db.pool.query(`DROP USER '${user}'@'%'`)
})

describe.skipIf(!hasServer).each(['READ COMMITTED', 'SERIALIZABLE'])(
  'the storage contract on MySQL at %s',
  (level) => {
    const setting = `SET SESSION TRANSACTION ISOLATION LEVEL ${level}`
    for (const { name, run } of contractOn(db, () => ({}), setting)) test(name, run)
  },
)

describe.skipIf(!hasServer)('the storage contract on MySQL for a user', () => {
  // Who may not delete keys has no erasure and no purge.
  for (const { name, run } of contractOn(db, () => ({ user: RUNTIME }))) {
    if (!/erasure|purge|delet/.test(name)) test(`that serves: ${name}`, run)
  }
  for (const { name, run } of contractOn(db, () => ({ user: ERASURE }))) {
    test(`that erases: ${name}`, run)
  }
})
