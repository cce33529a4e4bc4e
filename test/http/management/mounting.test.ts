import { Controller, Get, Inject, type MiddlewareConsumer, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { manageKeys as inHono } from '../../../adapters/http/hono.ts'
import { manageKeys as inNest } from '../../../adapters/http/nestjs.ts'
import {
  listen,
  listenFastify,
  type RunningHost,
  serveHono,
} from '../../support/http/guard-hosts.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import {
  BASE,
  JSON_TYPE,
  jsonOf,
  NEW_KEY,
  post,
  send,
  verdictOf,
} from '../../support/http/management-call.ts'
import { createNest, decorate, listenNest, type Platform } from '../../support/http/nest-app.ts'

/** «keys», as a browser sends it. */
const ENCODED = '/%D9%85%D9%81%D8%A7%D8%AA%D9%8A%D8%AD'
const ARABIC = ['/مفاتيح', ENCODED]

const { keys } = testKeys()
const context = () => ({ workspaceId: 'ws_1', user: USER })

describe('manageKeys in express', () => {
  let host: RunningHost
  afterEach(() => host.close())

  test.each([
    { title: 'bytes', parser: express.raw({ type: () => true }) },
    { title: 'text', parser: express.text({ type: () => true }) },
  ])('reads what a parser has left as $title', async ({ parser }) => {
    host = await listen(express().use(parser).use(BASE, inExpress(keys, { context })))
    expect((await post(host.port, '/keys', { ...NEW_KEY, name: 'مفتاح' })).status).toBe(201)
    const broken = await send(host.port, { path: '/keys', headers: [JSON_TYPE], body: '{"canary' })
    expect(verdictOf(broken)).toBe('400 bad_request')
  })

  test('a body that something has swallowed is the host’s fault', async () => {
    const errors: unknown[] = []
    const app = express()
    app.use((req, _res, next) => void req.resume().on('end', next))
    app.use(BASE, inExpress(keys, { context, onError: (error) => errors.push(error) }))
    host = await listen(app)
    expect(verdictOf(await post(host.port, '/keys', NEW_KEY))).toBe('500 internal_error')
    expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
  })

  test('is mounted below parameters, which its context can read', async () => {
    const app = express()
    const routes = express.Router({ mergeParams: true })
    routes.use(
      inExpress(keys, {
        context: ({ params }) => ({ workspaceId: String(params['workspace']), user: USER }),
      }),
    )
    app.use('/api/:workspace', routes)
    host = await listen(app)
    const { key } = jsonOf(await post(host.port, '/keys', NEW_KEY))
    expect(key.workspaceId).toBe('settings')
  })
})

describe('manageKeys in fastify', () => {
  const routes = inFastify(keys, { context })

  test('leaves the host’s own parsers and errors to the host', async () => {
    const app = fastify()
    app.setErrorHandler((_error, _request, reply) => void reply.code(418).send('the host'))
    app.register(routes, { prefix: BASE })
    app.post('/echo', async (request) => request.body)
    const echo = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
    expect(echo.json()).toEqual({ a: 1 })
    const broken = await app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'canary' },
      payload: 'x',
    })
    expect(broken.statusCode).toBe(418)
    await app.close()
  })

  const code = 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
  test.each([
    ['an error', Object.assign(new Error('not today'), { statusCode: 429 })],
    [
      'an error of another code',
      Object.assign(new Error(code), { statusCode: 429, code: 'OTHER' }),
    ],
    ['no error, though it has a code', { statusCode: 429, code }],
  ])('what a hook of the host’s throws is answered by the host: %s', async (_, thrown) => {
    const app = fastify()
    app.addHook('preHandler', async () => {
      throw thrown
    })
    app.register(routes, { prefix: BASE })
    expect((await app.inject(`${BASE}/keys`)).statusCode).toBe(429)
    await app.close()
  })

  test('an invalid content type is refused without asking for a session', async () => {
    const told: unknown[] = []
    const app = fastify()
    app.decorateRequest('member', undefined)
    app.addHook('preHandler', async (request) => {
      Object.assign(request, { member: context() })
    })
    const options = {
      context: (request: object) => {
        told.push('context')
        if (!('member' in request && request.member)) throw new Error('no preHandler has run')
        return context()
      },
      onError: (error: unknown) => told.push(error),
    }
    app.register(inFastify(keys, options), { prefix: BASE })
    const response = await app.inject({
      method: 'POST',
      url: `${BASE}/keys/key_000000000000000000000/pause`,
      headers: { 'content-type': 'nonsense' },
      payload: '{}',
    })
    expect([response.statusCode, told]).toEqual([415, []])
    expect(response.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      accept: 'application/json',
    })
    await app.close()
  })

  test('knows its paths below a prefix with parameters, and without a prefix', async () => {
    const app = fastify()
    app.register(routes, { prefix: '/w/:workspace/settings' })
    app.register(async (root) => void root.register(routes))
    const below = await app.inject({
      method: 'POST',
      url: '/w/ws_1/settings/keys',
      payload: NEW_KEY,
    })
    expect(below.headers.location).toMatch(/^\/w\/ws_1\/settings\/keys\/key_/)
    expect((await app.inject('/scopes')).statusCode).toBe(200)
    await app.close()
  })
})

