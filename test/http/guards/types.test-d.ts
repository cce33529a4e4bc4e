import express from 'express'
import fastify from 'fastify'
import { type Context, Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { requireKey as inExpress } from '../../../adapters/http/express.ts'
import { requireKey as inFastify } from '../../../adapters/http/fastify.ts'
import { requireKey as inFetch } from '../../../adapters/http/fetch.ts'
import { requireKey as inHono, manageKeys as manageInHono } from '../../../adapters/http/hono.ts'
import { requireKey as inNest, manageKeys as manageInNest } from '../../../adapters/http/nestjs.ts'
import type { ApiKeys, AuthenticatedKey, DefaultScope } from '../../../src/index.ts'

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
