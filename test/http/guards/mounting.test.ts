import express from 'express'
import fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { requireKey as inExpress } from '../../../adapters/http/express.ts'
import { requireKey as inFastify } from '../../../adapters/http/fastify.ts'
import { requireKey as inFetch } from '../../../adapters/http/fetch.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get, upgradeResponse } from '../../support/http/requests.ts'

const backend = testKeys()
const bearer = async () => `Authorization: Bearer ${(await issueKey(backend)).secret}`

describe('requireKey in express', () => {
  let host: RunningHost
  afterEach(() => host.close())

  test('can be mounted twice: both must agree', async () => {
    const app = express()
    app.use(inExpress(backend.keys, null))
    app.get('/', inExpress(backend.keys, 'messages.send'), (_req, res) => void res.json({}))
    host = await listen(app)
    const response = await get(host.port, '/', [await bearer()])
    expect(response.status).toBe(403)
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
  })
})

describe('requireKey in fastify', () => {
  test('guards a whole instance, unknown paths included, and works with inject', async () => {
    const app = fastify()
    app.addHook('onRequest', inFastify(backend.keys, null))
    app.get('/', async (request) => request.apiKey?.workspaceId)
    const refused = await app.inject('/nowhere')
    expect(refused.statusCode).toBe(401)
    const headers = { authorization: (await bearer()).slice('Authorization: '.length) }
    const accepted = await app.inject({ url: '/', headers })
    expect([accepted.statusCode, accepted.body]).toEqual([200, 'ws_1'])
    expect(accepted.headers['vary']).toBe('Authorization')
    await app.close()
  })

  test('fills a decorator that the host has declared', async () => {
    const app = fastify().decorateRequest('apiKey', undefined)
    const guarded = { onRequest: inFastify(backend.keys, null) }
    app.get('/', guarded, async (request) => request.apiKey?.workspaceId)
    app.get('/open', async (request) => String(request.apiKey))
    const headers = { authorization: (await bearer()).slice('Authorization: '.length) }
    expect((await app.inject({ url: '/', headers })).body).toBe('ws_1')
    expect((await app.inject({ url: '/open', headers })).body).toBe('undefined')
    await app.close()
  })

  test('is awaited by a hook of the host', async () => {
    const guard = inFastify(backend.keys, 'contacts.read')
    const app = fastify()
    app.addHook('onRequest', async (request, reply) => {
      await guard(request, reply)
      if (reply.sent) return reply
      request.headers['x-key'] = request.apiKey?.workspaceId
      return undefined
    })
    app.get('/', async ({ headers }) => headers['x-key'])
    const headers = { authorization: (await bearer()).slice('Authorization: '.length) }
    expect((await app.inject({ url: '/', headers })).body).toBe('ws_1')
    expect((await app.inject({ url: '/' })).statusCode).toBe(401)
    await app.close()
  })

  test('leaves a hijacked reply alone', async () => {
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.hijack()
      reply.raw.end('taken')
    })
    const guard = inFastify(backend.keys, null)
    app.get('/', { onRequest: guard }, async () => 'handler')
    backend.lookups = 0
    const headers = { authorization: (await bearer()).slice('Authorization: '.length) }
    const { body, headers: sent } = await app.inject({ url: '/', headers })
    expect([body, sent['vary'], backend.lookups]).toEqual(['taken', undefined, 0])
    await app.close()
  })
})

describe('requireKey in fetch', () => {
  const request = async () => {
    const [, value = ''] = (await bearer()).split(': ')
    return new Request('https://host.example/', { headers: { Authorization: value } })
  }

  test('passes on whatever else the runtime passes', async () => {
    const guarded = inFetch(
      backend.keys,
      'contacts.read',
    )((_request, { apiKey }, env: { region: string }, ids: readonly string[]) =>
      Response.json([apiKey.workspaceId, env.region, ...ids]),
    )
    const response = await guarded(await request(), { region: 'riyadh' }, ['7'])
    expect(await response.json()).toEqual(['ws_1', 'riyadh', '7'])
  })

  test('answers HEAD without a body, whatever the runtime would do', async () => {
    const guarded = inFetch(backend.keys, null)(() => new Response('x'))
    const response = await guarded(new Request('https://host.example/', { method: 'HEAD' }))
    expect([response.status, response.body]).toEqual([401, null])
  })

  test('varies on responses whose headers cannot be changed', async () => {
    const guarded = inFetch(
      backend.keys,
      null,
    )(() => Response.redirect('https://host.example/x', 303))
    const response = await guarded(await request())
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      'https://host.example/x',
    ])
    expect(response.headers.get('vary')).toBe('Authorization')
  })

  test('returns the very response of the handler where its headers can be changed', async () => {
    const made = new Response('x')
    const guarded = inFetch(backend.keys, null)(() => made)
    expect(await guarded(await request())).toBe(made)
  })

  test.each([
    { before: 'Origin', after: 'Origin, Authorization' },
    { before: 'Origin, Accept', after: 'Origin, Accept, Authorization' },
    { before: 'authorization', after: 'authorization' },
  ])('makes of Vary "$before" "$after"', async ({ before, after }) => {
    const guarded = inFetch(
      backend.keys,
      null,
    )(() => new Response(null, { headers: { Vary: before } }))
    expect((await guarded(await request())).headers.get('vary')).toBe(after)
  })

  test('returns the very response to a WebSocket handshake', async () => {
    const upgrade = upgradeResponse()
    const guarded = inFetch(backend.keys, null)(() => upgrade)
    expect(await guarded(await request())).toBe(upgrade)
    expect(upgrade.headers.has('vary')).toBe(false)
  })

  test('leaves what the handler throws to the runtime', async () => {
    const failure = new Error('the handler failed')
    const guarded = inFetch(backend.keys, null)(() => Promise.reject(failure))
    await expect(guarded(await request())).rejects.toBe(failure)
  })
})
