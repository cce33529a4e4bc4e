import { beforeEach, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { exchange, RawClient } from '../support/http/raw-client.ts'
import { hasServer, databaseForFile as mysqlForFile } from '../support/mysql/server.ts'
import { databaseForFile, databaseForTest } from '../support/postgres/own-database.ts'
import {
  configFile,
  create,
  forward,
  gatedConfig,
  introspect,
  revoke,
  startServe,
  TOKEN,
  TOKEN_OF_1,
} from '../support/serve-process.ts'
import { freshPath, migratedPath } from '../support/sqlite-files.ts'
import { expectRefused, jsonOf } from './world.ts'

const postgres = databaseForFile()
const mysql = mysqlForFile()

const DATABASES = { SQLite: freshPath, PostgreSQL: () => postgres.url, MySQL: () => mysql.url }

test.for(Object.entries(DATABASES))(
  'on %s: each endpoint, and an end on SIGTERM',
  async ([name, databaseOf], { skip }) => {
    if (name === 'MySQL' && !hasServer) skip()
    const database = databaseOf()
    await miftah(['migrate', '-d', database])
    const { key, secret } = await create(database)
    const served = await startServe(database, await configFile())
    const { own, ofHolders } = served
    const accepted = await forward(own, '/contacts', secret)
    expect([accepted.status, accepted.headers.get('x-api-key-id')]).toEqual([200, key.id])
    expect((await forward(own, '/contacts')).status).toBe(401)
    expect((await forward(own, '/elsewhere', secret)).status).toBe(403)
    const active = { active: true, client_id: key.id, scope: 'contacts.read' }
    expect(await (await introspect(own, secret)).json()).toMatchObject(active)
    const other = await create(database, 'ws_2')
    const basic = `Basic ${Buffer.from(`rs:${TOKEN_OF_1}`).toString('base64')}`
    expect(await (await introspect(own, secret, basic)).json()).toMatchObject(active)
    expect(await (await introspect(own, other.secret, basic)).json()).toEqual({ active: false })
    for (const wrong of ['', 'Bearer x', `Bearer ${TOKEN}x`, 'Basic x', 'Basic JTo6']) {
      expect((await introspect(own, secret, wrong)).status).toBe(401)
    }
    for (const path of ['/health', '/ready']) expect((await fetch(own + path)).status).toBe(200)
    // What is public and what is not have nothing in common.
    for (const path of ['/auth', '/introspect', '/metrics', '/health', '/']) {
      expect((await fetch(ofHolders + path)).status).toBe(404)
    }
    expect((await fetch(`${own}/revoke`)).status).toBe(404)
    expect((await revoke(ofHolders, secret)).status).toBe(200)
    expect((await forward(own, '/contacts', secret)).status).toBe(401)
    expect(await (await introspect(own, secret)).json()).toEqual({ active: false })
    const metrics = await (await fetch(`${own}/metrics`)).text()
    const first = 'miftah_authentications_total{miftah_outcome="accepted"} '
    expect(metrics).toContain(`# TYPE miftah_authentications_total counter\n${first}`)
    expect(metrics).toContain('miftah_serve_requests_total{path="/auth",status="200"} 1\n')
    const lease = '# TYPE miftah_cache_lease gauge\nmiftah_cache_lease 1\n'
    expect(metrics.includes(lease)).toBe(name !== 'SQLite')
    expect(metrics).not.toContain(secret)
    expect(await served.stop()).toBe(0)
    expect(served.printed.err).toBe('')
    // The uses were written on the way out.
    const keys: { id: string; uses: number }[] = await jsonOf('list', '-d', database, '-w', 'ws_1')
    expect(keys.find(({ id }) => id === key.id)?.uses).toBe(3)
  },
)

let database: string
beforeEach(async () => {
  database = await migratedPath()
})

const nothing = { proxy: null, requirement: null, tokenFile: null, listenForRevocations: null }

test.each<[Readonly<Record<string, string | null>>, RegExp]>([
  [{ listn: '7' }, /: there is no option "listn"; did you mean "listen"\?$/m],
  [{ entitlements: null }, /option "entitlements" is required/],
  [{ catalogue: null }, /option "catalogue" is required/],
  [{ resources: null }, /option "resources" is required/],
  [{ requirement: null }, /option "requirement" must be a function/],
  [{ proxy: null }, /option "proxy" must be nginx/],
  [nothing, /Export "proxy", "tokenFile" or "listen/],
  [{ brand: "'A B'" }, /brand/],
  [{ listen: "'127.0.0.1'" }, /"listen" must be HOST:PORT to listen at/],
  [{ listen: "'127.0.0.1:70000'" }, /"listen" must be HOST:PORT to listen at/],
  [{ listen: '8181' }, /"listen" must be HOST:PORT to listen at/],
  [{ listen: "'192.0.2.1:0'" }, /"listen" must .* \(EADDRNOTAVAIL\)/],
  [{ listenForRevocations: "'192.0.2.1:0'" }, /"listenForRevocations" must .* \(EADDRNOTAVAIL\)/],
  [{ maxRequests: '0' }, /"maxRequests" must be a whole number from 1/],
  [{ requestTimeoutMs: "'1s'" }, /"requestTimeoutMs" must be a whole number/],
  [{ tokenFile: "'/none'" }, /: \/none of the option "tokenFile" cannot be read: ENOENT/],
  [{ tokenFile: '{}' }, /"tokenFile" cannot be read/],
  [{ tokenFile: "'/dev/null'" }, /"tokenFile" has no token/],
  [{ tokenFile: 'import.meta.filename' }, /Line 1 of the option "tokenFile"/],
  [{ cacheableMs: '1' }, /"cacheableMs"/],
])('the config %j ends it at once with exit code 2, in one line', async (own, message) => {
  // What it listens to by then, it has printed.
  const { code, err } = await miftah(['serve', '-d', database, '-c', await configFile(own)])
  expect(err).toMatch(message)
  expect([code, err.split('\n').length]).toEqual([2, 2])
})

test('a config is needed, and tables', async () => {
  await expectRefused(['serve', '-d', database], 'serve needs the option --config.')
  const { url: bare } = await databaseForTest()
  const words = ['serve', '-d', bare, '-c', await configFile()]
  await expectRefused(words, /^miftah: .*migrate/, { code: 1 })
})

test('what has no option is not served', async () => {
  const { secret } = await create(database)
  const alone = { requirement: null, proxy: null, listenForRevocations: null }
  const { own } = await startServe(database, await configFile(alone))
  expect(await (await introspect(own, secret)).json()).toMatchObject({ active: true })
  expect((await forward(own, '/contacts', secret)).status).toBe(404)
  const { own: other } = await startServe(database, await configFile({ tokenFile: null }))
  expect((await introspect(other, 'x')).status).toBe(404)
})

const portOf = (base: string) => Number(new URL(base).port)

const REVOCATION = [
  'POST /revoke HTTP/1.1',
  'Host: a.example',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 9',
  '',
  'token=abc',
].join('\r\n')

test('connections that stay open after their request shut no holder out', async () => {
  const { ofHolders } = await startServe(database, await configFile({ maxRequests: '5' }))
  const port = portOf(ofHolders)
  const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(port)))
  for (const client of clients) {
    client.write(REVOCATION)
    expect((await client.read()).status).toBe(200)
  }
  for (let holder = 0; holder < 20; holder += 1) {
    expect((await exchange(port, REVOCATION)).status).toBe(200)
  }
  for (const client of clients) client.destroy()
})

test('the end waits for requests that have arrived whole, and for nothing else', async () => {
  const { secret } = await create(database)
  const gate = await gatedConfig()
  const served = await startServe(database, gate.config)
  const open = async (...texts: readonly string[]) => {
    const client = await RawClient.open(portOf(served.own))
    for (const text of texts) client.write(text)
    return client
  }
  const idle = await open('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  await idle.read()
  const waiting = [
    idle,
    await open(),
    await open('GET /health HTTP/1.1\r\nHost: a\r\n'),
    await open(REVOCATION.replace('/revoke', '/introspect').slice(0, -3)),
  ]
  const slow = forward(served.own, '/slow', secret)
  await expect.poll(gate.hasEntered).toBe(true)
  const ended = served.stop('SIGINT')
  // Where they are cut off together with what is under way, the next lines fail.
  await Promise.all(waiting.map((client) => client.closed()))
  await expect(forward(served.own, '/any', secret)).rejects.toThrow()
  gate.open()
  expect((await slow).status).toBe(200)
  expect(await ended).toBe(0)
})
