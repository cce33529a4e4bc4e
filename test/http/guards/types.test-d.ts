import type { INestApplication } from '@nestjs/common'
import express from 'express'
import fastify from 'fastify'
import { type Context, Hono } from 'hono'
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

declare const nest: INestApplication

test('a guard of another host does not compile', () => {
  const [express_, fastify_, hono, fetch_, nest_] = [
    inExpress(keys, null),
    inFastify(keys, null),
    inHono(keys, null),
    inFetch(keys, null),
    inNest(keys, null),
  ]
  const app = express()
  // @ts-expect-error: of Fastify
  app.use(fastify_)
  // @ts-expect-error: of Hono
  app.use(hono)
  // @ts-expect-error: of fetch
  app.use(fetch_)
  // @ts-expect-error: of fetch
  app.get('/', fetch_, (_req, res) => void res.json({}))
  // @ts-expect-error: of NestJS
  app.use(nest_)
  // @ts-expect-error: of Express
  fastify().addHook('onRequest', express_)
  // @ts-expect-error: of Hono
  fastify().addHook('onRequest', hono)
  // @ts-expect-error: of fetch
  fastify().addHook('onRequest', fetch_)
  // @ts-expect-error: of NestJS
  fastify().addHook('onRequest', nest_)
  // @ts-expect-error: of Express
  new Hono().use(express_)
  // @ts-expect-error: of Fastify
  new Hono().use(fastify_)
  // @ts-expect-error: of fetch
  new Hono().use(fetch_)
  // @ts-expect-error: of NestJS
  new Hono().use(nest_)
  // @UseGuards takes any function.
  // @ts-expect-error: of Express
  nest.useGlobalGuards(express_)
  // @ts-expect-error: of Fastify
  nest.useGlobalGuards(fastify_)
  // @ts-expect-error: of Hono
  nest.useGlobalGuards(hono)
  // @ts-expect-error: of fetch
  nest.useGlobalGuards(fetch_)
  // @ts-expect-error: of Express
  express_(() => new Response())
  // @ts-expect-error: of Fastify
  fastify_(() => new Response())
  // @ts-expect-error: of Hono
  hono(() => new Response())
  // @ts-expect-error: of NestJS
  nest_(() => new Response())
})

test('management routes of another host do not compile where the host types what it takes', () => {
  const context = () => null
  const [express_, fastify_, hono, fetch_, nest_] = [
    manageInExpress(keys, { context }),
    manageInFastify(keys, { context }),
    manageInHono(keys, { context }),
    manageInFetch(keys, { context }),
    manageInNest(keys, { context, basePath: '/api' }),
  ]
  // Express takes functions of one argument for handlers of errors, which may be anything: fetch's too.
  const app = express()
  // @ts-expect-error: of Fastify
  app.use(fastify_)
  // @ts-expect-error: of Hono
  app.use(hono)
  // @ts-expect-error: of Express
  fastify().register(express_)
  // @ts-expect-error: of Hono
  fastify().register(hono)
  // @ts-expect-error: of fetch
  fastify().register(fetch_)
  // @ts-expect-error: of NestJS
  fastify().register(nest_)
  // @ts-expect-error: of Express
  new Hono().all('/*', express_)
  // @ts-expect-error: of Fastify
  new Hono().all('/*', fastify_)
  // @ts-expect-error: of fetch
  new Hono().all('/*', fetch_)
  // @ts-expect-error: of NestJS
  new Hono().all('/*', nest_)
  type Handler = (request: Request) => Promise<Response>
  // @ts-expect-error: of Express
  express_ satisfies Handler
  // @ts-expect-error: of Fastify
  fastify_ satisfies Handler
  // @ts-expect-error: of Hono
  hono satisfies Handler
  // @ts-expect-error: of NestJS
  nest_ satisfies Handler
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
  express().use(
    manageInNest(keys, {
      basePath: '/api',
      context: (req: express.Request) => context({ workspaceId: req.hostname }),
    }),
  )
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
