import { inspect } from 'node:util'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { relayEvents } from '../../../src/events/index.ts'
import { type ApiKeyEvent, createApiKeys, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { Caller, lead } from './calls.ts'
import { NAMES, startHosts } from './hosts.ts'
import type { LifeReport } from './report.ts'

/*
 * A process that lives the whole life of some keys over HTTP, on every host, with everything going
 * wrong that can. It logs all it learns, tells its parent what it saw, and waits to be let go.
 * Argument: a file for SQLite or `memory`.
 */

const [, , target = 'memory'] = process.argv
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
  onAuthentication: (answer) => console.log('called by', JSON.stringify(answer), answer),
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

let deliveries = 0
const relay = relayEvents({
  storage,
  pollMs: 20,
  deliver: (event) => {
    console.log('delivered', JSON.stringify(event))
    if (++deliveries % 5 === 0) throw new Error('the sink failed')
  },
  onError: (error) => console.error(error),
})

const callers: Caller[] = []
for (const name of NAMES) {
  const host = await startHosts(name, keys)
  const caller = new Caller(host.portOf)
  callers.push(caller)
  errors.push(...(await lead({ keys, caller, state })))
  await host.close()
}
await keys.flush()
await relay.stop()

const secrets = callers.flatMap((caller) => caller.secrets)
const answers = callers.flatMap((caller) => caller.answers)
const shown = Object.fromEntries(
  Object.entries({
    events,
    errors,
    keys,
    list: await keys.listKeys({ workspaceId: 'ws_1' }),
    log: await keys.listEvents({ workspaceId: 'ws_1' }),
    found: await keys.findKeyBySecret(secrets[0] ?? ''),
    storage: sqlite,
  }).flatMap(([name, value]) => [
    [`${name} as JSON`, JSON.stringify(value) ?? ''],
    [`${name} inspected`, inspect(value, { depth: 20, showHidden: true, maxArrayLength: null })],
  ]),
)
for (const error of errors) console.error(error)

const report: LifeReport = { secrets, answers, shown }
process.send?.(report)
process.once('message', async () => {
  await keys.close()
  await sqlite?.close()
  process.disconnect()
})
