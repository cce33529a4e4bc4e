import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import type { ApiKeys } from '../../../src/index.ts'
import { listen, type RunningHost } from '../../support/http/guard-hosts.ts'
import { serveFetch } from '../../support/http/serve-fetch.ts'

const USER = { id: 'u_1', name: 'نورة' }
const context = () => ({ workspaceId: 'ws_1', user: USER })
const introspection = { authorize: () => 'any' as const }
const forwarding = {
  proxy: 'nginx',
  requirement(_method: string, path: string) {
    if (path.startsWith('/broken')) throw new Error(`no route for ${path.length} letters`)
    return path === '/contacts' ? ('contacts.read' as const) : undefined
  },
} as const

/** Hosts that log as much as hosts do, and nothing of the request. */
export const hosts = { express: startExpress, fastify: startFastify, fetch: startFetch }

function startExpress(keys: ApiKeys): Promise<RunningHost> {
  const app = express()
  const onError = console.error
  app.use('/api/settings', inExpress.manageKeys(keys, { context, onError }))
  app.use('/introspect', inExpress.introspectKeys(keys, { ...introspection, onError }))
  app.use('/revoke', inExpress.revokeBySecret(keys, { onError }))
  app.use('/auth', inExpress.forwardAuth(keys, { ...forwarding, onError }))
  app.get('/contacts', inExpress.requireKey(keys, 'contacts.read'), (req, res) => {
    console.log('called by', req.apiKey)
    res.json(req.apiKey)
  })
  app.get('/broken', inExpress.requireKey(keys, null), () => {
    throw new Error('the handler failed')
  })
  return listen(app)
}

async function startFastify(keys: ApiKeys): Promise<RunningHost> {
  // The address that a client has called is not for the library to keep secret.
  const serializers = { req: () => ({}) }
  const app = fastify({ logger: { serializers }, forceCloseConnections: true })
  const onError = (error: unknown) => app.log.error(error)
  app.register(inFastify.manageKeys(keys, { context, onError }), { prefix: '/api/settings' })
  const introspect = inFastify.introspectKeys(keys, { ...introspection, onError })
  app.register(introspect, { prefix: '/introspect' })
  app.register(inFastify.revokeBySecret(keys, { onError }), { prefix: '/revoke' })
  app.register(inFastify.forwardAuth(keys, { ...forwarding, onError }), { prefix: '/auth' })
  const onRequest = inFastify.requireKey(keys, 'contacts.read')
  app.get('/contacts', { onRequest }, async (request) => {
    request.log.info({ apiKey: request.apiKey }, 'called')
    return request.apiKey
  })
  app.get('/broken', { onRequest }, async () => {
    throw new Error('the handler failed')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

function startFetch(keys: ApiKeys): Promise<RunningHost> {
  const onError = console.error
  const manage = inFetch.manageKeys(keys, { basePath: '/api/settings', context, onError })
  const guard = inFetch.requireKey(keys, 'contacts.read')
  const contacts = guard((_request, { apiKey }) => Response.json(apiKey))
  const broken = guard(() => {
    throw new Error('the handler failed')
  })
  const routes: Readonly<Record<string, typeof manage>> = {
    '/introspect': inFetch.introspectKeys(keys, { ...introspection, onError }),
    '/revoke': inFetch.revokeBySecret(keys, { onError }),
    '/auth': inFetch.forwardAuth(keys, { ...forwarding, onError }),
    '/contacts': contacts,
  }
  const route = ({ pathname }: URL) =>
    pathname.startsWith('/api/settings/') ? manage : (routes[pathname] ?? broken)
  return listen(serveFetch((request) => route(new URL(request.url))(request)))
}
