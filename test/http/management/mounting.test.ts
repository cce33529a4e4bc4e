import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { manageKeys as inFetch, manageKeys } from '../../../adapters/http/fetch.ts'
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
import { createNest, listenNest } from '../../support/http/nest-app.ts'

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

  test('reads what a parser has left as JSON', async () => {
    const app = express().use(express.json({ strict: false }))
    host = await listen(app.use(BASE, inExpress(keys, { context })))
    const { key } = jsonOf(await post(host.port, '/keys', NEW_KEY))
    expect((await post(host.port, `/keys/${key.id}/rotate`, {})).status).toBe(201)
    const strange = await post(host.port, `/keys/${key.id}/rotate`, null)
    expect(verdictOf(strange)).toBe('422 invalid_input')
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

describe('options of manageKeys', () => {
  const mounts = {
    express: (options: object) => inExpress(keys, options as typeof good),
    fastify: (options: object) => inFastify(keys, options as typeof good),
    fetch: (options: object) => manageKeys(keys, options as typeof good),
    hono: (options: object) => inHono(keys, options as typeof good),
    nestjs: (options: object) => inNest(keys, { basePath: '/a', ...(options as typeof good) }),
  }
  const good = { context }
  const names = 'manageKeys: option "metadata" must be a list of names.'

  test.each([
    [{}, 'manageKeys: option "context" must be a function.'],
    [{ context: null }, 'manageKeys: option "context" must be a function.'],
    [{ context: 'session' }, 'manageKeys: option "context" must be a function.'],
    [{ context, onError: 7 }, 'manageKeys: option "onError" must be a function.'],
    [{ context, metadata: 'team' }, names],
    [{ context, metadata: [7] }, names],
  ])('%j is refused when it is mounted', (options, message) => {
    for (const mount of Object.values(mounts)) {
      expect(() => mount(options)).toThrow(new TypeError(message))
    }
  })

  test('may be left out but for context', () => {
    const options = { context, onError: undefined, metadata: undefined }
    for (const mount of Object.values(mounts)) expect(() => mount(options)).not.toThrow()
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
  test('is one and the same in both entries', () => {
    expect(inFetch).toBe(manageKeys)
  })

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

  test('takes methods that no server would send', async () => {
    const handler = manageKeys(keys, { context })
    for (const method of ['constructor', '__proto__', 'post', 'QUERY']) {
      const request = new Request('https://host.example/scopes', { method })
      expect((await handler(request)).status).toBe(405)
    }
  })
})
