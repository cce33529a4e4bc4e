import { createApiKeys, plans } from 'miftah'
import { mysqlStorage } from 'miftah/mysql'
import mysql from 'mysql2/promise'
import { createPlace } from '../../reliability/mysql-module.ts'
import { floorTable, mysqlTable } from '../floors/mysql-floor.ts'
import { SqlFloor } from '../floors/sql-floor.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { type Measurement, measure } from '../measure/rounds.ts'
import { spreadText } from '../measure/text.ts'
import { concurrentContender } from './concurrent.ts'
import type { Counted } from './contenders.ts'
import { apiKeys, issueKeys, SCOPE, storedUses } from './keys.ts'

const KEYS = 1_000
const CALLERS = [1, 64]
const MIFTAH = 'miftah'
const ONE = 'one prepared SELECT by hash'
const MANY = 'hand-written batching'
const NAMES = [ONE, MANY, MIFTAH]

/** Checks on the server of this machine, beside what one would write by hand, and from the cache. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan = short
    ? { rounds: 7, sliceMs: 100, warmUpMs: 800 }
    : { rounds: 21, sliceMs: 400, warmUpMs: 3_000 }
  const place = await createPlace()
  const pools: mysql.Pool[] = []
  const pool = () => {
    const made = mysql.createPool({ uri: place.target, connectionLimit: 10 })
    pools.push(made)
    return made
  }
  try {
    const keys = apiKeys(mysqlStorage(pool()))
    const headers = (await issueKeys(keys, KEYS)).headers()
    const admin = pool()
    const floors = {
      one: new SqlFloor(mysqlTable(pool(), 'floor_one', 'one')),
      many: new SqlFloor(mysqlTable(pool(), 'floor_many', 'many')),
    }
    for (const name of ['floor_one', 'floor_many']) await admin.query(floorTable(name))
    const totals: Counted[] = []
    const measured = new Map<number, Measurement>()
    for (const callers of CALLERS) {
      log(`${callers} at once`)
      const contenders = [
        concurrentContender(ONE, {
          inputs: headers,
          callers,
          check: async (header) => (await floors.one.authenticate(header, SCOPE)) !== null,
        }),
        concurrentContender(MANY, {
          inputs: headers,
          callers,
          check: async (header) => (await floors.many.authenticate(header, SCOPE)) !== null,
        }),
        concurrentContender(MIFTAH, {
          inputs: headers,
          callers,
          check: async (header) => (await keys.authenticate(header, SCOPE)).ok,
        }),
      ]
      totals.push(...contenders)
      measured.set(callers, await measure(contenders, plan))
    }
    const sum = (name: string) =>
      totals.reduce((all, one) => all + (one.name === name ? one.total : 0), 0)
    if ((await storedUses(keys, KEYS)) !== sum(MIFTAH)) throw new Error('uses of miftah are lost')
    const stored = (await floors.one.stored()) + (await floors.many.stored())
    if (stored !== sum(ONE) + sum(MANY)) throw new Error('uses of a floor are lost')
    log('cache')
    const cached = await statementsFromCache(place.target, headers.all())
    return report(measured, cached)
  } finally {
    await Promise.all(pools.map((one) => one.end()))
    await place.remove()
  }
}

/** How many statements a process with a warm cache sends for one authentication. */
async function statementsFromCache(uri: string, headers: readonly string[]): Promise<number> {
  const pool = mysql.createPool({ uri, connectionLimit: 10 })
  let statements = 0
  const counting = {
    async getConnection() {
      const connection = await pool.getConnection()
      return {
        query: (query: { sql: string }) => {
          statements += 1
          return connection.query(query)
        },
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      }
    },
  }
  const keys = createApiKeys({
    ...{ storage: mysqlStorage(counting), entitlements: () => plans.enterprise, cache: {} },
  })
  const authenticateAll = async () => {
    for (const header of headers) {
      if (!(await keys.authenticate(header, SCOPE)).ok) throw new Error('a key was refused')
    }
  }
  await authenticateAll()
  statements = 0
  await authenticateAll()
  const counted = statements / headers.length
  await keys.close()
  await pool.end()
  return counted
}

function report(measured: ReadonlyMap<number, Measurement>, cached: number): SectionResult {
  const head = ['', ...CALLERS.map((callers) => `${callers} at once`)]
  const speed = (callers: number, name: string) =>
    measured.get(callers)?.ratio(name, MIFTAH).median ?? Number.NaN
  const rows = (
    names: readonly string[],
    cell: (measurement: Measurement, name: string) => string,
  ) => names.map((name) => [name, ...[...measured.values()].map((one) => cell(one, name))])
  return {
    tables: [
      {
        ...{ title: 'MariaDB, 1,000 keys: authentications a second', head },
        rows: rows(NAMES, (one, name) => spreadText(one.rate(name))),
      },
      {
        ...{ title: 'MariaDB: the speed of miftah as a multiple of each other', head },
        rows: rows([ONE, MANY], (one, name) => spreadText(one.ratio(name, MIFTAH))),
        note: 'The server of this machine, with its own settings; both floors and miftah through mysql2.',
      },
    ],
    targets: [
      target('MariaDB, one at a time, times one prepared SELECT', 'at least', {
        ...{ limit: 0.9, value: speed(1, ONE) },
      }),
      target('MariaDB, 64 at once, times hand-written batching', 'at least', {
        ...{ limit: 1, value: speed(64, MANY) },
      }),
      target('MariaDB, statements for one authentication from the cache', 'at most', {
        ...{ limit: 0, value: cached, shown: cached.toFixed(3) },
      }),
    ],
  }
}