describe('mounts that a framework accepts', () => {
  const locationAt = async (port: number, mount: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const url = `http://127.0.0.1:${port}${mount}/keys`
    const response = await fetch(url, { ...init, body: JSON.stringify(NEW_KEY) })
    return response.headers.get('location')?.replace(/key_.*/, '')
  }

  test.each([
    ['/api/s/', '/api/s'],
    ['/', ''],
    ['', ''],
    ['api/s', '/api/s'],
    ['/a//b', '/a//b'],
    ['/مفاتيح', ENCODED],
    ['/مفاتيح/', ENCODED],
    ['/my keys', '/my%20keys'],
    ['/100%', '/100%25'],
    ['/w/:workspace/', '/w/ws_1'],
    ['/w/:workspace(^ws_\\d?$)', '/w/ws_1'],
  ])('fastify: the prefix "%s"', async (prefix, mount) => {
    const app = fastify()
    app.register(inFastify(keys, { context }), { prefix })
    const host = await listenFastify(app)
    expect(await locationAt(host.port, mount)).toBe(`${mount}/keys/`)
    await host.close()
  })

  test.each([ENCODED, '/my%20keys', '/a/../b', '/a/.', '/a?b', '/a#b'])(
    'fastify: the prefix "%s" is refused, since it would match nothing',
    async (prefix) => {
      const app = fastify()
      const ready = async () => app.register(inFastify(keys, { context }), { prefix }).ready()
      await expect(ready()).rejects.toThrow(/prefix must not be percent-encoded/)
      await app.close()
    },
  )

  test.each([
    ['/api/s/', '/api/s'],
    ['/a//b', '/a//b'],
    [ENCODED, ENCODED],
  ])('express: the path "%s"', async (path, mount) => {
    const host = await listen(express().use(path, inExpress(keys, { context })))
    expect(await locationAt(host.port, mount)).toBe(`${mount}/keys/`)
    await host.close()
  })

  test.each([
    ['/api/s', '/api/s'],
    ['', ''],
    ['/مفاتيح', ENCODED],
    ['/my keys', '/my%20keys'],
  ])('hono: the path "%s"', async (path, mount) => {
    const app = new Hono().all(`${path}/*`, inHono(keys, { context }))
    const host = await listen(serveHono(app))
    expect(await locationAt(host.port, mount)).toBe(`${mount}/keys/`)
    await host.close()
  })

  test.each(['/a//b', '/a/'])(
    'hono: the path "%s" fails instead of matching nothing',
    async (path) => {
      const app = new Hono().all(`${path}/*`, inHono(keys, { context }))
      app.onError(({ message }, c) => c.text(message, 500))
      const response = await app.request(`${path}/keys`.replace('a//keys', 'a/'))
      expect([response.status, await response.text()]).toEqual([
        500,
        'manageKeys: mount it on a path like /api/settings/*.',
      ])
    },
  )

  describe.each(['express', 'fastify'] as const)('nestjs on %s', (platform) => {
    test.each(ARABIC)('the base path %s', async (basePath) => {
      const app = await createNest({ platform })
      const host = await listenNest(app.use(inNest(keys, { basePath, context })))
      expect(await locationAt(host.port, ENCODED)).toBe(`${ENCODED}/keys/`)
      await host.close()
    })
  })
})

