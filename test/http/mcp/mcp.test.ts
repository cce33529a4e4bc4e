import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js'
import express from 'express'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type McpGuardOptions, requireMcpKey } from '../../../adapters/http/express.ts'
import { memoryLimiter } from '../../../adapters/rate-limit/index.ts'
import type { DefaultScope } from '../../../src/index.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, type TestKeys, testKeys, USER } from '../../support/http/keys.ts'
import { keyInput } from '../../support/world.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close().catch(() => {})
})

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

/** The SDK's own server behind the guard, with a tool that says what it is told of its caller. */
async function serve(backend: TestKeys, options: McpGuardOptions<DefaultScope> = {}) {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const seen: unknown[] = []
  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
    })
    const server = new McpServer({ name: 'contacts', version: '1.0.0' })
    server.registerTool('whoami', { description: 'Which key calls.' }, ({ authInfo }) => {
      seen.push(authInfo)
      return { content: [{ type: 'text', text: `${authInfo?.clientId}` }] }
    })
    server.registerTool(
      'hang',
      { description: 'Never answers.' },
      () => new Promise<never>(() => {}),
    )
    await server.connect(transport)
    return transport
  }
  const app = express()
  app.use('/mcp', requireMcpKey(backend.keys, 'contacts.read', options), express.json())
  app.all('/mcp', async (req, res) => {
    const known = transports.get(req.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(req, res, req.body)
    if (!isInitializeRequest(req.body)) return void res.sendStatus(400)
    await (await begin()).handleRequest(req, res, req.body)
  })
  const host = await listen(app)
  open.push(host)
  return { host, seen, transports }
}

/** The SDK's own client with a key, connected. */
async function connect({ port }: RunningHost, secret: string | null) {
  const headers = secret === null ? {} : { Authorization: `Bearer ${secret}` }
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
    requestInit: { headers },
    reconnectionOptions: {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 20,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 3,
    },
  })
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const errors: unknown[] = []
  client.onerror = (error) => errors.push(error)
  await client.connect(transport as Parameters<Client['connect']>[0])
  open.push(client)
  return { client, transport, errors }
}

