import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { type Context, Hono } from 'hono'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import type { ApiKeys, AuthenticatedKey } from '../../../src/index.ts'
import { answerTo, ROUTES } from './guarded-routes.ts'
import type { Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'

/** A host on a port of this machine. */
export interface RunningHost {
  readonly port: number
  close(): Promise<void>
}

/** A host with the same guarded routes as every other. */
export interface GuardHost {
  readonly name: string
  start(keys: ApiKeys): Promise<RunningHost>
}

const STARTS: Readonly<Record<string, (keys: ApiKeys) => Promise<RunningHost>>> = {
  express: (keys) => listen(expressApp(keys)),
  fastify: (keys) => listenFastify(fastifyApp(keys)),
  fetch: (keys) => listen(serveFetch(fetchApp(keys))),
  hono: (keys) => listen(serveHono(honoApp(keys))),
  'nestjs on express': (keys) => startNest('express', keys),
  'nestjs on fastify': (keys) => startNest('fastify', keys),
}

const pattern = new RegExp(process.env['MIFTAH_HOSTS'] ?? '')

/** The hosts to try: all, or those with a name that matches MIFTAH_HOSTS, a regular expression. */
export function chosen<T extends { readonly name: string }>(hosts: readonly T[]): readonly T[] {
  return hosts.filter(({ name }) => pattern.test(name))
}

export const guardHosts: readonly GuardHost[] = chosen(
  Object.entries(STARTS).map(([name, start]) => ({ name, start })),
)

function expressApp(keys: ApiKeys) {
  const app = express()
  for (const [name, route] of Object.entries(ROUTES)) {
    const { key, scope, varies } = route
    const guards: express.RequestHandler[] = [
      (_req, res, next) => {
        if (varies) res.setHeader('Vary', 'Origin')
        next()
      },
      ...(key ? [inExpress.requireKey(keys, ...key)] : []),
      ...(scope ? [inExpress.requireScope(keys, ...scope)] : []),
    ]
    app.all(`/${name}`, ...guards, (req, res) => void res.json(answerTo(route, req.apiKey)))
  }
  return app
}

function fastifyApp(keys: ApiKeys): FastifyInstance {
  const app = fastify({ forceCloseConnections: true })
  const method = ['GET', 'HEAD', 'POST', 'OPTIONS']
  for (const [name, route] of Object.entries(ROUTES)) {
    const { key, scope, varies } = route
    const onRequest = [
      ...(key ? [inFastify.requireKey(keys, ...key)] : []),
      ...(scope ? [inFastify.requireScope(keys, ...scope)] : []),
    ]
    app.addHook('onRequest', async ({ url }, reply) => {
      if (varies && url === `/${name}`) reply.header('Vary', 'Origin')
    })
    const handler = async ({ apiKey }: { apiKey?: AuthenticatedKey }) => answerTo(route, apiKey)
    app.route({ method, url: `/${name}`, onRequest, handler })
  }
  return app
}

function fetchApp(keys: ApiKeys) {
  const handlers = new Map(
    Object.entries(ROUTES).map(([name, route]) => {
      const { key, scope, varies } = route
      const vary = varies ? { headers: { Vary: 'Origin' } } : {}
      const answer = (_request: Request, { apiKey }: { readonly apiKey: AuthenticatedKey }) =>
        Response.json(answerTo(route, apiKey), vary)
      const inner = scope ? inFetch.requireScope(keys, ...scope)(answer) : answer
      // Only a host without types can leave the key out.
      const open = async (request: Request) => inner(request, {} as never)
      return [`/${name}`, key ? inFetch.requireKey(keys, ...key)(inner) : open]
    }),
  )
  return async (request: Request) =>
    handlers.get(new URL(request.url).pathname)?.(request) ?? new Response(null, { status: 404 })
}

const keyOf = (c: Context) => c.get('apiKey') as AuthenticatedKey | undefined

function honoApp(keys: ApiKeys) {
  const app = new Hono()
  for (const [name, route] of Object.entries(ROUTES)) {
    const { key, scope, varies } = route
    const path = `/${name}`
    app.use(path, async (c, next) => {
      if (varies) c.header('Vary', 'Origin')
      await next()
    })
    if (key) app.use(path, inHono.requireKey(keys, ...key))
    if (scope) app.use(path, inHono.requireScope(keys, ...scope))
    app.all(path, (c) => c.json(answerTo(route, keyOf(c))))
  }
  app.onError((_error, c) => c.text('the handler failed', 500))
  return app
}

async function startNest(platform: Platform, keys: ApiKeys): Promise<RunningHost> {
  // Loaded where it is asked for: NestJS takes longer than the others together.
  const { createNest, guardedController, listenNest } = await import('./nest-app.ts')
  const controllers = [guardedController(keys)]
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

/** The same for Fastify. */
export async function listenFastify(
  app: Pick<FastifyInstance, 'listen' | 'close'>,
): Promise<RunningHost> {
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  return { port: Number(port), close: () => app.close() }
}