describe('manageKeys as a Web-standard handler', () => {
  const unreachable = ['a', '/', '/a/', '//host.example', '/a//b', '/a?b', '/a#b', '/a\\b']
  const unwritable = ['/a/../b', '/./a', '/a/%2e%2E']

  test.each([...unreachable, ...unwritable])('refuses the base path "%s"', (basePath) => {
    const refusal = {
      name: 'TypeError',
      message: expect.stringMatching(/"basePath" must be a path like/),
    }
    expect(() => manageKeys(keys, { basePath, context })).toThrow(expect.objectContaining(refusal))
    expect(() => inNest(keys, { basePath, context })).toThrow(expect.objectContaining(refusal))
  })

  test.each(ARABIC)('lives below the base path %s, however it is asked for', async (basePath) => {
    const handler = manageKeys(keys, { basePath, context })
    for (const path of ARABIC) {
      const call = (init?: RequestInit) =>
        handler(new Request(`https://host.example${path}/keys`, init))
      expect((await call()).status).toBe(200)
      const headers = { 'content-type': 'application/json' }
      const created = await call({ method: 'POST', headers, body: JSON.stringify(NEW_KEY) })
      expect(created.headers.get('location')).toMatch(new RegExp(`^${ENCODED}/keys/key_`))
    }
  })

  test('answers HEAD without a body, whatever the runtime would do', async () => {
    const request = new Request('https://host.example/scopes', { method: 'HEAD' })
    const response = await manageKeys(keys, { context })(request)
    expect([response.status, response.body]).toEqual([200, null])
  })

  test('takes a request without any body for one with an empty body', async () => {
    const handler = manageKeys(keys, { context })
    const post = (path: string, body: string | null) => {
      const headers = { 'content-type': 'application/json' }
      return handler(new Request(`https://host.example${path}`, { method: 'POST', headers, body }))
    }
    const { key } = await (await post('/keys', JSON.stringify(NEW_KEY))).json()
    expect((await post(`/keys/${key.id}/rotate`, null)).status).toBe(201)
    expect((await post('/keys', null)).status).toBe(400)
  })

  test.each([
    { title: 'read', use: (request: Request) => request.text() },
    { title: 'locked', use: (request: Request) => request.body?.getReader() },
  ])('a body that something has $title is the host’s fault', async ({ use }) => {
    const errors: unknown[] = []
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(NEW_KEY) }
    const request = new Request('https://host.example/keys', init)
    await use(request)
    const onError = (error: unknown) => errors.push(error)
    const { status } = await manageKeys(keys, { context, onError })(request)
    expect(status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
  })

  test('leaves a body that is too large where it is', async () => {
    let left = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_537)),
      cancel: () => {
        left = true
      },
    })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const response = await manageKeys(keys, { context })(
      new Request('https://a.example/keys', init),
    )
    expect([response.status, left]).toEqual([413, true])
  })
})

const create = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(NEW_KEY),
}

