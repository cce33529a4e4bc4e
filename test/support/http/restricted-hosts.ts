import type { AddressInfo } from 'node:net'
import { Controller, Get, type Type, UseGuards } from '@nestjs/common'
import express from 'express'
import fastify from 'fastify'
import { type Context, Hono } from 'hono'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import * as inNest from '../../../adapters/http/nestjs.ts'
import type { GuardOptions, ScopeGuardOptions } from '../../../src/http/index.ts'
import type { ApiKeys, AuthenticatedKey, DefaultScope, Requirement } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import { type GuardHost, listen, type RunningHost, serveHono } from './guard-hosts.ts'
import { createNest, decorate, listenNest, type Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'

/** The guards of one route: that of the key, and what runs behind it. */
interface Route {
  readonly outer: GuardOptions<DefaultScope, unknown>
  readonly inner?: readonly [Requirement<DefaultScope>, ScopeGuardOptions<DefaultScope, unknown>]
}

/** What the request of any host asks for. */
function queryOf(request: unknown): URLSearchParams {
  const { url, req } = request as { readonly url?: string; readonly req?: { readonly url: string } }
  return new URL(url ?? req?.url ?? '', 'http://host.example').searchParams
}

const project = (request: unknown) => ({ project: queryOf(request).getAll('project') })
const isSecure = (request: unknown) => queryOf(request).has('tls')
const byRoute = { resource: 'by_route' } as const

/**
 * The same routes in every host. Each wants any key, and tells its id without a look at whether there is
 * one, as handlers do.
 */
export const RESTRICTED: Readonly<Record<string, Route>> = {
  named: { outer: { resource: project } },
  later: { outer: { resource: async (request) => project(request) } },
  forgot: { outer: {} },
  none: { outer: { resource: 'none' } },
  handler: { outer: { resource: 'by_handler' } },
  throws: {
    outer: {
      resource: () => {
        throw new Error('the database is gone')
      },
    },
  },
  hangs: { outer: { resource: () => new Promise<never>(() => {}) } },
  number: { outer: { resource: (() => 7) as never } },
  addressed: { outer: { clientAddress: (request) => queryOf(request).get('address') } },
  unreachable: { outer: { clientAddress: () => Promise.reject(new Error('no proxy')) } },
  routed: { outer: byRoute, inner: ['contacts.read', { resource: project }] },
  unscoped: { outer: byRoute, inner: [null, { resource: project }] },
  routednone: { outer: byRoute, inner: ['contacts.read', { resource: 'none' }] },
  routedhandler: { outer: byRoute, inner: [null, { resource: 'by_handler' }] },
  routedthrows: {
    outer: byRoute,
    inner: [null, { resource: () => Promise.reject(new Error('the database is gone')) }],
  },
  routedforgot: { outer: byRoute, inner: ['contacts.read', {}] },
  unguarded: { outer: byRoute },
}

/** Routes that look at how a request came; `tls` in the query says that it came over TLS. */
const CLEARTEXT: Readonly<Record<string, Route>> = {
  refusedinclear: { outer: { cleartext: 'refuse', isSecure } },
  pausedinclear: { outer: { cleartext: 'refuse_and_pause', isSecure } },
  unknowinglyclear: { outer: { cleartext: 'refuse', isSecure: (() => 'https') as never } },
}

const seen = (apiKey: AuthenticatedKey | undefined) => {
  if (apiKey === undefined) throw new TypeError('no key')
  return { keyId: apiKey.id }
}

const routes = Object.entries({ ...RESTRICTED, ...CLEARTEXT })

export const restrictedHosts = chosen<GuardHost>([
  { name: 'express', start: (keys) => listen(expressApp(keys)) },
  { name: 'fastify', start: startFastify },
  { name: 'fetch', start: (keys) => listen(serveFetch(fetchApp(keys))) },
  { name: 'hono', start: (keys) => listen(serveHono(honoApp(keys))) },
  { name: 'nestjs on express', start: (keys) => startNest(keys, 'express') },
  { name: 'nestjs on fastify', start: (keys) => startNest(keys, 'fastify') },
])

function expressApp(keys: ApiKeys) {
  const app = express()
  for (const [name, { outer, inner }] of routes) {
    const guards = [
      inExpress.requireKey(keys, null, outer),
      ...(inner ? [inExpress.requireScope(keys, ...inner)] : []),
    ]
    app.get(`/${name}`, ...guards, (req, res) => void res.json(seen(req.apiKey)))
  }
  return app
}

function startFastify(keys: ApiKeys): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  for (const [name, { outer, inner }] of routes) {
    const onRequest = [
      inFastify.requireKey(keys, null, outer),
      ...(inner ? [inFastify.requireScope(keys, ...inner)] : []),
    ]
    app.get(`/${name}`, { onRequest }, async ({ apiKey }) => seen(apiKey))
  }
  return app.listen({ port: 0, host: '127.0.0.1' }).then(() => ({
    port: (app.server.address() as AddressInfo).port,
    close: () => app.close(),
  }))
}

function fetchApp(keys: ApiKeys) {
  const answer = (_request: Request, { apiKey }: { readonly apiKey: AuthenticatedKey }) =>
    Response.json(seen(apiKey))
  const handlers = new Map(
    routes.map(([name, { outer, inner }]) => {
      const handler = inner ? inFetch.requireScope(keys, ...inner)(answer) : answer
      return [`/${name}`, inFetch.requireKey(keys, null, outer)(handler)]
    }),
  )
  return async (request: Request) =>
    handlers.get(new URL(request.url).pathname)?.(request) ?? new Response(null, { status: 404 })
}

const keyOf = (c: Context) => c.get('apiKey') as AuthenticatedKey | undefined

function honoApp(keys: ApiKeys) {
  const app = new Hono()
  for (const [name, { outer, inner }] of routes) {
    const path = `/${name}`
    app.use(path, inHono.requireKey(keys, null, outer))
    if (inner) app.use(path, inHono.requireScope(keys, ...inner))
    app.get(path, (c) => c.json(seen(keyOf(c))))
  }
  app.onError((_error, c) => c.text('the handler failed', 500))
  return app
}

async function startNest(keys: ApiKeys, platform: Platform): Promise<RunningHost> {
  class Restricted {}
  const methods = Restricted.prototype as Record<string, unknown>
  for (const [name, { outer, inner }] of routes) {
    methods[name] = (key: AuthenticatedKey) => seen(key)
    const guards = [
      inNest.requireKey(keys, null, outer),
      ...(inner ? [inNest.requireScope(keys, ...inner)] : []),
    ]
    decorate(Restricted as Type, name, Get(name), UseGuards(...guards))
    inNest.CurrentKey()(Restricted.prototype, name, 0)
  }
  Controller()(Restricted)
  return listenNest(await createNest({ platform, controllers: [Restricted] }))
}
