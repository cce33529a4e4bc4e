import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { miftah } from '../support/command-line.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import {
  configFile,
  forward,
  introspect,
  revoke,
  startServe,
  TOKEN,
  TOKEN_OF_1,
} from '../support/serve-process.ts'
import { freshPath } from '../support/sqlite-files.ts'

const postgres = databaseForFile()

async function create(database: string, workspace = 'ws_1') {
  const words = ['create', '-d', database, '-w', workspace, '-n', 'x', '-e', 'live', '--json']
  const { out } = await miftah([...words, '-s', 'contacts.read'])
  return JSON.parse(out) as { key: { id: string }; secret: string }
}

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

describe.each([
  ['SQLite', () => freshPath()],
  ['PostgreSQL', () => postgres.url],
])('miftah serve on %s', (name, databaseOf) => {
  let database: string
  beforeEach(async () => {
    database = databaseOf()
    await miftah(['migrate', '-d', database])
  })

  test('each endpoint, and an end on SIGTERM', async () => {
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
    expect(metrics).toContain('miftah_authentications_total{miftah_outcome="accepted"}')
    expect(metrics).toMatch(
      /^miftah_call_duration_bucket\{miftah_operation="findByHash",le="\+Inf"\} \d+$/m,
    )
    expect(metrics).toContain('miftah_serve_requests_total{path="/auth",status="200"} 1\n')
    expect(metrics.includes('miftah_cache_lease 1\n')).toBe(name === 'PostgreSQL')
    expect(metrics).not.toContain(secret)
    expect(await served.stop()).toBe(0)
    expect(served.printed.err).toBe('')
    // The uses were written on the way out.
    const { out } = await miftah(['list', '-d', database, '-w', 'ws_1', '--json'])
    const keys = JSON.parse(out) as { id: string; uses: number }[]
    expect(keys.find(({ id }) => id === key.id)?.uses).toBe(3)
  })

  test('a request that is under way is answered before the process ends', async () => {
    const { secret } = await create(database)
    const served = await startServe(database, await configFile())
    const slow = forward(served.own, '/slow', secret)
    await wait(200)
    const ended = served.stop('SIGINT')
    await wait(100)
    await expect(forward(served.own, '/any', secret)).rejects.toThrow()
    expect((await slow).status).toBe(200)
    expect(await ended).toBe(0)
  })

  test('a revocation is visible in every process when it resolves', async () => {
    const config = await configFile()
    const nodes = [await startServe(database, config), await startServe(database, config)]
    for (let round = 0; round < 15; round += 1) {
      const { secret } = await create(database)
      for (const { own } of nodes) expect((await forward(own, '/any', secret)).status).toBe(200)
      const [node] = round % 2 === 0 ? nodes : nodes.toReversed()
      expect((await revoke(node?.ofHolders ?? '', secret)).status).toBe(200)
      const after = nodes.map(async ({ own }) => (await forward(own, '/any', secret)).status)
      expect(await Promise.all(after)).toEqual([401, 401])
    }
    for (const node of nodes) expect(await node.stop()).toBe(0)
  })
})