describe('manageKeys in hono', () => {
  test('knows its paths below parameters, base paths and other applications', async () => {
    const settings = new Hono().all('/settings/*', inHono(keys, { context }))
    const app = new Hono().basePath('/w').route('/:workspace', settings)
    const response = await app.request('/w/ws_1/settings/keys', create)
    expect(response.headers.get('location')).toMatch(/^\/w\/ws_1\/settings\/keys\/key_/)
    expect((await app.request('/w/ws_1/settings/nothing')).status).toBe(404)
  })

  test('its context can read the parameters of its path', async () => {
    const routes = inHono(keys, {
      context: (c) => ({ workspaceId: c.req.param('workspace') ?? '', user: USER }),
    })
    const app = new Hono().all('/w/:workspace/*', routes)
    const response = await app.request('/w/ws_8/keys', create)
    expect((await response.json()).key.workspaceId).toBe('ws_8')
  })

  test('lives at the root, too', async () => {
    const app = new Hono().all('/*', inHono(keys, { context }))
    expect((await app.request('/keys')).status).toBe(200)
    expect((await app.request('/')).status).toBe(404)
  })

  test.each(['/settings/keys', '/settings/*/more', '/:w?/*', '/:w{[a-z]+}/*'])(
    'does not serve on %s',
    async (path) => {
      const thrown: unknown[] = []
      const app = new Hono().onError((error, c) => {
        thrown.push(error)
        return c.text('', 500)
      })
      app.all(path, inHono(keys, { context }))
      const target = path
        .replace('/:w?', '')
        .replace(/:[^/]+/, 'w')
        .replaceAll('*', 'keys')
      expect((await app.request(target)).status).toBe(500)
      expect(thrown).toMatchObject([{ message: expect.stringMatching(/mount it on a path like/) }])
    },
  )

  test('a body that was read past c.req is the host’s fault', async () => {
    const errors: unknown[] = []
    const app = new Hono().use(async (c, next) => {
      await c.req.raw.text()
      await next()
    })
    app.all('/*', inHono(keys, { context, onError: (error) => errors.push(error) }))
    expect((await app.request('/keys', create)).status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
  })
})

/** The host's own pages, beside the routes of management. */
class Pages {
  settings() {
    return 'the host'
  }
}
decorate(Pages, 'settings', Get(['api/settingsmore', 'api/other']))
Controller()(Pages)

describe.each<Platform>(['express', 'fastify'])('manageKeys in nestjs on %s', (platform) => {
  test('leaves all other paths to the host', async () => {
    const app = await createNest({ platform, controllers: [Pages] })
    const host = await listenNest(app.use(inNest(keys, { basePath: BASE, context })))
    for (const path of ['more', '/../other']) {
      const answer = await fetch(`http://127.0.0.1:${host.port}${BASE}${path}`)
      expect([answer.status, await answer.text()]).toEqual([200, 'the host'])
    }
    expect((await send(host.port, { path: '/keys' })).status).toBe(200)
    await host.close()
  })

  test('knows its paths where it is mounted on a path, and below a global prefix', async () => {
    const middleware = inNest(keys, { basePath: BASE, context })
    const configure = (consumer: MiddlewareConsumer) =>
      void consumer.apply(middleware).forRoutes('settings/*path')
    const app = await createNest({ platform, configure })
    const prefixed = await listenNest(app.setGlobalPrefix('api'))
    expect((await post(prefixed.port, '/keys', NEW_KEY)).status).toBe(201)
    await prefixed.close()
    const mounted = await listenNest((await createNest({ platform })).use(BASE, middleware))
    const { key } = jsonOf(await post(mounted.port, '/keys', NEW_KEY))
    expect((await post(mounted.port, `/keys/${key.id}/revoke`)).status).toBe(200)
    await mounted.close()
  })
})

describe('manageKeys in nestjs', () => {
  test('its context can use what the module has injected', async () => {
    class Sessions {
      of = () => ({ workspaceId: 'ws_9', user: USER })
    }
    class AppModule {
      readonly #sessions: Sessions
      constructor(sessions: Sessions) {
        this.#sessions = sessions
      }
      configure(consumer: MiddlewareConsumer) {
        const options = { basePath: BASE, context: () => this.#sessions.of() }
        consumer.apply(inNest(keys, options)).forRoutes('{*path}')
      }
    }
    Inject(Sessions)(AppModule, undefined, 0)
    Module({ providers: [Sessions] })(AppModule)
    const host = await listenNest(await NestFactory.create(AppModule, { logger: false }))
    expect(jsonOf(await post(host.port, '/keys', NEW_KEY)).key.workspaceId).toBe('ws_9')
    await host.close()
  })
})
