import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireKey as requireKeyForNode } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify, requireKey } from '../../../adapters/http/fastify.ts'
import type { ApiKey, ApiKeys } from '../../../src/index.ts'
import { isAvailable } from '../../support/available.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { BASE, NEW_KEY } from '../../support/http/management-call.ts'
import { outputOf } from '../../support/package/child.ts'

/** Node's own client sends no field twice. */
const hasCurl = isAvailable(
  'curl with HTTP/2',
  /\bHTTP2\b/.test(spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? ''),
  'apt-get install curl',
)

/** Express has no HTTP/2, but its middleware runs on Node's own server too. */
const hosts = [
  { name: 'fastify', start: startFastify },
  { name: 'node:http2', start: startNode },
]

async function startFastify(keys: ApiKeys): Promise<RunningHost> {
  const app = fastify({ http2: true })
  app.get('/contacts', { onRequest: requireKey(keys, 'contacts.read') }, async (request) => ({
    workspaceId: request.apiKey?.workspaceId,
  }))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

async function startNode(keys: ApiKeys): Promise<RunningHost> {
  const guard = requireKeyForNode(keys, 'contacts.read')
  const server = createServer((incoming, response) => {
    const request: typeof incoming & { apiKey?: ApiKey } = incoming
    guard(request, response, () => response.end(`${request.apiKey?.workspaceId}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: (server.address() as AddressInfo).port, close }
}

describe.each(hosts)('requireKey over HTTP/2 in $name', ({ start }) => {
  const backend = testKeys()
  let host: RunningHost
  let at: string
  let session: ClientHttp2Session
  let secret: string

  beforeAll(async () => {
    host = await start(backend.keys)
    at = `http://127.0.0.1:${host.port}`
    session = connect(at)
    secret = (await issueKey(backend)).secret
  })
  afterAll(async () => {
    session.close()
    await host.close()
  })

  async function request(headers: object) {
    const stream = session.request({ ':path': '/contacts', ...headers })
    const [head] = await once(stream, 'response')
    const { ':status': status, vary, 'www-authenticate': challenge } = head
    return { status, vary, challenge, body: await text(stream) }
  }

  test('accepts a key and varies by Authorization', async () => {
    const response = await request({ authorization: `Bearer ${secret}` })
    expect(response).toMatchObject({ status: 200, vary: 'Authorization' })
    expect(response.body).toContain('ws_1')
  })

  test.each([
    [{}, 401],
    [{ authorization: 'Bearer bad' }, 401],
    [{ authorization: 'Basic dTpw' }, 401],
    [{ authorization: 'Bearer a, Bearer b' }, 400],
  ])('refuses %j with %i', async (headers, status) => {
    const response = await request(headers)
    expect(response).toMatchObject({ status, vary: 'Authorization' })
    expect(response.challenge).toMatch(/^Bearer realm="api"/)
  })

  test.skipIf(!hasCurl)('refuses two Authorization fields, which Node joins or drops', async () => {
    const statusOf = async (...fields: readonly string[]) => {
      const lines = fields.flatMap((field) => ['-H', `authorization: ${field}`])
      const words = ['-s', '-w', ' %{http_code}', '--http2-prior-knowledge', ...lines]
      const printed = await outputOf(['curl', ...words, `${at}/contacts`], '.')
      return printed.split(' ').at(-1)
    }
    expect(await statusOf(`Bearer ${secret}`)).toBe('200')
    expect(await statusOf(`Bearer ${secret}`, `Bearer ${secret}`)).toBe('400')
    expect(await statusOf('Basic eA==', `Bearer ${secret}`)).toBe('400')
  })
})

test.each([
  { origin: 'https://evil.example', status: 403 },
  { origin: 'https://app.example', status: 201 },
])('over HTTP/2 a page of $origin is compared with :authority, not Host: $status', async (page) => {
  const app = fastify({ http2: true })
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  app.register(inFastify(testKeys().keys, { context }), { prefix: BASE })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': `${BASE}/keys`,
    ':authority': 'app.example',
    host: 'evil.example',
    origin: page.origin,
    'content-type': 'application/json',
  })
  stream.end(JSON.stringify(NEW_KEY))
  const [head] = await once(stream.resume(), 'response')
  expect(head[':status']).toBe(page.status)
  session.destroy()
  await app.close()
})
