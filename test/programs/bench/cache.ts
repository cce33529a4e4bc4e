import { memoryStorage } from 'miftah/memory'
import { postgresStorage } from 'miftah/postgres'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { apiKeys, asksFor, issueKeys, SCOPE } from './keys.ts'
import { asked, type Bench, measure, planOf, type Table, timeTable } from './measure.ts'
import { POOL, statementsOf, statementTable } from './postgres.ts'

const MEMORY = 'memory storage'
const CACHED = 'PostgreSQL with the cache'
const DIRECT = 'PostgreSQL without it'

/** What the cache saves. */
export async function section(bench: Bench): Promise<readonly Table[]> {
  const server = await startPostgres()
  const database = await testDatabase(server)
  try {
    const memory = apiKeys(memoryStorage())
    const direct = apiKeys(postgresStorage(database.pool(POOL)))
    const pool = database.pool(POOL)
    const counted = statementsOf(pool)
    const cached = apiKeys(postgresStorage(pool), { cache: {} })
    const headers = await issueKeys(direct)
    // From then on every key is in memory.
    for (const header of headers) await cached.authenticate(header, SCOPE)
    const contenders = [
      asked(MEMORY, await issueKeys(memory), asksFor(memory)),
      asked(CACHED, headers, asksFor(cached)),
      asked(DIRECT, headers, asksFor(direct)),
    ]
    const found = await measure(contenders, planOf(bench, 31, 200))
    const statements = await statementTable(
      asked(CACHED, headers, asksFor(cached)),
      100_000,
      counted,
    )
    for (const keys of [memory, direct, cached]) await keys.close()
    return [timeTable('One caller, 1,000 keys', found, [MEMORY, CACHED, DIRECT]), statements]
  } finally {
    await database.close()
    await server.dispose()
  }
}
