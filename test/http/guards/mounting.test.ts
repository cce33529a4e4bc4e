import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { requireKey as inExpress } from '../../../adapters/http/express.ts'
import { requireKey as inFastify } from '../../../adapters/http/fastify.ts'
import { requireKey as inFetch } from '../../../adapters/http/fetch.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { served } from '../../support/http/host-for.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'

const backend = testKeys()
const authorization = async () => `Bearer ${(await issueKey(backend)).secret}`

test('requireKey in express can be mounted twice: both must agree', async () => {
  const app = express()
  app.use(inExpress(backend.keys, null))
  app.get('/', inExpress(backend.keys, 'messages.send'), (_req, res) => void res.json({}))
  const response = await get(await served(listen(app)), '/', [
    `Authorization: ${await authorization()}`,
  ])
  expect(response.status).toBe(403)
  expect(headerOf(response, 'vary')).toEqual(['Authorization'])
})

describe('requireKey in fastify', () => {
  const guard = inFastify(backend.keys, null)
  let app: FastifyInstance
  beforeEach(() => {
    app = fastify()
    return () => app.close()
  })
  const visit = async (url = '/') =>
    app.inject({ url, headers: { authorization: await authorization() } })

  test('guards a whole instance, unknown paths included, and works with inject', async () => {
    app.addHook('onRequest', guard)
    app.get('/', async (request) => request.apiKey?.workspaceId)
    expect((await app.inject('/nowhere')).statusCode).toBe(401)
    const accepted = await visit()
    expect([accepted.statusCode, accepted.body]).toEqual([200, 'ws_1'])
    expect(accepted.headers['vary']).toBe('Authorization')
  })

  test('fills a decorator that the host has declared', async () => {
    app.decorateRequest('apiKey', undefined)
    app.get('/', { onRequest: guard }, async (request) => request.apiKey?.workspaceId)
    app.get('/open', async (request) => String(request.apiKey))
    expect([(await visit()).body, (await visit('/open')).body]).toEqual(['ws_1', 'undefined'])
  })

  test('is awaited by a hook of the host', async () => {
    app.addHook('onRequest', async (request, reply) => {
      await guard(request, reply)
      if (reply.sent) return reply
      request.headers['x-key'] = request.apiKey?.workspaceId
      return undefined
    })
    app.get('/', async ({ headers }) => headers['x-key'])
    expect((await visit()).body).toBe('ws_1')
    expect((await app.inject('/')).statusCode).toBe(401)
  })

  test('leaves a hijacked reply alone', async () => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.hijack()
      reply.raw.end('taken')
    })
    app.get('/', { onRequest: guard }, async () => 'handler')
    backend.lookups = 0
    const { body, headers } = await visit()
    expect([body, headers['vary'], backend.lookups]).toEqual(['taken', undefined, 0])
  })
})

describe('requireKey in fetch', () => {
  test('passes on whatever else the runtime passes', async () => {
    const guarded = inFetch(
      backend.keys,
      'contacts.read',
    )((_request, { apiKey }, env: { region: string }, ids: readonly string[]) =>
      Response.json([apiKey.workspaceId, env.region, ...ids]),
    )
    const headers = { authorization: await authorization() }
    const request = new Request('https://host.example/', { headers })
    const response = await guarded(request, { region: 'riyadh' }, ['7'])
    expect(await response.json()).toEqual(['ws_1', 'riyadh', '7'])
  })
})
