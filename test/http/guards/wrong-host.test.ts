import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  type ArgumentsHost,
  Catch,
  Controller,
  Get,
  type INestApplication,
  Module,
  UseGuards,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import * as inNest from '../../../adapters/http/nestjs.ts'
import { listen } from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'
import { decorate, listenNest } from '../../support/http/nest-app.ts'

/*
 * What one entry has made, mounted on the host of another, as a wrong import does. What the compiler says
 * of it is in types.test-d.ts.
 */

const { keys } = testKeys()
const context = () => null

const GUARDS = {
  express: inExpress.requireKey(keys, null),
  fastify: inFastify.requireKey(keys, null),
  hono: inHono.requireKey(keys, null),
  fetch: inFetch.requireKey(keys, null),
  nestjs: inNest.requireKey(keys, null),
}

const ROUTES = {
  express: inExpress.manageKeys(keys, { context }),
  fastify: inFastify.manageKeys(keys, { context }),
  hono: inHono.manageKeys(keys, { context }),
  fetch: inFetch.manageKeys(keys, { context }),
  nestjs: inNest.manageKeys(keys, { context, basePath: '/api' }),
}

type Host = keyof typeof GUARDS
const NAMES = Object.keys(GUARDS) as Host[]
const PAIRS = NAMES.flatMap((host) =>
  NAMES.filter((made) => made !== host).map((made) => [made, host] as const),
)

/** Starts a host with what was made on its route /api/keys, calls it, and returns what was thrown there. */
type Mount = (made: never) => Promise<unknown>

/** What is thrown while `work` mounts something and calls it, or what the host says that it has caught. */
async function thrownBy(work: (caught: (error: unknown) => void) => Promise<unknown>) {
  let first: unknown
  try {
    const answer = await work((error) => {
      first ??= error
    })
    return first ?? answer
  } catch (error) {
    return first ?? error
  }
}

const visit = (port: number) => fetch(`http://127.0.0.1:${port}/api/keys`)

const onExpress: Mount = (made) =>
  thrownBy(async (caught) => {
    const app = express().use('/api', made)
    app.use(((error, _req, res, _next) => {
      caught(error)
      res.sendStatus(500)
    }) as express.ErrorRequestHandler)
    const host = await listen(app)
    return visit(host.port).finally(() => host.close())
  })

function onFastify(mount: (app: ReturnType<typeof fastify>) => void) {
  return thrownBy(async (caught) => {
    const app = fastify()
    app.setErrorHandler((error, _request, reply) => {
      caught(error)
      return reply.code(500).send()
    })
    mount(app)
    return app.inject('/api/keys')
  })
}

const onHono: Mount = (made) =>
  thrownBy((caught) => {
    const app = new Hono()
    app.onError((error, c) => {
      caught(error)
      return c.body(null, 500)
    })
    app.all('/api/*', made)
    return Promise.resolve(app.request('/api/keys'))
  })

function onNest(mount: (app: INestApplication) => unknown, guards: MethodDecorator[] = []) {
  return thrownBy(async (caught) => {
    class Keys {
      list() {
        return 'open'
      }
    }
    decorate(Keys, 'list', Get('keys'), ...guards)
    Controller('api')(Keys)
    class AppModule {}
    Module({ controllers: [Keys] })(AppModule)
    class Filter {
      catch(error: unknown, host: ArgumentsHost) {
        caught(error)
        host.switchToHttp().getResponse().status(500).send('')
      }
    }
    Catch()(Filter)
    const options = { logger: false, abortOnError: false } as const
    const app = await NestFactory.create(AppModule, new ExpressAdapter(), options)
    app.useGlobalFilters(new Filter())
    await mount(app)
    const host = await listenNest(app)
    return visit(host.port).finally(() => host.close())
  })
}

const MOUNT_GUARD: Readonly<Record<Host, Mount>> = {
  express: onExpress,
  fastify: (made) =>
    onFastify((app) => void app.get('/api/keys', { onRequest: made }, async () => 'open')),
  hono: onHono,
  fetch: (made: (handler: unknown) => unknown) =>
    thrownBy(async () => made(() => new Response('open'))),
  nestjs: (made) => onNest(() => {}, [UseGuards(made)]),
}

const MOUNT_ROUTES: Readonly<Record<Host, Mount>> = {
  express: onExpress,
  fastify: (made) => onFastify((app) => void app.register(made, { prefix: '/api' })),
  hono: onHono,
  fetch: (made: (request: Request) => unknown) =>
    thrownBy(async () => made(new Request('https://a.example/api/keys'))),
  nestjs: (made) => onNest((app) => app.use('/api', made)),
}

