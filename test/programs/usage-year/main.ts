import { parseArgs } from 'node:util'
import { measureYear } from './measure.ts'
import { postgresYear } from './postgres.ts'
import { sqliteYear } from './sqlite.ts'

// Fills a year of usage and measures it: tsx test/programs/usage-year/main.ts [--keys 10000] [--only sqlite]

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '10000' }, only: { type: 'string' } },
})
const keys = Number(values.keys)
const worlds = { sqlite: sqliteYear, postgres: postgresYear }

for (const [name, open] of Object.entries(worlds)) {
  if (values.only !== undefined && values.only !== name) continue
  const world = await open()
  try {
    console.log(JSON.stringify(await measureYear(world, keys)))
  } finally {
    await world.close()
  }
}
