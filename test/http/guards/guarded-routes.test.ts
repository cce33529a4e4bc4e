import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import { guardedRoutes } from '../../../adapters/storage/testing/storage-contract.ts'
import { defineResources } from '../../../src/index.ts'
import { testKeys } from '../../support/http/keys.ts'

const { keys } = testKeys({
  resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
})
const project = { resource: () => ({ project: 'p_1' }) }
const byRoute = { resource: 'by_route' } as const

/** What each host must tell of the same routes. */
const ROUTES = [
  { method: 'GET', path: '/forgot', resource: null },
  { method: 'GET', path: '/none', resource: 'none' },
  { method: 'POST', path: '/named/:id', resource: 'named' },
  { method: 'GET', path: '/api/named', resource: 'named' },
  { method: 'GET', path: '/api/scoped', resource: 'by_route' },
  { method: 'GET', path: '/api/forgot', resource: 'by_route' },
]

describe('guardedRoutes', () => {
  test('of Express, with a router', () => {
    const { requireKey, requireScope } = inExpress
    const app = express()
    const done = (_req: express.Request, res: express.Response) => void res.json({})
    app.get('/open', done)
    app.get('/forgot', requireKey(keys, null), done)
    app.get('/none', requireKey(keys, null, { resource: 'none' }), done)
    app.route('/named/:id').post(requireKey(keys, null, project), done)
    const api = express.Router()
    api.get('/named', requireScope(keys, null, project), done)
    api.get('/scoped', requireScope(keys, 'contacts.read'), done)
    api.get('/forgot', done)
    app.use('/api', requireKey(keys, null, byRoute), api)
    app.get('/apis', done)
    expect(guardedRoutes(app)).toEqual(ROUTES)
  })

  test('of Express 4, whose layers have regular expressions', () => {
    const guard = inExpress.requireKey(keys, null, { resource: 'by_handler' })
    const handle = () => {}
    const route = { path: '/x', stack: [{ handle, method: 'get' }] }
    const router = Object.assign(() => {}, { stack: [{ handle, route }] })
    const mounted = /^\/api\/v1\/?(?=\/|$)/i
    const stack = [
      { handle: guard, regexp: mounted },
      { handle: router, regexp: mounted },
      { handle, route: { path: '/y', stack: [{ handle: guard }, { handle }] } },
    ]
    const app = Object.assign(() => {}, { _router: { stack } })
    expect(guardedRoutes(app)).toEqual([
      { method: 'GET', path: '/api/v1/x', resource: 'by_handler' },
      { method: 'ALL', path: '/y', resource: 'by_handler' },
    ])
  })

  test('of Hono, with a part of its own', () => {
    const { requireKey, requireScope } = inHono
    const app = new Hono()
    app.get('/open', (c) => c.json({}))
    app.get('/forgot', requireKey(keys, null), (c) => c.json({}))
    app.get('/none', requireKey(keys, null, { resource: 'none' }), (c) => c.json({}))
    app.post('/named/:id', requireKey(keys, null, project), (c) => c.json({}))
    const api = new Hono()
    api.use(requireKey(keys, null, byRoute))
    api.get('/named', requireScope(keys, null, project), (c) => c.json({}))
    api.get('/scoped', requireScope(keys, 'contacts.read'), (c) => c.json({}))
    api.get('/forgot', (c) => c.json({}))
    app.route('/api', api)
    app.get('/apis', (c) => c.json({}))
    expect(guardedRoutes(app)).toEqual(ROUTES)
  })

  test('of Fastify, with a plugin', async () => {
    const { requireKey, requireScope } = inFastify
    const app = fastify({ exposeHeadRoutes: false })
    const routes = guardedRoutes(app)
    const handler = async () => ({})
    app.get('/open', handler)
    app.get('/forgot', { onRequest: requireKey(keys, null) }, handler)
    app.get('/none', { preHandler: [requireKey(keys, null, { resource: 'none' })] }, handler)
    app.post('/named/:id', { onRequest: requireKey(keys, null, project) }, handler)
    const api = async (plugin: typeof app) => {
      plugin.addHook('onRequest', requireKey(keys, null, byRoute))
      plugin.get('/named', { onRequest: requireScope(keys, null, project) }, handler)
      plugin.get('/scoped', { onRequest: requireScope(keys, 'contacts.read') }, handler)
      plugin.get('/forgot', handler)
    }
    app.register(api as never, { prefix: '/api' })
    app.get('/apis', handler)
    await app.ready()
    expect(routes).toEqual(ROUTES)
    await app.close()
  })

  test('of anything else is a mistake', () => {
    expect(() => guardedRoutes({})).toThrow(TypeError)
    expect(() => guardedRoutes(() => {})).toThrow(/Express, Fastify or Hono/)
  })

  test('a guard has no enumerable marker', () => {
    const guard = inExpress.requireKey(keys, null, project)
    expect([Object.keys(guard), JSON.stringify({ ...guard })]).toEqual([[], '{}'])
  })
})
