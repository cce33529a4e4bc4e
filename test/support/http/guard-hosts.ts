import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { requireKey as requireKeyInExpress } from '../../../adapters/http/express.ts'
import { requireKey as requireKeyInFastify } from '../../../adapters/http/fastify.ts'
import { requireKey as requireKeyInFetch } from '../../../adapters/http/fetch.ts'
import { requireKey as requireKeyInHono } from '../../../adapters/http/hono.ts'
import type { ApiKeys, AuthenticatedKey } from '../../../src/index.ts'
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
 * guard runs (fetch: from the handler), `/broken` throws.
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

const seen = (apiKey: AuthenticatedKey | undefined) => ({
  keyId: apiKey?.id,
  workspaceId: apiKey?.workspaceId,
  frozen: Object.isFrozen(apiKey),
  fields: Object.keys(apiKey ?? {}),
})

function expressApp(keys: ApiKeys) {
  const app = express()
  app.all('/contacts', requireKeyInExpress(keys, 'contacts.read'), (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.all('/any', requireKeyInExpress(keys, null), (req, res) => {
    res.json(seen(req.apiKey))
  })
  app.use('/varied', (_req, res, next) => {
    res.setHeader('Vary', 'Origin')
    next()
  })
  app.get('/varied', requireKeyInExpress(keys, null), (_req, res) => void res.json({}))
  app.get('/broken', requireKeyInExpress(keys, null), () => {
    throw new Error('the handler failed')
  })
  return app
}

function startFastify(keys: ApiKeys): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  const method = ['GET', 'HEAD', 'POST', 'OPTIONS']
  const guarded = { onRequest: requireKeyInFastify(keys, 'contacts.read') }
  app.route({ method, url: '/contacts', ...guarded, handler: async (req) => seen(req.apiKey) })
  const any = { onRequest: requireKeyInFastify(keys, null) }
  app.route({ method, url: '/any', ...any, handler: async (request) => seen(request.apiKey) })
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url === '/varied') reply.header('Vary', 'Origin')
  })
  app.get('/varied', any, async () => ({}))
  app.get('/broken', any, async () => {
    throw new Error('the handler failed')
  })
  return app.listen({ port: 0, host: '127.0.0.1' }).then(() => ({
    port: (app.server.address() as AddressInfo).port,
    close: () => app.close(),
  }))
}

function fetchApp(keys: ApiKeys) {
  const any = requireKeyInFetch(keys, null)
  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/contacts': requireKeyInFetch(
      keys,
      'contacts.read',
    )((_request, { apiKey }) => Response.json(seen(apiKey))),
    '/any': any((_request, { apiKey }) => Response.json(seen(apiKey))),
    '/varied': any(() => Response.json({}, { headers: { Vary: 'Origin' } })),
    '/broken': any(() => {
      throw new Error('the handler failed')
    }),
  }
  return async (request: Request) => {
    const route = routes[new URL(request.url).pathname]
    return route === undefined ? new Response(null, { status: 404 }) : route(request)
  }
}

function honoApp(keys: ApiKeys) {
  const app = new Hono()
  const any = requireKeyInHono(keys, null)
  app.all('/contacts', requireKeyInHono(keys, 'contacts.read'), (c) => c.json(seen(c.var.apiKey)))
  app.all('/any', any, (c) => c.json(seen(c.var.apiKey)))
  app.use('/varied', async (c, next) => {
    c.header('Vary', 'Origin')
    await next()
  })
  app.get('/varied', any, (c) => c.json({}))
  app.get('/broken', any, () => {
    throw new Error('the handler failed')
  })
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
