import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
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
import { migratedPath } from '../support/sqlite-files.ts'

const postgres = databaseForFile()

let database: string
beforeEach(async () => {
  database = await migratedPath()
})

test('on SQLite a revocation is visible in every process when it resolves', async () => {
  const config = await configFile()
  const nodes = [await startServe(database, config), await startServe(database, config)]
  for (const { ofHolders } of nodes) {
    const { secret } = await create(database)
    const statuses = () =>
      Promise.all(nodes.map(async ({ own }) => (await forward(own, '/any', secret)).status))
    expect(await statuses()).toEqual([200, 200])
    expect((await revoke(ofHolders, secret)).status).toBe(200)
    expect(await statuses()).toEqual([401, 401])
  }
})

test('1,000 at once are all answered', async () => {
  const { secret } = await create(database)
  const { own } = await startServe(database, await configFile({ requestTimeoutMs: '600000' }))
  const all = await Promise.all(Array.from({ length: 1_000 }, () => forward(own, '/any', secret)))
  expect([...new Set(all.map(({ status }) => status))]).toEqual([200])
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
  const open = (base: string, path: string) => (_: unknown, at: number) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1')
    socket.on('error', () => {})
    // Half of them never end their headers, half never their body.
    const type = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\nt'
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${at % 2 === 0 ? type : ''}`)
    return socket
  }
  const sockets = [
    ...Array.from({ length: 30 }, open(own, '/introspect')),
    ...Array.from({ length: 30 }, open(ofHolders, '/revoke')),
  ]
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  expect((await forward(own, '/any', secret)).status).toBe(200)
  expect((await introspect(own, secret)).status).toBe(200)
  expect((await revoke(ofHolders, secret)).status).toBe(200)
  const closed = (socket: (typeof sockets)[number]) =>
    socket.closed ? null : once(socket.resume(), 'close')
  await Promise.all(sockets.map(closed))
})

test('a large body is refused, and a connection serves the next request', async () => {
  const { own } = await startServe(database, await configFile())
  const type = 'application/x-www-form-urlencoded'
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type }
  const send = (body: BodyInit) => fetch(`${own}/introspect`, { method: 'POST', headers, body })
  expect((await send(`token=${'a'.repeat(1_000_000)}`)).status).toBe(413)
  expect((await send('token=abc')).status).toBe(200)
})

test('/ready says when the database is away, and /health does not', async () => {
  await miftah(['migrate', '-d', postgres.url])
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
