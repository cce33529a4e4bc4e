import { createHash } from 'node:crypto'
import { inspect } from 'node:util'
import { DatabaseSync } from '@photostructure/sqlite'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { relayEvents } from '../../../src/events/index.ts'
import { type ApiKeyEvent, createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { GitHub } from '../../support/http/github.ts'
import { Caller, lead } from './calls.ts'
import { hosts } from './hosts.ts'
import { type LifeReport, PLANTS, type Plant } from './report.ts'

/*
 * A process that lives the whole life of some keys over HTTP, on every host, with everything going
 * wrong that can. It logs all it learns, tells its parent what it saw, and waits to be let go.
 * Arguments: a file for SQLite or `memory`, and the leaks to make on purpose, with commas.
 */

const [target = 'memory', planned = ''] = process.argv.slice(2)
const plants = PLANTS.filter((plant) => planned.split(',').includes(plant))
const sqlite = target === 'memory' ? null : sqliteStorage(target)
const state = { outage: false, unknownPlan: false }
const events: ApiKeyEvent[] = []
const errors: unknown[] = []

const storage = failing(sqlite ?? memoryStorage())
const keys = createApiKeys({
  storage,
  entitlements: () => {
    if (state.unknownPlan) throw new Error('billing is down')
    return plans.enterprise
  },
  entitlementsTtlMs: 0,
  onEvent: (event) => {
    events.push(event)
    console.log('event', JSON.stringify(event), event)
    throw new Error('the tap failed')
  },
})

/** A storage that fails while there is an outage. */
function failing(storage: KeyStorage): KeyStorage {
  return new Proxy(storage, {
    get: (_, verb: keyof KeyStorage) => {
      const method = storage[verb] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        if (state.outage) throw new Error(`${verb}: connection refused`)
        return method.apply(storage, args)
      }
    },
  })
}

process.on('unhandledRejection', (error) => console.error('unhandled', error))
process.on('uncaughtException', (error) => console.error('uncaught', error))

const relay = relayEvents({
  storage,
  pollMs: 20,
  deliver: (event) => {
    console.log('delivered', JSON.stringify(event))
    if (Math.random() < 0.2) throw new Error('the sink failed')
  },
  onError: (error) => console.error(error),
})

const callers: Caller[] = []
// One host is enough to find what is planted.
for (const start of Object.values(hosts).slice(0, plants.length > 0 ? 1 : undefined)) {
  const github = new GitHub('key-1')
  const host = await start(keys, github)
  const caller = new Caller(host.port)
  callers.push(caller)
  errors.push(...(await lead({ keys, caller, github, state })))
  await host.close()
}
await keys.flush()
await relay.stop()

const secrets = callers.flatMap((caller) => caller.secrets)
const [secret = ''] = secrets
const answers = callers.flatMap((caller) => caller.answers)
const found: object | null = await keys.findKeyBySecret(secret)
if (plants.includes('event')) events.push({ ...events[0], prefix: secret } as never)
if (plants.includes('error'))
  errors.push(new Error('refused', { cause: { key: secret.slice(12, 40) } }))
const shown = Object.fromEntries(
  Object.entries({
    events,
    errors,
    keys,
    list: await keys.listKeys({ workspaceId: 'ws_1' }),
    log: await keys.listEvents({ workspaceId: 'ws_1' }),
    found: plants.includes('object') ? { ...found, secret } : found,
    storage: sqlite,
  }).flatMap(([name, value]) => [
    [`${name} as JSON`, JSON.stringify(value) ?? ''],
    [`${name} inspected`, inspect(value, { depth: 20, showHidden: true, maxArrayLength: null })],
  ]),
)
for (const error of errors) console.error(error)

const report: LifeReport = { secrets, answers, shown }
process.send?.(plants.reduce(planted, report))
process.once('message', async () => {
  await keys.close()
  await sqlite?.close()
  process.disconnect()
})

function planted(clean: LifeReport, leak: Plant): LifeReport {
  const [answer, ...others] = clean.answers
  if (answer === undefined) throw new Error('no answer')
  switch (leak) {
    case 'stdout':
      console.log(`debug: ${secret}`)
      return clean
    case 'stderr':
      console.error(new Error(`refused: ${secret.slice(-30)}`))
      return clean
    case 'base64':
      console.log(Buffer.from(`user:${secret}`).toString('base64'))
      return clean
    case 'hash':
      console.log(createHash('sha256').update(secret).digest())
      return clean
    case 'body':
      return { ...clean, answers: [{ ...answer, mayHold: 'nothing', body: secret }, ...others] }
    case 'header':
      return { ...clean, answers: [{ ...answer, headers: `location: /?k=${secret}` }, ...others] }
    case 'database':
      plantRow()
      return clean
    default:
      // Planted before it was shown.
      return clean
  }
}

function plantRow(): void {
  const database = new DatabaseSync(target)
  database.exec('CREATE TABLE notes (note TEXT)')
  database.prepare('INSERT INTO notes VALUES (?)').run(`key ${secret}`)
  database.close()
}
