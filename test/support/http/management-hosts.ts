import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { type Context, Hono } from 'hono'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { manageKeys as inHono } from '../../../adapters/http/hono.ts'
import {
  type ManageKeysOptions,
  type ManagementOperation,
  manageKeys,
} from '../../../adapters/http/management.ts'
import type { ApiKeys } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import { listen, type RunningHost, serveHono } from './guard-hosts.ts'
import { BASE } from './management-call.ts'
import type { Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'
import { contextOf } from './sessions.ts'

type Options = Omit<ManageKeysOptions<never>, 'context'>

/** A host of the management routes whose sessions are the cookies of {@link contextOf}. */
export interface ManagementHost {
  readonly name: string
  /** Whether the host parses bodies before the routes see them. */
  readonly parsesFirst: boolean
  start(keys: ApiKeys, options?: Options): Promise<RunningHost>
}

export const managementHosts = chosen<ManagementHost>([
  { name: 'express', parsesFirst: false, start: startExpress },
  { name: 'express behind express.json()', parsesFirst: true, start: startParsing },
  { name: 'fastify', parsesFirst: false, start: startFastify },
  { name: 'fetch', parsesFirst: false, start: startFetch },
  { name: 'hono', parsesFirst: false, start: startHono },
  { name: 'hono behind c.req.json()', parsesFirst: true, start: startHonoParsing },
  { name: 'nestjs on express', parsesFirst: false, start: startNest('express') },
  { name: 'nestjs on fastify', parsesFirst: false, start: startNest('fastify') },
  { name: 'a module of nestjs on express', parsesFirst: true, start: startModule('express') },
  { name: 'a module of nestjs on fastify', parsesFirst: false, start: startModule('fastify') },
])

function startExpress(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const app = express()
  app.use(BASE, inExpress(keys, { ...options, context: expressContext }))
  return listen(app)
}

function startParsing(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const app = express().use(express.json(), express.urlencoded(), express.text())
  app.use(BASE, inExpress(keys, { ...options, context: expressContext }))
  return listen(app)
}

function expressContext(req: express.Request, operation: ManagementOperation) {
  return contextOf(req.headers.cookie, operation)
}

async function startFastify(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  const routes = inFastify(keys, {
    ...options,
    context: (request, operation) => contextOf(request.headers.cookie, operation),
  })
  app.register(routes, { prefix: BASE })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

function startFetch(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const handler = manageKeys(keys, {
    ...options,
    basePath: BASE,
    context: async (request, operation) => contextOf(request.headers.get('cookie'), operation),
  })
  return listen(serveFetch(handler))
}

function startHono(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const app = new Hono()
  app.all(`${BASE}/*`, inHono(keys, { ...options, context: honoContext }))
  return listen(serveHono(app))
}

function startHonoParsing(keys: ApiKeys, options: Options = {}): Promise<RunningHost> {
  const app = new Hono()
  app.use(async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) < 1_000_000) await c.req.json().catch(() => {})
    await next()
  })
  app.all(`${BASE}/*`, inHono(keys, { ...options, context: honoContext }))
  return listen(serveHono(app))
}

function honoContext(c: Context, operation: ManagementOperation) {
  return contextOf(c.req.header('cookie'), operation)
}

type Start = ManagementHost['start']

/** Loaded where it is asked for: NestJS takes longer than the others together. */
const loadNest = () => import('./nest-app.ts')

async function nestRoutes(keys: ApiKeys, options: Options = {}) {
  const { manageKeys: inNest } = await import('../../../adapters/http/nestjs.ts')
  return inNest(keys, {
    ...options,
    basePath: BASE,
    context: (request, operation) => contextOf(request.headers.cookie, operation),
  })
}

function startNest(platform: Platform): Start {
  return async (keys, options) => {
    const { createNest, listenNest } = await loadNest()
    const app = await createNest({ platform })
    return listenNest(app.use(await nestRoutes(keys, options)))
  }
}

function startModule(platform: Platform): Start {
  return async (keys, options) => {
    const { createNest, listenNest } = await loadNest()
    const routes = await nestRoutes(keys, options)
    const app = await createNest({
      platform,
      configure: (consumer) => void consumer.apply(routes).forRoutes(`${BASE}{/*path}`),
    })
    return listenNest(app)
  }
}