describe('a guard that was imported for another host', () => {
  test.each(PAIRS)('of %s in %s: a TypeError, and nothing is open', async (made, host) => {
    const thrown = await MOUNT_GUARD[host](GUARDS[made] as never)
    expect(thrown).toBeInstanceOf(TypeError)
    // The guard of NestJS is no function: each other host says so itself.
    if (made === 'nestjs') return
    const right = `import it from miftah/${host}.`
    expect(String(thrown)).toContain(`requireKey of miftah/${made} was called by `)
    expect(String(thrown)).toContain(right)
  })

  test.each(NAMES)('of its own host in %s: none', async (host) => {
    if (host === 'fetch') return
    expect(await MOUNT_GUARD[host](GUARDS[host] as never)).toMatchObject({
      [host === 'fastify' ? 'statusCode' : 'status']: 401,
    })
  })
})

/** The middleware of NestJS works in Express, and that of Express in NestJS on Express. */
const WORK = new Set(['nestjs in express', 'express in nestjs'])

describe('management routes that were imported for another host', () => {
  test.each(PAIRS)('of %s in %s', async (made, host) => {
    const outcome = await MOUNT_ROUTES[host](ROUTES[made] as never)
    if (WORK.has(`${made} in ${host}`)) {
      expect(outcome).toMatchObject({ status: 401 })
      return
    }
    expect(outcome).toBeInstanceOf(TypeError)
    // NestJS passes on what the server under it passes.
    const right = host === 'nestjs' ? 'express' : host
    expect(String(outcome)).toContain(`manageKeys of miftah/${made} was called by `)
    expect(String(outcome)).toContain(`import it from miftah/${right}.`)
  })
})

test('a handler of fetch that its guard has made, in Express', async () => {
  const handler = GUARDS.fetch(() => new Response('open'))
  const thrown = await onExpress(handler as never)
  expect(String(thrown)).toBe(
    'TypeError: requireKey of miftah/fetch was called by Express: import it from miftah/express.',
  )
})

test('the routes of Express in NestJS on Fastify', async () => {
  class AppModule {}
  Module({})(AppModule)
  const options = { logger: false, abortOnError: false } as const
  const app = await NestFactory.create(AppModule, new FastifyAdapter(), options)
  const thrown = new Promise((resolve) => {
    app.use((req: never, res: { end(): void }, _next: () => void) => {
      try {
        ROUTES.express(req, res as never)
      } catch (error) {
        resolve(error)
        res.end()
      }
    })
  })
  const host = await listenNest(app)
  await visit(host.port)
  expect(String(await thrown)).toContain('import it from miftah/nestjs.')
  await host.close()
})

test('an endpoint of another host', async () => {
  const inHost = { express: inExpress, fastify: inFastify, fetch: inFetch, hono: inHono }
  const thrown = await Promise.all([
    onExpress(inHost.fetch.introspectKeys(keys, { authorize: context }) as never),
    onExpress(inHost.fastify.revokeBySecret(keys) as never),
    onHono(inHost.express.forwardAuth(keys, { proxy: 'nginx', requirement: context }) as never),
    onFastify((app) => void app.register(inHost.hono.revokeBySecret(keys) as never)),
  ])
  expect(thrown.map(String)).toEqual([
    'TypeError: introspectKeys of miftah/fetch was called by Express: import it from miftah/express.',
    'TypeError: revokeBySecret of miftah/fastify was called by Express: import it from miftah/express.',
    'TypeError: forwardAuth of miftah/express was called by Hono: import it from miftah/hono.',
    'TypeError: revokeBySecret of miftah/hono was called by Fastify: import it from miftah/fastify.',
  ])
})

test('a host that is not known, and a plugin that is mounted as a handler', async () => {
  expect(() => (ROUTES.fetch as (ctx: unknown) => unknown)({ koa: true })).toThrow(
    'manageKeys of miftah/fetch was called by a host that it is not for.',
  )
  const thrown = await onFastify((app) => void app.get('/api/keys', ROUTES.fastify as never))
  expect(String(thrown)).toContain('is not mounted as docs/http.md shows.')
})

test('the guard of Fastify in a server of Node', async () => {
  const server = createServer((request, response) => {
    expect(() => GUARDS.fastify(request as never, response as never)).toThrow(
      'was called by a server of Node: import it from miftah/express.',
    )
    response.end()
  })
  const host = await listen(server)
  const closed = once(server, 'close')
  expect((await visit(host.port)).status).toBe(200)
  await host.close()
  await closed
})
