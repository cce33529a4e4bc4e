import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requireKey } from '../../../adapters/http/express.ts'
import { createGuard } from '../../../src/http/index.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { exchange } from '../../support/http/raw-client.ts'
import { until } from '../../support/world.ts'

// What docs/http-production.md says of connections that stay open.

function portOf(server: Server): Promise<number> {
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** A stream of events and what is known of it. */
async function openStream(port: number, secret: string) {
  const state = { received: '', ended: false }
  const headers = { authorization: `Bearer ${secret}` }
  const call = request({ port, host: '127.0.0.1', path: '/changes', headers }, (response) => {
    response.on('data', (chunk) => (state.received += chunk))
    response.on('end', () => (state.ended = true))
  })
  call.on('error', () => {})
  call.end()
  await until(() => state.received !== '')
  return state
}

describe('a stream whose key is revoked', () => {
  const streaming = async (checks: boolean) => {
    const world = testKeys()
    const app = express()
    app.get('/changes', requireKey(world.keys, 'contacts.read'), (req, res) => {
      const check = async () => {
        const auth = await world.keys.authenticate(req.headers.authorization, 'contacts.read')
        if (checks && !auth.ok) res.end()
        else res.write('data: tick\n\n')
      }
      const timer = setInterval(() => check().catch(() => {}), 5)
      res.on('close', () => clearInterval(timer))
    })
    const { key, secret } = await issueKey(world)
    const stream = await openStream(await portOf(createServer(app)), secret)
    await world.keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: USER })
    return stream
  }

  test('goes on', async () => {
    const stream = await streaming(false)
    const { length } = stream.received
    await until(() => stream.received.length > length + 100)
    expect(stream.ended).toBe(false)
  })

  test('ends where the handler checks again', async () => {
    const stream = await streaming(true)
    await until(() => stream.ended)
  })
})

describe('a listener for upgrade', () => {
  const upgrade = (secret: string | null) =>
    [
      'GET /socket HTTP/1.1',
      'Host: a.example',
      'Connection: Upgrade',
      'Upgrade: websocket',
      ...(secret === null ? [] : [`Authorization: Bearer ${secret}`]),
      '\r\n',
    ].join('\r\n')

  test('does not pass the guard of the framework', async () => {
    const { keys } = testKeys()
    const server = createServer(express().use(requireKey(keys, null)))
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Hello\r\n\r\n'))
    const port = await portOf(server)
    expect((await exchange(port, upgrade(null))).status).toBe(101)
  })

  test('refuses with a guard of its own', async () => {
    const world = testKeys()
    const { secret } = await issueKey(world)
    const guard = createGuard(world.keys, 'contacts.read')
    const server = createServer()
    server.on('upgrade', async (incoming, socket) => {
      const verdict = await guard.check('GET', (name) => incoming.headersDistinct[name] ?? [])
      const status = verdict.ok ? 101 : verdict.answer.status
      socket.end(`HTTP/1.1 ${status} Answer\r\nConnection: close\r\n\r\n`)
    })
    const port = await portOf(server)
    expect((await exchange(port, upgrade(null))).status).toBe(401)
    expect((await exchange(port, upgrade(secret))).status).toBe(101)
  })
})
