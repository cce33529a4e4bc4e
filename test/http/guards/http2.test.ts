import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireKey as requireKeyForNode } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify, requireKey } from '../../../adapters/http/fastify.ts'
import type { ApiKey, ApiKeys } from '../../../src/index.ts'
import type { RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { BASE, NEW_KEY } from '../../support/http/management-call.ts'

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
  let session: ClientHttp2Session
  let secret: string

  beforeAll(async () => {
    host = await start(backend.keys)
    session = connect(`http://127.0.0.1:${host.port}`)
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

  test('refuses two Authorization fields, which Node joins or drops in silence', async () => {
    expect(await rawStatus(host.port, [`Bearer ${secret}`])).toBe(200)
    expect(await rawStatus(host.port, [`Bearer ${secret}`, `Bearer ${secret}`])).toBe(400)
    expect(await rawStatus(host.port, ['Basic eA==', `Bearer ${secret}`])).toBe(400)
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

/** Static table entries of HPACK (RFC 7541 Appendix A) that the answers here begin with. */
const STATUSES = new Map([
  [0x88, 200],
  [0x8c, 400],
])

/** Asks for /contacts in frames made by hand: Node's client sends no field twice. */
async function rawStatus(port: number, authorizations: readonly string[]) {
  const socket = connectTcp(port, '127.0.0.1')
  const literal = (prefix: readonly number[], value: string) =>
    Buffer.concat([Buffer.from([...prefix, value.length]), Buffer.from(value)])
  const fields = Buffer.concat([
    Buffer.from([0x82, 0x86]),
    literal([0x04], '/contacts'),
    literal([0x01], 'host.example'),
    ...authorizations.map((value) => literal([0x0f, 0x08], value)),
  ])
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame(4, 0, 0, Buffer.alloc(0)))
  socket.write(frame(1, 0x05, 1, fields))
  try {
    let received = Buffer.alloc(0)
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk])
      const first = headersPayload(received)?.[0]
      if (first !== undefined) return STATUSES.get(first)
    }
    return undefined
  } finally {
    socket.destroy()
  }
}

/** RFC 9113 §4.1. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function headersPayload(bytes: Buffer): Buffer | undefined {
  let at = 0
  while (bytes.length >= at + 9) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (bytes.length < end) return undefined
    if (bytes.readUInt8(at + 3) === 1) return bytes.subarray(at + 9, end)
    at = end
  }
  return undefined
}
