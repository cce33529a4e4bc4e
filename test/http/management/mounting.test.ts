import { Inject, type MiddlewareConsumer, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { type Context, Hono } from 'hono'
import { beforeEach, describe, expect, test } from 'vitest'
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
import { served } from '../../support/http/host-for.ts'
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
import { createNest, listenNest, type Platform } from '../../support/http/nest-app.ts'
import { linesOfTest } from '../../support/http/plain-host.ts'
import { serveFetch } from '../../support/http/serve-fetch.ts'

/** «keys», as a browser sends it. */
const ENCODED = '/%D9%85%D9%81%D8%A7%D8%AA%D9%8A%D8%AD'
const ARABIC = '/مفاتيح'

const { keys } = testKeys()
const context = () => ({ workspaceId: 'ws_1', user: USER })

/** Something has read the body, and kept nothing. */
const readBefore = [{ message: expect.stringMatching(/read before/) }]
const INIT = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(NEW_KEY),
}

/** Where a new key is, without its id. */
async function locationAt(port: number, mount: string) {
  const response = await fetch(`http://127.0.0.1:${port}${mount}/keys`, INIT)
  return response.headers.get('location')?.replace(/key_.*/, '')
}

describe('manageKeys in express', () => {
  test.each([
    { title: 'bytes', parser: express.raw({ type: () => true }) },
    { title: 'text', parser: express.text({ type: () => true }) },
  ])('reads what a parser has left as $title', async ({ parser }) => {
    const port = await served(listen(express().use(parser).use(BASE, inExpress(keys, { context }))))
    expect((await post(port, '/keys', { ...NEW_KEY, name: 'مفتاح' })).status).toBe(201)
    const broken = await send(port, { path: '/keys', headers: [JSON_TYPE], body: '{"canary' })
    expect(verdictOf(broken)).toBe('400 bad_request')
  })

  test('a body that something has swallowed is the host’s fault, and is told', async () => {
    const lines = linesOfTest()
    const app = express().use((req, _res, next) => void req.resume().on('end', next))
    const port = await served(listen(app.use(BASE, inExpress(keys, { context }))))
    expect(verdictOf(await post(port, '/keys', NEW_KEY))).toBe('500 internal_error')
    expect(lines).toEqual([
      'miftah: A request was answered with an error: manageKeys: the body was read before; mount it earlier. (Reported once; set the option onError to be notified of every failure.)',
    ])
  })

  test('is mounted below parameters, which its context can read', async () => {
    const of = ({ params }: express.Request) => ({
      workspaceId: `${params['workspace']}`,
      user: USER,
    })
    const routes = express.Router({ mergeParams: true }).use(inExpress(keys, { context: of }))
    const port = await served(listen(express().use('/api/:workspace', routes)))
    expect(jsonOf(await post(port, '/keys', NEW_KEY)).key.workspaceId).toBe('settings')
  })
})

describe('manageKeys in fastify', () => {
  const routes = inFastify(keys, { context })
  let app: FastifyInstance
  beforeEach(() => {
    app = fastify()
    return () => app.close()
  })

  test('leaves the host’s own parsers and errors to the host', async () => {
    app.setErrorHandler((_error, _request, reply) => void reply.code(418).send('the host'))
    app.register(routes, { prefix: BASE })
    app.post('/echo', async (request) => request.body)
    const echo = { method: 'POST', url: '/echo' } as const
    expect((await app.inject({ ...echo, payload: { a: 1 } })).json()).toEqual({ a: 1 })
    const headers = { 'content-type': 'canary' }
    expect((await app.inject({ ...echo, headers, payload: 'x' })).statusCode).toBe(418)
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
    app.addHook('preHandler', async () => {
      throw thrown
    })
    app.register(routes, { prefix: BASE })
    expect((await app.inject(`${BASE}/keys`)).statusCode).toBe(429)
  })

  test('an invalid content type is refused without asking for a session', async () => {
    const told: unknown[] = []
    const options = {
      context: () => void told.push('context'),
      onError: (error: unknown) => told.push(error),
    }
    app.register(inFastify(keys, options), { prefix: BASE })
    const url = `${BASE}/keys/key_000000000000000000000/pause`
    const nonsense = { 'content-type': 'nonsense' }
    const { statusCode, headers } = await app.inject({
      ...{ method: 'POST', url, headers: nonsense, payload: '{}' },
    })
    expect([statusCode, told]).toEqual([415, []])
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      accept: 'application/json',
    })
  })

  test.each([ENCODED, '/my%20keys', '/a/../b', '/a/.', '/a?b', '/a#b'])(
    'the prefix "%s" is refused, since it would match nothing',
    async (prefix) => {
      const ready = async () => app.register(routes, { prefix }).ready()
      await expect(ready()).rejects.toThrow(/prefix must not be percent-encoded/)
    },
  )
})

