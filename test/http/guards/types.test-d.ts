import type { CanActivate } from '@nestjs/common'
import express, { type RequestHandler } from 'express'
import fastify, { type FastifyPluginCallback, type onRequestHookHandler } from 'fastify'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { expectTypeOf, test } from 'vitest'
import {
  forwardAuth,
  requireKey as inExpress,
  manageKeys as manageInExpress,
  requireScope as scopeInExpress,
} from '../../../adapters/http/express.ts'
import {
  requireKey as inFastify,
  manageKeys as manageInFastify,
} from '../../../adapters/http/fastify.ts'
import { requireKey as inFetch, manageKeys as manageInFetch } from '../../../adapters/http/fetch.ts'
import { requireKey as inHono, manageKeys as manageInHono } from '../../../adapters/http/hono.ts'
import { requireKey as inNest, manageKeys as manageInNest } from '../../../adapters/http/nestjs.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import {
  type ApiKeys,
  type AuthenticatedKey,
  createApiKeys,
  type DefaultScope,
  defineResources,
  plans,
} from '../../../src/index.ts'

declare const keys: ApiKeys
declare const ownKeys: ApiKeys<'invoices.read' | 'invoices.write'>

test('a misspelt scope does not compile', () => {
  // @ts-expect-error: not a scope
  inExpress(keys, 'contacts.reed')
  // @ts-expect-error: not a scope
  inFastify(keys, 'contacts.reed')
  // @ts-expect-error: not a scope
  inFetch(keys, 'contacts.reed')
  // @ts-expect-error: not a scope
  inHono(keys, 'contacts.reed')
  // @ts-expect-error: not a scope
  inNest(keys, 'contacts.reed')
  // @ts-expect-error: a scope of another catalogue
  inExpress(ownKeys, 'contacts.read')
  // @ts-expect-error: a right must be named, or null said
  inExpress(keys)
  inFastify(ownKeys, 'invoices.read')
})

test('the key is typed wherever it is handed out', () => {
  express().get('/users/:id', inExpress(keys, null), (req) => {
    expectTypeOf(req.apiKey).toEqualTypeOf<AuthenticatedKey | undefined>()
    expectTypeOf(req.params.id).toEqualTypeOf<string>()
  })
  fastify().get('/', { onRequest: inFastify(keys, null) }, async (request) => {
    expectTypeOf(request.apiKey).toEqualTypeOf<AuthenticatedKey | undefined>()
  })
  fastify({ http2: true }).get('/', { onRequest: inFastify(keys, null) }, async () => {})
  fastify().addHook('onRequest', inFastify(keys, null))
  inFetch(
    keys,
    null,
  )((request, { apiKey }) => {
    expectTypeOf(request).toEqualTypeOf<Request>()
    expectTypeOf(apiKey).toEqualTypeOf<AuthenticatedKey<DefaultScope>>()
    return new Response()
  })
  new Hono().get('/users/:id', inHono(keys, null), (c) => {
    expectTypeOf(c.var.apiKey).toEqualTypeOf<AuthenticatedKey<DefaultScope>>()
    expectTypeOf(c.req.param('id')).toEqualTypeOf<string>()
    return c.text('')
  })
})

/** What each host takes as a guard or as routes. */
interface Takes {
  express: RequestHandler
  fastify: onRequestHookHandler
  plugin: FastifyPluginCallback
  hono: MiddlewareHandler
  nest: CanActivate
  fetch: (request: Request) => Promise<Response>
}

/** The hosts that accept a guard made for another one. */
type Taken<Made, Host extends keyof Takes> = {
  [Name in keyof Made]: { [To in Host]: Made[Name] extends Takes[To] ? To : never }[Host]
}

test('a guard of another host does not compile', () => {
  const guards = {
    express: inExpress(keys, null),
    fastify: inFastify(keys, null),
    hono: inHono(keys, null),
    nest: inNest(keys, null),
    wrapper: inFetch(keys, null),
  }
  type Guarded = Taken<typeof guards, 'express' | 'fastify' | 'hono' | 'nest'>
  expectTypeOf<Guarded>().toEqualTypeOf<{
    express: 'express'
    fastify: 'fastify'
    hono: 'hono'
    nest: 'nest'
    wrapper: never
  }>()
  type Wraps<G> = G extends (handler: () => Response) => unknown ? true : false
  expectTypeOf<Wraps<typeof guards.wrapper>>().toEqualTypeOf<true>()
  expectTypeOf<
    Wraps<typeof guards.express | typeof guards.fastify | typeof guards.hono | typeof guards.nest>
  >().toEqualTypeOf<false>()
})

test('management routes of another host do not compile where the host types what it takes', () => {
  const context = () => null
  const routes = {
    express: manageInExpress(keys, { context }),
    plugin: manageInFastify(keys, { context }),
    hono: manageInHono(keys, { context }),
    fetch: manageInFetch(keys, { context }),
    nest: manageInNest(keys, { context, basePath: '/api' }),
  }
  expectTypeOf<Taken<typeof routes, 'express' | 'plugin' | 'hono' | 'fetch'>>().toEqualTypeOf<{
    express: 'express'
    plugin: 'plugin'
    hono: 'hono'
    fetch: 'fetch'
    // Its middleware is that of Node.
    nest: 'express'
  }>()
})

test('the plugins of Fastify take a prefix', () => {
  fastify().register(manageInFastify(keys, { context: () => null }), { prefix: '/api' })
})

interface Session {
  readonly workspaceId: string
}

test('the routes of management know the host’s own session', () => {
  const app = new Hono<{ Variables: { session: Session } }>()
  const context = (session: Session) => ({ ...session, user: { id: 'u_1', name: 'نورة' } })
  app.all('/*', manageInHono(keys, { context: (c: AppContext) => context(c.get('session')) }))
  // @ts-expect-error: not a variable of this application
  app.all('/*', manageInHono(keys, { context: (c: AppContext) => context(c.get('sesion')) }))
  app.all('/*', manageInHono(keys, { context: () => null }))
})

type AppContext = Context<{ Variables: { session: Session } }>

test('a misspelt type of resource does not compile', () => {
  const resources = defineResources([
    { type: 'project', label: { en: 'Projects' } },
    { type: 'team', label: { en: 'Teams' } },
  ])
  expectTypeOf(resources.types).toEqualTypeOf<readonly ('project' | 'team')[]>()
  const storage = memoryStorage()
  const bound = createApiKeys({ storage, entitlements: () => plans.business, resources })
  expectTypeOf(bound).toExtend<ApiKeys>()
  const right = { resource: () => ({ project: 'p_1' }) }
  const later = { resource: async () => ({ project: ['p_1'], team: 't_1' }) }
  const wrong = { resource: () => ({ projct: 'p_1' }) }
  for (const options of [right, later]) {
    inExpress(bound, null, options)
    inFastify(bound, null, options)
    inFetch(bound, null, options)
    inHono(bound, null, options)
    inNest(bound, null, options)
  }
  // @ts-expect-error: not a type of resource
  inExpress(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  inFastify(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  inFetch(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  inHono(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  inNest(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  inExpress(bound, null, { resource: async () => ({ projct: 'p_1' }) })
  // @ts-expect-error: not a type of resource
  scopeInExpress(bound, null, wrong)
  // @ts-expect-error: not a type of resource
  bound.authenticate('', null, { resource: { projct: 'p_1' } })
  // @ts-expect-error: not a type of resource
  forwardAuth(bound, { proxy: 'nginx', requirement: () => null, ...wrong })
  // Where the types are not known, every name is taken.
  inExpress(keys, null, wrong)
})
