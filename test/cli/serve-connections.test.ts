import { beforeEach, expect, test } from 'vitest'
import { exchange, RawClient } from '../support/http/raw-client.ts'
import { configFile, create, forward, gatedConfig, startServe } from '../support/serve-process.ts'
import { migratedPath } from '../support/sqlite-files.ts'

let database: string
beforeEach(async () => {
  database = await migratedPath()
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
  const port = portOf(served.own)
  const open = async (...texts: readonly string[]) => {
    const client = await RawClient.open(port)
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