describe('miftah serve', () => {
  let database: string
  beforeEach(async () => {
    database = freshPath()
    await miftah(['migrate', '-d', database])
  })

  test('1,000 at once are all answered', async () => {
    const { secret } = await create(database)
    const { own } = await startServe(database, await configFile())
    const all = await Promise.all(Array.from({ length: 1_000 }, () => forward(own, '/any', secret)))
    const statuses = new Set(all.map(({ status }) => status))
    expect([...statuses]).toEqual([200])
  })

  test('beyond its limit: 503 with Retry-After', async () => {
    const { secret } = await create(database)
    const { own } = await startServe(database, await configFile({ maxRequests: '2' }))
    const all = await Promise.all(Array.from({ length: 6 }, () => forward(own, '/slow', secret)))
    const counted = all.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`)
    expect(counted.filter((text) => text === '200 null')).toHaveLength(2)
    expect(counted.filter((text) => text === '503 1')).toHaveLength(4)
    expect((await forward(own, '/any', secret)).status).toBe(200)
  })

  test('slow clients hold nothing: they are cut off, and others are answered meanwhile', async () => {
    const { secret } = await create(database)
    const config = await configFile({ maxRequests: '20', requestTimeoutMs: '1500' })
    const { own, ofHolders } = await startServe(database, config)
    const sockets = [own, ofHolders].flatMap((base) =>
      Array.from({ length: 30 }, (_, at) => {
        const socket = connect(Number(new URL(base).port), '127.0.0.1')
        socket.on('error', () => {})
        const path = base === own ? '/introspect' : '/revoke'
        // Half of them never end their headers, half never their body.
        socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n`)
        if (at % 2 === 0) {
          socket.write(
            'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\nt',
          )
        }
        return socket
      }),
    )
    await wait(300)
    expect((await forward(own, '/any', secret)).status).toBe(200)
    expect((await introspect(own, secret)).status).toBe(200)
    expect((await revoke(ofHolders, secret)).status).toBe(200)
    await Promise.all(
      sockets.map((socket) => (socket.closed ? null : once(socket.resume(), 'close'))),
    )
  })

  test('a large body is refused, and a connection serves the next request', async () => {
    const { own } = await startServe(database, await configFile())
    const send = (body: BodyInit) =>
      fetch(`${own}/introspect`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body,
      })
    expect((await send(`token=${'a'.repeat(1_000_000)}`)).status).toBe(413)
    expect((await send('token=abc')).status).toBe(200)
  })

  test('/ready says when the database is away, and /health does not', async () => {
    const { own } = await startServe(postgres.url, await configFile())
    expect((await fetch(`${own}/ready`)).status).toBe(200)
    await postgres.pool.query('ALTER SCHEMA miftah RENAME TO away')
    try {
      expect((await fetch(`${own}/ready`)).status).toBe(503)
      expect((await fetch(`${own}/health`)).status).toBe(200)
    } finally {
      await postgres.pool.query('ALTER SCHEMA away RENAME TO miftah')
    }
  })
})

describe('a mistake in the config ends it at once with exit code 2, and names the option', () => {
  test.each<[string, Readonly<Record<string, string | null>>, RegExp]>([
    ['no entitlements', { entitlements: null }, /must export "entitlements": what the plan/],
    ['no catalogue', { catalogue: null }, /must export "catalogue"/],
    ['no resources', { resources: null }, /must export "resources"/],
    ['no requirement', { requirement: null }, /must export "requirement"/],
    ['no proxy', { proxy: null }, /must export "proxy"/],
    ['another proxy', { proxy: "'squid'" }, /"proxy" must be nginx/],
    ['a requirement that is no function', { requirement: '7' }, /"requirement" must be a function/],
    ['a catalogue that is none', { catalogue: '7' }, /"catalogue"/],
    ['a bad brand', { brand: "'A B'" }, /brand/],
    ['an address without a port', { listen: "'127.0.0.1'" }, /"listen" must be HOST:PORT/],
    ['a port that is none', { listen: "'127.0.0.1:70000'" }, /"listen" must be HOST:PORT/],
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
    ['a time to remember that is none', { cacheableMs: '1' }, /"cacheableMs"/],
  ])('%s', async (_, own, message) => {
    const database = freshPath()
    await miftah(['migrate', '-d', database])
    const { code, err } = await miftah(['serve', '-d', database, '-c', await configFile(own)])
    expect(err).toMatch(message)
    expect([code, err.split('\n').length]).toEqual([2, 2])
  })

  test('no config, no file, and no tables', async () => {
    const database = freshPath()
    const missing = await miftah(['serve', '-d', database, '-c', await configFile()])
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

  test('without a token file there is no introspection', async () => {
    const database = freshPath()
    await miftah(['migrate', '-d', database])
    const { own } = await startServe(database, await configFile({ tokenFile: null }))
    expect((await introspect(own, 'x')).status).toBe(404)
  })
})
