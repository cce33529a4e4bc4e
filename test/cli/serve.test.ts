import { beforeEach, describe, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { hasServer, databaseForFile as mysqlForFile } from '../support/mysql/server.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import {
  configFile,
  create,
  forward,
  introspect,
  revoke,
  startServe,
  TOKEN,
  TOKEN_OF_1,
} from '../support/serve-process.ts'
import { freshPath, migratedPath } from '../support/sqlite-files.ts'

const postgres = databaseForFile()
const mysql = mysqlForFile()

describe.each([
  ['SQLite', () => freshPath(), true],
  ['PostgreSQL', () => postgres.url, true],
  ['MySQL', () => mysql.url, hasServer],
])('miftah serve on %s', (name, databaseOf, isThere) => {
  test.skipIf(!isThere)('each endpoint, and an end on SIGTERM', async () => {
    const database = databaseOf()
    await miftah(['migrate', '-d', database])
    const { key, secret } = await create(database)
    const served = await startServe(database, await configFile())
    const { own, ofHolders } = served
    const accepted = await forward(own, '/contacts', secret)
    expect([accepted.status, accepted.headers.get('x-api-key-id')]).toEqual([200, key.id])
    expect((await forward(own, '/contacts')).status).toBe(401)
    expect((await forward(own, '/elsewhere', secret)).status).toBe(403)
    expect(await (await introspect(own, secret)).json()).toMatchObject({
      active: true,
      client_id: key.id,
      scope: 'contacts.read',
    })
    const other = await create(database, 'ws_2')
    const basic = `Basic ${Buffer.from(`rs:${TOKEN_OF_1}`).toString('base64')}`
    expect(await (await introspect(own, secret, basic)).json()).toMatchObject({ active: true })
    expect(await (await introspect(own, other.secret, basic)).json()).toEqual({ active: false })
    for (const wrong of ['', 'Bearer x', `Bearer ${TOKEN}x`, 'Basic x', 'Basic JTo6']) {
      expect((await introspect(own, secret, wrong)).status).toBe(401)
    }
    for (const path of ['/health', '/ready']) {
      expect((await fetch(own + path)).status).toBe(200)
    }
    // What is public and what is not have nothing in common.
    for (const path of ['/auth', '/introspect', '/metrics', '/health', '/']) {
      expect((await fetch(ofHolders + path)).status).toBe(404)
    }
    expect((await fetch(`${own}/revoke`)).status).toBe(404)
    expect((await revoke(ofHolders, secret)).status).toBe(200)
    expect((await forward(own, '/contacts', secret)).status).toBe(401)
    expect(await (await introspect(own, secret)).json()).toEqual({ active: false })
    const metrics = await (await fetch(`${own}/metrics`)).text()
    expect(metrics).toContain(
      '# TYPE miftah_authentications_total counter\nmiftah_authentications_total{miftah_outcome="',
    )
    expect(metrics).toContain('miftah_serve_requests_total{path="/auth",status="200"} 1\n')
    expect(metrics.includes('# TYPE miftah_cache_lease gauge\nmiftah_cache_lease 1\n')).toBe(
      name !== 'SQLite',
    )
    expect(metrics).not.toContain(secret)
    expect(await served.stop()).toBe(0)
    expect(served.printed.err).toBe('')
    // The uses were written on the way out.
    const { out } = await miftah(['list', '-d', database, '-w', 'ws_1', '--json'])
    const keys = JSON.parse(out) as { id: string; uses: number }[]
    expect(keys.find(({ id }) => id === key.id)?.uses).toBe(3)
  })
})

describe('a mistake in the config ends it at once with exit code 2, and names the option', () => {
  let database: string
  beforeEach(async () => {
    database = await migratedPath()
  })

  test.each<[string, Readonly<Record<string, string | null>>, RegExp]>([
    [
      'a misspelt option',
      { listn: '7' },
      /: there is no option "listn"; did you mean "listen"\?$/m,
    ],
    ['no entitlements', { entitlements: null }, /must export "entitlements": what the plan/],
    ['no catalogue', { catalogue: null }, /must export "catalogue"/],
    ['no resources', { resources: null }, /must export "resources"/],
    ['no requirement', { requirement: null }, /option "requirement" must be a function/],
    ['no proxy', { proxy: null }, /option "proxy" must be nginx/],
    [
      'nothing to serve',
      { proxy: null, requirement: null, tokenFile: null, listenForRevocations: null },
      /nothing to serve: export "proxy" and "requirement", "tokenFile" or "listenForRevocations"/,
    ],
    ['another proxy', { proxy: "'squid'" }, /"proxy" must be nginx/],
    ['a requirement that is no function', { requirement: '7' }, /"requirement" must be a function/],
    ['an invalid catalogue', { catalogue: '7' }, /"catalogue"/],
    ['a bad brand', { brand: "'A B'" }, /brand/],
    ['an address without a port', { listen: "'127.0.0.1'" }, /"listen" must be HOST:PORT/],
    ['an invalid port', { listen: "'127.0.0.1:70000'" }, /"listen" must be HOST:PORT/],
    [
      'an address of nobody',
      { listen: "'192.0.2.1:0'" },
      /"listen": cannot listen there \(EADDRNOTAVAIL\)/,
    ],
    [
      'another address of nobody',
      { listenForRevocations: "'192.0.2.1:0'" },
      /"listenForRevocations": cannot/,
    ],
    ['no requests', { maxRequests: '0' }, /"maxRequests" must be a whole number from 1/],
    ['no time', { requestTimeoutMs: "'1s'" }, /"requestTimeoutMs" must be a whole number/],
    [
      'no token file there',
      { tokenFile: "'/nowhere/tokens'" },
      /"tokenFile" cannot be read: ENOENT/,
    ],
    ['an empty token file', { tokenFile: "'/dev/null'" }, /"tokenFile" has no token/],
    [
      'a token file of other things',
      { tokenFile: 'import.meta.filename' },
      /Line 1 of the option "tokenFile"/,
    ],
    ['an invalid time to remember', { cacheableMs: '1' }, /"cacheableMs"/],
  ])('%s', async (_, own, message) => {
    const { code, err } = await miftah(['serve', '-d', database, '-c', await configFile(own)])
    expect(err).toMatch(message)
    expect([code, err.split('\n').length]).toEqual([2, 2])
  })

  test('no config, no file, and no tables', async () => {
    const missing = await miftah(['serve', '-d', freshPath(), '-c', await configFile()])
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('existing SQLite file'),
    ])
    expect(await miftah(['serve', '-d', database])).toMatchObject({
      code: 2,
      err: 'miftah: serve needs the option --config.\n',
    })
    await postgres.pool.query('CREATE DATABASE none_here').catch(() => {})
    const bare = new URL(postgres.url)
    bare.pathname = '/none_here'
    const { code, err } = await miftah(['serve', '-d', bare.href, '-c', await configFile()])
    await postgres.pool.query('DROP DATABASE none_here')
    expect(err).toMatch(/^miftah: .*migrate/)
    expect(code).toBe(1)
  })

  test('introspection needs nothing of forward authentication', async () => {
    const { secret } = await create(database)
    const { own } = await startServe(
      database,
      await configFile({ requirement: null, proxy: null, listenForRevocations: null }),
    )
    expect(await (await introspect(own, secret)).json()).toMatchObject({ active: true })
    expect((await forward(own, '/contacts', secret)).status).toBe(404)
  })

  test('without a token file there is no introspection', async () => {
    const { own } = await startServe(database, await configFile({ tokenFile: null }))
    expect((await introspect(own, 'x')).status).toBe(404)
  })
})
