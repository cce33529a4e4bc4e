import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { exchange, RawClient } from '../support/http/raw-client.ts'
import { configFile, create, forward, startServe } from '../support/serve-process.ts'
import { freshPath, migratedPath } from '../support/sqlite-files.ts'

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
  const gate = `${freshPath()}.gate`
  onTestFinished(() => rmSync(gate, { force: true }))
  const { secret } = await create(database)
  const config = await configFile({
    requirement: `async (_method, path) => {
      const { existsSync, writeFileSync } = await import('node:fs')
      const gate = ${JSON.stringify(gate)}
      if (path === '/slow') writeFileSync(gate + '.entered', '')
      while (path === '/slow' && !existsSync(gate)) await new Promise((done) => setTimeout(done, 5))
      return null
    }`,
  })
  const served = await startServe(database, config)
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
  await expect.poll(() => existsSync(`${gate}.entered`)).toBe(true)
  const ended = served.stop()
  // Where they are cut off together with what is under way, the next lines fail.
  await Promise.all(waiting.map((client) => client.closed()))
  writeFileSync(gate, '')
  expect((await slow).status).toBe(200)
  expect(await ended).toBe(0)
})
