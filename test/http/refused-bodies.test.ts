import { connect } from 'node:http2'
import { PassThrough } from 'node:stream'
import express from 'express'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { manageKeys as inExpress } from '../../adapters/http/express.ts'
import { manageKeys } from '../../adapters/http/fastify.ts'
import { managementHosts } from '../support/http/every-host.ts'
import { listen, listenFastify } from '../support/http/guard-hosts.ts'
import { hostForAll, served } from '../support/http/host-for.ts'
import { testKeys } from '../support/http/keys.ts'
import { BASE, JSON_TYPE } from '../support/http/management-call.ts'
import { headerOf, RawClient } from '../support/http/raw-client.ts'

/*
 * What becomes of a connection whose body was refused. On the fetch hosts the server of the runtime
 * decides that, so they are not here.
 */

const CHUNKED = 'Transfer-Encoding: chunked'
const PATIENCE_MS = 10_000

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const CHUNK = chunk(' '.repeat(16_384))

const ofNode = ({ name, parsesFirst }: { readonly name: string; readonly parsesFirst: boolean }) =>
  !parsesFirst && !/fetch|hono/.test(name)

let client: RawClient
afterEach(() => {
  vi.useRealTimers()
  client?.destroy()
})

/** Sends the head of a request and, one after the other, the pieces of its body. */
async function send(line: string, headers: readonly string[], pieces: readonly string[] = []) {
  client.write([`${line} HTTP/1.1`, 'Host: h', ...headers, '', ''].join('\r\n'))
  for (const piece of pieces) {
    client.write(piece)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Whether a further request on the connection is answered. */
async function isAlive(line: string, status: number) {
  await send(line, [])
  const response = await client.read()
  expect(headerOf(response, 'connection')).not.toContain('close')
  expect(response.status).toBe(status)
}

/** Uploads until the connection is closed by the other end. */
async function uploadForEver() {
  const endless = setInterval(() => client.write(CHUNK), 1)
  onTestFinished(() => clearInterval(endless))
  const { status } = await client.read()
  let isOpen = true
  const closed = client.closed().then(() => {
    isOpen = false
  })
  await new Promise(setImmediate)
  const wasOpen = isOpen
  await runOutOfPatience(closed)
  return { status, wasOpen }
}

/**
 * Advances the clock by the server's patience, once its timer runs: the client may read the answer
 * before that.
 */
async function runOutOfPatience(closed: Promise<unknown>) {
  let isClosed = false
  closed.then(() => {
    isClosed = true
  })
  while (vi.getTimerCount() === 0) await new Promise(setImmediate)
  vi.advanceTimersByTime(PATIENCE_MS - 1)
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  vi.advanceTimersByTime(1)
  await closed
}

describe.each(managementHosts.filter(ofNode))('a refused body in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  beforeEach(async () => {
    client = await RawClient.open(host.port)
  })

  const NOURA = 'Cookie: session=noura'
  const KEY = `${BASE}/keys/key_000000000000000000000`

  const CHUNKS = Array<string>(8).fill(CHUNK)
  const SPACES = ' '.repeat(49_999)

  test.each<[string, string, string[], string[], string, number]>([
    ['128 KiB in chunks', 'POST', [NOURA, CHUNKED], CHUNKS, chunk(''), 413],
    [
      'a first packet that is not UTF-8',
      'POST',
      [NOURA, 'Content-Length: 60000'],
      [`\xff${SPACES}`],
      ' '.repeat(10_000),
      400,
    ],
    ['an update without a session', 'PATCH', [CHUNKED], CHUNKS, chunk(''), 401],
    ['a body nobody reads', 'POST', [CHUNKED], [CHUNK], chunk(''), 401],
  ])('%s: the connection lives on', async (_, method, headers, pieces, end, status) => {
    const target = method === 'POST' ? `${BASE}/keys` : KEY
    await send(`${method} ${target}`, [JSON_TYPE, ...headers], pieces)
    expect((await client.read()).status).toBe(status)
    client.write(end)
    await isAlive(`GET ${BASE}/keys`, 401)
  })

  test.each<[string[], number]>([
    [[NOURA], 413],
    [[], 401],
  ])('an upload that never ends, with %j, is cut off after the answer', async (cookies, status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await send(`POST ${BASE}/keys`, [...cookies, JSON_TYPE, CHUNKED])
    expect(await uploadForEver()).toEqual({ status, wasOpen: true })
  })

  test('an update without a session is refused before its body comes', async () => {
    await send(`PATCH ${KEY}`, [JSON_TYPE, 'Content-Length: 60000'])
    expect((await client.read()).status).toBe(401)
  })

  test('a body that was read in full leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await send(`POST ${BASE}/keys`, [NOURA, JSON_TYPE, 'Content-Length: 2'])
    client.write('{}')
    expect((await client.read()).status).toBe(422)
    await isAlive(`GET ${BASE}/keys`, 401)
    vi.advanceTimersByTime(PATIENCE_MS)
    await isAlive(`GET ${BASE}/keys`, 401)
  })
})

