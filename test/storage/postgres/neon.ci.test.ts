import { neon, neonConfig, Pool } from '@neondatabase/serverless'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleRevocation } from '../../../adapters/storage/testing/samples.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { inserted } from '../../support/inserted.ts'
import { type NeonProxy, openNeonProxy } from '../../support/neon-proxy.ts'
import { contractOn } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { asked } from '../../support/runs.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { action, keyInput, rejection } from '../../support/world.ts'

/*
 * Neon's own driver, on a PostgreSQL of this machine. Its connections over WebSocket are carried as Neon
 * carries them; the endpoint of its HTTP function is rebuilt from what the driver sends and reads.
 */

const db = databaseForFile()
let network: TcpProxy
let proxy: NeonProxy
let shared: Pool
let schemas = 0

const before = { ...neonConfig }

beforeAll(async () => {
  const { hostname, port } = new URL(db.url)
  network = await openTcpProxy(hostname, Number(port))
  proxy = await openNeonProxy('127.0.0.1', network.port)
  Object.assign(neonConfig, {
    webSocketConstructor: WebSocket,
    wsProxy: () => proxy.host,
    fetchEndpoint: () => proxy.endpoint,
    useSecureWebSocket: false,
    // Only servers that ask for a password in clear text can be told it before they ask.
    pipelineConnect: false,
  })
  shared = new Pool({ connectionString: db.url })
  shared.on('error', () => undefined)
})

afterAll(async () => {
  await shared.end()
  Object.assign(neonConfig, before)
  await proxy.close()
  await network.close()
})

function overHttp(): PostgresPool {
  const sql = neon(db.url)
  return { query: async (text, values) => ({ rows: await sql.query(text, values) }) }
}

/** Fails the next request of the HTTP function that contains the text, once it has been answered. */
function loseAnswerTo(text: string): void {
  const lose: typeof fetch = async (to, request) => {
    const response = await fetch(to, request)
    if (!String(request?.body).includes(text)) return response
    neonConfig.fetchFunction = undefined
    throw new TypeError('fetch failed')
  }
  neonConfig.fetchFunction = lose
}

/** A storage with a schema of its own. */
function storageOn(pool: PostgresPool) {
  schemas += 1
  return postgresStorage(pool, { schema: `neon_${schemas}` })
}

describe("the storage contract on Neon's Pool", () => {
  const cases = contractOn('pool', { admin: () => shared })
  for (const { name, run } of cases) test(name, run)
})

describe("Neon's Pool", () => {
  test('listens for changes, also after its connection was cut', async () => {
    const storage = storageOn(shared)
    await storage.migrate()
    const hints: number[] = []
    const stop = storage.changes?.listen?.(() => hints.push(performance.now()))
    onTestFinished(() => stop?.())
    const arrived = (count: number) => expect.poll(() => hints.length).toBe(count)
    await arrived(1)
    await storage.changes?.wake?.()
    await arrived(2)
    network.cutAll()
    await arrived(3)
  })
})

describe("the storage contract on Neon's HTTP function", () => {
  const cases = contractOn('http', { admin: () => shared, pool: overHttp })
  for (const { name, run } of asked(cases)) test(name, run)
})

describe("Neon's HTTP function", () => {
  test('loses the answer to a revocation, which is open then', async () => {
    const storage = storageOn(overHttp())
    const record = await inserted(storage)
    loseAnswerTo(record.id)
    const error = await rejection(storage.write([sampleRevocation({ record, edition: 1 })]))
    expect(error).toMatchObject({ code: 'outcome_unknown' })
    expect(await storage.findByHash(record.hash)).toMatchObject({ revokedAtMs: expect.any(Number) })
  })

  test('is enough for strict revocation', async () => {
    const options = { entitlements: () => plans.business, cache: { leaseMs: 6_000 } }
    const openNode = () => {
      const storage = postgresStorage(overHttp(), { schema: 'nodes' })
      const keys = createApiKeys({ storage, ...options })
      onTestFinished(() => keys.close())
      return keys
    }
    const [here, there] = [openNode(), openNode()]
    const { key, secret } = await here.createKey(keyInput())
    const ask = () => there.authenticate(`Bearer ${secret}`, null)
    await expect.poll(async () => (await ask()).ok && there.stats().cache?.hits).toBeGreaterThan(1)
    await here.revokeKey(action(key.id))
    expect(await ask()).toMatchObject({ ok: false, reason: 'revoked' })
  })

  test('has no connection on which to listen', () => {
    expect(storageOn(overHttp()).changes).not.toHaveProperty('listen')
  })
})