describe('an MCP server behind requireMcpKey', () => {
  let backend: TestKeys
  let secret: string
  let keyId: string
  const revoke = (id = keyId) => backend.keys.revokeKey({ workspaceId: 'ws_1', id, actor: USER })

  beforeEach(async () => {
    backend = testKeys()
    const issued = await issueKey(backend)
    secret = issued.secret
    keyId = issued.key.id
  })

  test('the client of the SDK lists and calls a tool, which sees the key and no secret', async () => {
    const { host, seen } = await serve(backend)
    const { client } = await connect(host, secret)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami', 'hang'])
    const answer = await client.callTool({ name: 'whoami' })
    expect(answer.content).toEqual([{ type: 'text', text: keyId }])
    expect(seen).toEqual([
      {
        token: keyId,
        clientId: keyId,
        scopes: ['contacts.read'],
        extra: { apiKey: expect.objectContaining({ id: keyId, workspaceId: 'ws_1' }) },
      },
    ])
    expect(JSON.stringify(seen)).not.toContain(secret)
  })

  test('the expiry of a key is in seconds', async () => {
    const { host, seen } = await serve(backend)
    const expiresAt = new Date(Date.now() + 3_600_500)
    const issued = await backend.keys.createKey(keyInput({ name: 'Agent', expiresAt }))
    const { client } = await connect(host, issued.secret)
    await client.callTool({ name: 'whoami' })
    expect(seen).toMatchObject([{ expiresAt: Math.floor(expiresAt.getTime() / 1_000) }])
  })

  test('without a key: 401; with the wrong scope: 403; in an outage: 503; nothing runs', async () => {
    const { host, transports } = await serve(backend)
    const narrow = await issueKey(backend, 'messages.send')
    await expect(connect(host, null)).rejects.toMatchObject({ code: 401 })
    await expect(connect(host, `${secret.slice(0, -1)}?`)).rejects.toMatchObject({ code: 401 })
    await expect(connect(host, narrow.secret)).rejects.toMatchObject({ code: 403 })
    backend.outage = true
    await expect(connect(host, secret)).rejects.toMatchObject({ code: 503 })
    expect(transports.size).toBe(0)
  })

  test('over the rate limit: 429', async () => {
    backend = testKeys({ limiter: memoryLimiter({ limit: 1, windowSeconds: 60 }) })
    secret = (await issueKey(backend)).secret
    const { host } = await serve(backend)
    await connect(host, secret).catch(() => {})
    await expect(connect(host, secret)).rejects.toMatchObject({ code: 429 })
  })

  test('after the revocation the next call is 401', async () => {
    const { host } = await serve(backend)
    const { client } = await connect(host, secret)
    await revoke()
    await expect(client.callTool({ name: 'whoami' })).rejects.toMatchObject({ code: 401 })
  })

  test('an open stream is cut off after the revocation, and the client then gets 401', async () => {
    const { host, transports } = await serve(backend, { recheckMs: 40 })
    const { client, errors } = await connect(host, secret)
    const hanging = client.callTool({ name: 'hang' }, undefined, { timeout: 20_000 })
    const ended = hanging.catch((error: unknown) => error)
    // Two checks and more: what is allowed stays open.
    await wait(150)
    expect(errors).toEqual([])
    expect(transports.size).toBe(1)
    await revoke()
    await expect.poll(() => errors.map(String).join()).toMatch(/Unauthorized/)
    await client.close()
    await ended
  })

  test('an outage and the rate limit end no stream', async () => {
    let isOver = false
    backend = testKeys({
      limiter: {
        take: () => (isOver ? { allowed: false, retryAfterMs: 1_000 } : { allowed: true }),
      },
    })
    secret = (await issueKey(backend)).secret
    const { host } = await serve(backend, { recheckMs: 20 })
    const { client, errors } = await connect(host, secret)
    const hanging = client.callTool({ name: 'hang' }, undefined, { timeout: 20_000 })
    const ended = hanging.catch((error: unknown) => error)
    await wait(100)
    backend.outage = true
    backend.events.length = 0
    await expect.poll(() => backend.events.map(({ type }) => type)).toContain('outage')
    await wait(60)
    backend.outage = false
    isOver = true
    await expect
      .poll(() => backend.events.map((event) => Reflect.get(event, 'reason')))
      .toContain('rate_limited')
    await wait(60)
    expect(errors).toEqual([])
    await client.close()
    await ended
  })

  test('a session belongs to the key that began it', async () => {
    const { host, seen } = await serve(backend)
    const { client, transport } = await connect(host, secret)
    const other = await issueKey(backend)
    const send = (session: string, bearer: string) =>
      fetch(`http://127.0.0.1:${host.port}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-session-id': session,
        },
        body: '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"whoami"}}',
      })
    const stolen = await send(transport.sessionId ?? '', other.secret)
    const unknown = await send(randomUUID(), other.secret)
    expect([stolen.status, unknown.status]).toEqual([404, 404])
    expect(await stolen.text()).toBe(await unknown.text())
    expect(seen).toEqual([])
    const own = await send(transport.sessionId ?? '', secret)
    expect(own.status).toBe(200)
    expect(await own.text()).toContain(keyId)
    expect((await client.callTool({ name: 'whoami' })).content).toEqual([
      { type: 'text', text: keyId },
    ])
  })

  test.each([
    [{ recheckMs: 0 }, /"recheckMs" must be 10 to/],
    [{ recheckMs: '5' }, /"recheckMs"/],
    [{ resource: 'by_route' }, /"resource" must not be "by_route"/],
  ])('a bad option is a TypeError when it is mounted: %j', (options, message) => {
    expect(() => requireMcpKey(backend.keys, null, options as never)).toThrow(message)
  })
})
