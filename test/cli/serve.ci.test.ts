import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { isAvailable } from '../support/available.ts'
import { miftah } from '../support/command-line.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import {
  configFile,
  create,
  forward,
  gatedConfig,
  introspect,
  revoke,
  startServe,
  TOKEN,
} from '../support/serve-process.ts'
import { freshPath } from '../support/sqlite-files.ts'

const postgres = databaseForFile()

describe.each([
  ['SQLite', () => freshPath()],
  ['PostgreSQL', () => postgres.url],
])('miftah serve on %s', (_, databaseOf) => {
  let database: string
  beforeEach(async () => {
    database = databaseOf()
    await miftah(['migrate', '-d', database])
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
    const gate = await gatedConfig({ maxRequests: '2' })
    const { own } = await startServe(database, gate.config)
    const answers: string[] = []
    const requests = Array.from({ length: 6 }, async () => {
      const { status, headers } = await forward(own, '/slow', secret)
      answers.push(`${status} ${headers.get('retry-after')}`)
    })
    await expect.poll(() => answers).toEqual(Array(4).fill('503 1'))
    gate.open()
    await Promise.all(requests)
    expect(answers.slice(4)).toEqual(['200 null', '200 null'])
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
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
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

const hasSystemd = isAvailable(
  'systemd-analyze',
  spawnSync('systemd-analyze', ['--version']).status === 0,
  'apt-get install systemd',
)

test.skipIf(!hasSystemd)('systemd finds no fault in the unit of the guide', () => {
  const [, unit = ''] = /^```ini\n([\s\S]*?)^```/m.exec(readFileSync('docs/serve.md', 'utf8')) ?? []
  const path = join(mkdtempSync(join(tmpdir(), 'miftah-unit-')), 'miftah.service')
  writeFileSync(path, unit.replace('/usr/bin/node', process.execPath))
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path])
  rmSync(dirname(path), { recursive: true })
  expect([status, `${stdout}${stderr}`]).toEqual([0, ''])
})
