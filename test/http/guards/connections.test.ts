import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { exchange, RawClient } from '../../support/http/raw-client.ts'
import { requestText } from '../../support/http/requests.ts'

const unhandled: unknown[] = []
const remember = (error: unknown) => void unhandled.push(error)

beforeAll(() => void process.on('unhandledRejection', remember))
afterAll(() => void process.off('unhandledRejection', remember))
afterEach(() => expect(unhandled).toEqual([]))

describe.each(guardHosts)('a connection to requireKey in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let client: RawClient
  let secret: string

  beforeAll(async () => {
    secret = (await issueKey(backend)).secret
  })
  beforeEach(async () => {
    client = await RawClient.open(host.port)
  })
  afterEach(() => client.destroy())

  const guarded = (token: string, method = 'GET') =>
    requestText('/contacts', [`Authorization: Bearer ${token}`], method)

  test('a bad key is refused during a body that never ends', async () => {
    const body = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    client.write(requestText('/contacts', ['Authorization: Bearer bad', ...body], 'POST'))
    const endless = setInterval(() => client.write('4\r\n[[[[\r\n'), 1)
    const response = await client.read()
    clearInterval(endless)
    expect(response.status).toBe(401)
  })

  test('pipelined requests get their own verdicts, in order', async () => {
    client.write(guarded('bad') + guarded(secret) + requestText('/contacts') + guarded(secret))
    const statuses = []
    for (let count = 0; count < 4; count += 1) statuses.push((await client.read()).status)
    expect(statuses).toEqual([401, 200, 401, 200])
  })

  test('HTTP/1.0 and the absolute form get the same verdicts', async () => {
    const old = `GET /contacts HTTP/1.0\r\nAuthorization: Bearer ${secret}\r\n\r\n`
    expect((await exchange(host.port, old)).status).toBe(200)
    expect((await exchange(host.port, old.replace('Bearer ', 'Bearer x'))).status).toBe(401)
    const absolute = guarded(secret).replace('/contacts', 'http://host.example/contacts')
    expect((await exchange(host.port, absolute)).status).toBe(200)
    expect((await exchange(host.port, absolute.replace('Bearer ', 'Bearer x'))).status).toBe(401)
  })

  test('a client that leaves during the look-up harms nobody', async () => {
    let release = () => {}
    const waiting = new Promise<void>((reached) => {
      backend.beforeLookup = () => {
        reached()
        return new Promise((resolve) => {
          release = resolve
        })
      }
    })
    client.write(guarded(secret))
    await waiting
    client.destroy()
    backend.beforeLookup = async () => {}
    release()
    expect((await exchange(host.port, guarded(secret))).status).toBe(200)
  })
})
