import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import type { GuardOptions } from '../../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import type { Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'

/** A host on a port of this machine. */
export interface RunningHost {
  readonly port: number
  close(): Promise<void>
}

/**
 * A host with the same guarded routes as every other: `/contacts` wants `contacts.read` and tells who
 * called, `/any` wants any key, `/varied` has `Vary: Origin` before the
 * guard runs (fetch: from the handler), `/broken` throws. `/placed` takes the key from every place,
 * `/denied` answers refusals itself, `/scoped` checks the key and then the scope, `/open` only the scope.
 */
export interface GuardHost {
  readonly name: string
  start(keys: ApiKeys): Promise<RunningHost>
}

export const guardHosts = chosen<GuardHost>([
  { name: 'express', start: (keys) => listen(expressApp(keys)) },
  { name: 'fastify', start: startFastify },
  { name: 'fetch', start: (keys) => listen(serveFetch(fetchApp(keys))) },
  { name: 'hono', start: (keys) => listen(serveHono(honoApp(keys))) },
  { name: 'nestjs on express', start: (keys) => startNest(keys, 'express') },
  { name: 'nestjs on fastify', start: (keys) => startNest(keys, 'fastify') },
])

/** The options of `/placed`. */
export const PLACED: GuardOptions = { accept: ['bearer', 'x-api-key', 'basic-username'] }

/** The options of `/denied`. */
export const DENIED: GuardOptions = {
  onDenied: (denial, answer) => ({
    status: answer.status,
    headers: { 'content-type': 'text/plain', 'X-Reason': denial.reason },
    body: `refused: ${denial.reason}`,
  }),
}

const seen = (apiKey: AuthenticatedKey | undefined) => ({
  keyId: apiKey?.id,
  workspaceId: apiKey?.workspaceId,
  frozen: Object.isFrozen(apiKey),
  fields: Object.keys(apiKey ?? {}),
})

function expressApp(keys: ApiKeys) {
  const app = express()
  app.all('/contacts', inExpress.requireKey(keys, 'contacts.read'), (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.all('/any', inExpress.requireKey(keys, null), (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.use('/varied', (_req, res, next) => {
    res.setHeader('Vary', 'Origin')
    next()
  })
  app.get('/varied', inExpress.requireKey(keys, null), (_req, res) => void res.json({}))
  app.get('/broken', inExpress.requireKey(keys, null), () => {
    throw new Error('the handler failed')
  })
  app.all('/placed', inExpress.requireKey(keys, null, PLACED), (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.get('/denied', inExpress.requireKey(keys, null, DENIED), (_req, res) => void res.json({}))
  const scope = inExpress.requireScope(keys, 'contacts.read')
  app.get('/scoped', inExpress.requireKey(keys, null), scope, (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.get('/open', scope, (_req, res) => void res.json({}))
  return app
}

function startFastify(keys: ApiKeys): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  const method = ['GET', 'HEAD', 'POST', 'OPTIONS']
  const guarded = { onRequest: inFastify.requireKey(keys, 'contacts.read') }
  app.route({ method, url: '/contacts', ...guarded, handler: async (req) => seen(req.apiKey) })
  const any = { onRequest: inFastify.requireKey(keys, null) }
  app.route({ method, url: '/any', ...any, handler: async (request) => seen(request.apiKey) })
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url === '/varied') reply.header('Vary', 'Origin')
  })
  app.get('/varied', any, async () => ({}))
  app.get('/broken', any, async () => {
    throw new Error('the handler failed')
  })
  const placed = { onRequest: inFastify.requireKey(keys, null, PLACED) }
  app.route({ method, url: '/placed', ...placed, handler: async (req) => seen(req.apiKey) })
  app.get('/denied', { onRequest: inFastify.requireKey(keys, null, DENIED) }, async () => ({}))
  const scope = inFastify.requireScope(keys, 'contacts.read')
  app.get('/scoped', { onRequest: [any.onRequest, scope] }, async (req) => seen(req.apiKey))
  app.get('/open', { onRequest: scope }, async () => ({}))
  return app.listen({ port: 0, host: '127.0.0.1' }).then(() => ({
    port: (app.server.address() as AddressInfo).port,
    close: () => app.close(),
  }))
}

function fetchApp(keys: ApiKeys) {
  const any = inFetch.requireKey(keys, null)
  const scope = inFetch.requireScope(keys, 'contacts.read')
  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/contacts': inFetch.requireKey(
      keys,
      'contacts.read',
    )((_request, { apiKey }) => Response.json(seen(apiKey))),
    '/any': any((_request, { apiKey }) => Response.json(seen(apiKey))),
    '/varied': any(() => Response.json({}, { headers: { Vary: 'Origin' } })),
    '/broken': any(() => {
      throw new Error('the handler failed')
    }),
    '/placed': inFetch.requireKey(
      keys,
      null,
      PLACED,
    )((_request, { apiKey }) => Response.json(seen(apiKey))),
    '/denied': inFetch.requireKey(keys, null, DENIED)(() => Response.json({})),
    '/scoped': any(scope((_request, { apiKey }) => Response.json(seen(apiKey)))),
    // Only a host without types can leave the key out.
    '/open': (request) =>
      scope(() => Response.json({}))(request, {} as { apiKey: AuthenticatedKey<DefaultScope> }),
  }
  return async (request: Request) => {
    const route = routes[new URL(request.url).pathname]
    return route === undefined ? new Response(null, { status: 404 }) : route(request)
  }
}

function honoApp(keys: ApiKeys) {
  const app = new Hono()
  const any = inHono.requireKey(keys, null)
  app.all('/contacts', inHono.requireKey(keys, 'contacts.read'), (c) => c.json(seen(c.var.apiKey)))
  app.all('/any', any, (c) => c.json(seen(c.var.apiKey)))
  app.use('/varied', async (c, next) => {
    c.header('Vary', 'Origin')
    await next()
  })
  app.get('/varied', any, (c) => c.json({}))
  app.get('/broken', any, () => {
    throw new Error('the handler failed')
  })
  app.all('/placed', inHono.requireKey(keys, null, PLACED), (c) => c.json(seen(c.var.apiKey)))
  app.get('/denied', inHono.requireKey(keys, null, DENIED), (c) => c.json({}))
  const scope = inHono.requireScope(keys, 'contacts.read')
  app.get('/scoped', any, scope, (c) => c.json(seen(c.var.apiKey)))
  app.get('/open', scope, (c) => c.json({}))
  app.onError((_error, c) => c.text('the handler failed', 500))
  return app
}

async function startNest(keys: ApiKeys, platform: Platform): Promise<RunningHost> {
  // Loaded where it is asked for: NestJS takes longer than the others together.
  const { createNest, guardedController, listenNest } = await import('./nest-app.ts')
  const controllers = [guardedController(keys, seen)]
  return listenNest(await createNest({ platform, controllers, bodyParser: false }))
}

/** An application of Hono on a socket, by its own server for Node. HTTP/1.0 may name no host. */
export function serveHono(app: { fetch: Hono['fetch'] }): Server {
  return createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' }) as Server
}

interface Listening {
  listen(port: number, host: string, done: () => void): Server
}

/** Listens on a free port; closing ends idle and busy connections alike. */
export function listen(app: Listening): Promise<RunningHost> {
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((done) => {
            server.close(() => done())
            server.closeAllConnections()
          }),
      })
    })
  })
}
