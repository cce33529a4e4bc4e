import { type Bench, type SectionResult, target } from '../measure/result.ts'
import { measure, type Plan } from '../measure/rounds.ts'
import { figure, timeTable } from '../measure/text.ts'
import { concurrentContender } from './concurrent.ts'
import { countingServer, Database, fillDatabase } from './postgres-world.ts'

/** What a growing table costs, one caller at a time and 64 at once. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 7, sliceMs: 100, warmUpMs: 800 }
    : { rounds: 21, sliceMs: 400, warmUpMs: 3_000 }
  const sizes = short ? [1_000, 100_000] : [1_000, 100_000, 1_000_000]
  const server = await countingServer()
  const databases: Database[] = []
  const contenders = []
  for (const size of sizes) {
    log(`${size} keys`)
    const database = new Database(server.url(await server.createDatabase()))
    databases.push(database)
    const world = await fillDatabase(database, {
      size,
      real: Math.min(size, short ? 1_000 : 5_000),
    })
    for (const callers of [1, 64]) {
      const options = { inputs: world.headers, check: world.check.miftah, callers }
      contenders.push(concurrentContender(nameOf(size, callers), options))
    }
  }
  const measurement = await measure(contenders, plan)
  await Promise.all(databases.map((database) => database.close()))
  await server.dispose()
  const [small = 0, large = 0] = [sizes[0], sizes.at(-1)]
  return {
    tables: [1, 64].map((callers) =>
      timeTable(
        `PostgreSQL by number of keys, ${callers} at once`,
        measurement,
        sizes.map((size) => nameOf(size, callers)),
      ),
    ),
    targets: [1, 64].map((callers) =>
      target(
        `PostgreSQL, ${callers} at once, ${figure(large)} keys, times ${figure(small)}`,
        'at most',
        {
          limit: 1.5,
          value: measurement.ratio(nameOf(large, callers), nameOf(small, callers)).median,
        },
      ),
    ),
  }
}

const nameOf = (size: number, callers: number) => `${figure(size)} keys, ${callers} at once`