const context = () => ({ workspaceId: 'ws_1', user: { id: 'u_1', name: 'نورة' } })

describe('a refused body in express, behind middleware that changes the request', () => {
  /** A request that never ends, after the answer. */
  async function refuseSlowly(properties: object) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const app = express().use((req, _res, next) => {
      Object.defineProperties(req, Object.getOwnPropertyDescriptors(properties))
      next()
    })
    app.use(BASE, inExpress(testKeys().keys, { context: () => null }))
    client = await RawClient.open(await served(listen(app)))
    await send(`POST ${BASE}/keys`, [JSON_TYPE, 'Content-Length: 60000'])
    expect((await client.read()).status).toBe(401)
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
  }

  test('a property named stream: the connection is closed after 10 seconds', async () => {
    await refuseSlowly({ stream: 'of the host' })
    await runOutOfPatience(client.closed())
  })

  test('a destroy that throws: nothing is thrown by the timer', async () => {
    const destroy = () => {
      throw new Error('the middleware failed')
    }
    await refuseSlowly({ destroy })
    expect(() => vi.advanceTimersByTime(PATIENCE_MS)).not.toThrow()
  })
})

describe('a refused body in fastify', () => {
  const opened = (given: { readonly http2?: true } = {}) => {
    const app = fastify({ forceCloseConnections: true, ...given } as { http2: true })
    onTestFinished(() => app.close())
    app.register(manageKeys(testKeys().keys, { context }), { prefix: BASE })
    return app
  }

  test('behind a hook that replaces the body: it is read like the result of a parser', async () => {
    const app = opened()
    app.addHook('preValidation', async (request) => {
      if (request.body != null) request.body = { name: ['CRM sync'] }
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await app.inject({ method: 'POST', url: `${BASE}/keys`, headers, payload: '{}' })
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'invalid_input'])
  })

  test('behind a preParsing hook: the connection lives on', async () => {
    const app = opened()
    app.addHook('preParsing', async (_request, _reply, payload) => payload.pipe(new PassThrough()))
    client = await RawClient.open((await listenFastify(app as never)).port)
    await send(`POST ${BASE}/keys`, [JSON_TYPE, CHUNKED], Array(16).fill(CHUNK))
    expect((await client.read()).status).toBe(413)
    client.write(chunk(''))
    await isAlive(`GET ${BASE}/keys`, 200)
  })

  test('over HTTP/2: the stream that never ends is closed, the others live on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { port } = await listenFastify(opened({ http2: true }) as never)
    const session = connect(`http://127.0.0.1:${port}`)
    const call = (method: string) =>
      session.request({
        ':method': method,
        ':path': `${BASE}/keys`,
        'content-type': 'application/json',
      })
    const statusOf = (stream: ReturnType<typeof call>) =>
      new Promise((resolve) => stream.once('response', (head) => resolve(head[':status'])))
    const upload = call('POST')
    const endless = setInterval(() => upload.write(' '.repeat(16_384)), 1)
    onTestFinished(() => clearInterval(endless))
    // Node's client tells of `close` only after it has sent what it holds, which nobody reads any more.
    const aborted = new Promise((resolve) => {
      upload.once('aborted', () => {
        clearInterval(endless)
        resolve(upload.rstCode)
      })
    })
    expect(await statusOf(upload.resume())).toBe(413)
    await runOutOfPatience(aborted)
    expect(await aborted).toBe(0)
    expect(await statusOf(call('GET').resume())).toBe(200)
    session.destroy()
  })
})