describe('mounts that a framework accepts', () => {
  const starts: Readonly<Record<string, (path: string) => RunningHost | Promise<RunningHost>>> = {
    express: (path) => listen(express().use(path, inExpress(keys, { context }))),
    fastify: (prefix) =>
      listenFastify(fastify().register(inFastify(keys, { context }), { prefix })),
    hono: (path) => listen(serveHono(new Hono().all(`${path}/*`, inHono(keys, { context })))),
    fetch: (basePath) => listen(serveFetch(manageKeys(keys, { basePath, context }))),
    ...Object.fromEntries(
      (['express', 'fastify'] as const).map((platform) => [
        `nestjs on ${platform}`,
        async (basePath: string) =>
          listenNest((await createNest({ platform })).use(inNest(keys, { basePath, context }))),
      ]),
    ),
  }

  test.each([
    ['express', '/api/s/', '/api/s'],
    ['express', '/a//b', '/a//b'],
    ['express', ENCODED, ENCODED],
    ['fastify', '/api/s/', '/api/s'],
    ['fastify', '/', ''],
    ['fastify', '', ''],
    ['fastify', 'api/s', '/api/s'],
    ['fastify', '/a//b', '/a//b'],
    ['fastify', `${ARABIC}/`, ENCODED],
    ['fastify', '/my keys', '/my%20keys'],
    ['fastify', '/100%', '/100%25'],
    ['fastify', '/w/:workspace/', '/w/ws_1'],
    ['fastify', '/w/:workspace(^ws_\\d?$)', '/w/ws_1'],
    ['hono', '/api/s', '/api/s'],
    ['hono', '', ''],
    ['hono', ARABIC, ENCODED],
    ['hono', '/my keys', '/my%20keys'],
    ...['fetch', 'nestjs on express', 'nestjs on fastify'].flatMap((host) => [
      [host, ARABIC, ENCODED] as const,
      [host, ENCODED, ENCODED] as const,
    ]),
  ] as const)('%s: the path "%s"', async (host, path, mount) => {
    const port = await served(starts[host]?.(path) ?? expect.fail(host))
    expect(await locationAt(port, mount)).toBe(`${mount}/keys/`)
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

  test('takes a request without any body for one with an empty body', async () => {
    const handler = manageKeys(keys, { context })
    const post = (path: string, body: string | null) =>
      handler(new Request(`https://host.example${path}`, { ...INIT, body }))
    const { key } = await (await post('/keys', INIT.body)).json()
    expect((await post(`/keys/${key.id}/rotate`, null)).status).toBe(201)
    expect((await post('/keys', null)).status).toBe(400)
  })

  test.each([
    { title: 'read', use: (request: Request) => request.text() },
    { title: 'locked', use: (request: Request) => request.body?.getReader() },
  ])('a body that something has $title is the host’s fault', async ({ use }) => {
    const errors: unknown[] = []
    const request = new Request('https://host.example/keys', INIT)
    await use(request)
    const onError = (error: unknown) => errors.push(error)
    const { status } = await manageKeys(keys, { context, onError })(request)
    expect(status).toBe(500)
    expect(errors).toMatchObject(readBefore)
  })

  test('leaves a body that is too large where it is', async () => {
    let left = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_537)),
      cancel: () => {
        left = true
      },
    })
    const request = new Request('https://a.example/keys', {
      ...INIT,
      body,
      duplex: 'half',
    } as never)
    expect((await manageKeys(keys, { context })(request)).status).toBe(413)
    expect(left).toBe(true)
  })
})

describe('manageKeys in hono', () => {
  test('knows its paths below parameters, base paths and other applications', async () => {
    const of = (c: Context) => ({ workspaceId: `${c.req.param('workspace')}`, user: USER })
    const settings = new Hono().all('/settings/*', inHono(keys, { context: of }))
    const app = new Hono().basePath('/w').route('/:workspace', settings)
    const response = await app.request('/w/ws_8/settings/keys', INIT)
    expect(response.headers.get('location')).toMatch(/^\/w\/ws_8\/settings\/keys\/key_/)
    expect((await response.json()).key.workspaceId).toBe('ws_8')
    expect((await app.request('/w/ws_8/settings/nothing')).status).toBe(404)
  })

  test.each([
    ['/settings/keys', '/settings/keys'],
    ['/settings/*/more', '/settings/keys/more'],
    ['/:w?/*', '/keys'],
    ['/:w{[a-z]+}/*', '/w/keys'],
    ['/a//b/*', '/a//b/keys'],
    ['/a//*', '/a/'],
  ])('fails on the path %s instead of matching nothing', async (path, target) => {
    const app = new Hono().all(path, inHono(keys, { context }))
    app.onError(({ message }, c) => c.text(message, 500))
    const response = await app.request(target)
    expect([response.status, await response.text()]).toEqual([
      500,
      'manageKeys: mount it on a path like /api/settings/*.',
    ])
  })

  test('a body that was read past c.req is the host’s fault', async () => {
    const errors: unknown[] = []
    const app = new Hono().use(async (c, next) => {
      await c.req.raw.text()
      await next()
    })
    app.all('/*', inHono(keys, { context, onError: (error) => errors.push(error) }))
    expect((await app.request('/keys', INIT)).status).toBe(500)
    expect(errors).toMatchObject(readBefore)
  })
})

describe.each<Platform>(['express', 'fastify'])('manageKeys in nestjs on %s', (platform) => {
  test('knows its paths where it is mounted on a path, and below a global prefix', async () => {
    const middleware = inNest(keys, { basePath: BASE, context })
    const configure = (consumer: MiddlewareConsumer) =>
      void consumer.apply(middleware).forRoutes('settings/*path')
    const app = await createNest({ platform, configure })
    const prefixed = await served(listenNest(app.setGlobalPrefix('api')))
    expect((await post(prefixed, '/keys', NEW_KEY)).status).toBe(201)
    const mounted = await served(listenNest((await createNest({ platform })).use(BASE, middleware)))
    const { key } = jsonOf(await post(mounted, '/keys', NEW_KEY))
    expect((await post(mounted, `/keys/${key.id}/revoke`)).status).toBe(200)
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
    const port = await served(listenNest(await NestFactory.create(AppModule, { logger: false })))
    expect(jsonOf(await post(port, '/keys', NEW_KEY)).key.workspaceId).toBe('ws_9')
  })
})
