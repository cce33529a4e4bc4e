import {
  type ArgumentsHost,
  Body,
  type CallHandler,
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Post,
  type Type,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common'
import express from 'express'
import { describe, expect, test } from 'vitest'
import { requireKey as inExpress } from '../../../adapters/http/express.ts'
import { requireKey as inFastify } from '../../../adapters/http/fastify.ts'
import { CurrentKey, requireKey } from '../../../adapters/http/nestjs.ts'
import type { ApiKey } from '../../../src/index.ts'
import { served } from '../../support/http/host-for.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { createNest, decorate, listenNest, type Platform } from '../../support/http/nest-app.ts'
import { exchange, headerOf, RawClient } from '../../support/http/raw-client.ts'
import { get, requestText } from '../../support/http/requests.ts'

const backend = testKeys()
const { keys } = backend
const bearer = async () => `Authorization: Bearer ${(await issueKey(backend)).secret}`

/** A controller whose handler tells whose key it got, guarded or not. */
function controller(...guards: MethodDecorator[]): Type {
  class Whose {
    whose(key: ApiKey) {
      return { workspaceId: key.workspaceId }
    }
  }
  decorate(Whose, 'whose', Get(), ...guards)
  CurrentKey()(Whose.prototype, 'whose', 0)
  Controller()(Whose)
  return Whose
}

/** A filter as many hosts have it: it answers whatever is thrown, and asks nothing first. */
function catchAll(caught: unknown[]) {
  class Filter {
    catch(error: unknown, host: ArgumentsHost) {
      caught.push(error)
      host.switchToHttp().getResponse().status(418).send('the filter')
    }
  }
  Catch()(Filter)
  return new Filter()
}

describe.each<Platform>(['express', 'fastify'])('requireKey in nestjs on %s', (platform) => {
  const serve = async (controllers: Type[], prepare = (_app: INestApplication) => {}) => {
    const app = await createNest({ platform, controllers })
    prepare(app)
    return served(listenNest(app))
  }

  test('guards a whole application', async () => {
    const port = await serve([controller()], (app) => app.useGlobalGuards(requireKey(keys, null)))
    expect((await get(port, '/')).status).toBe(401)
    const accepted = await get(port, '/', [await bearer()])
    expect([accepted.status, accepted.body]).toEqual([200, '{"workspaceId":"ws_1"}'])
    expect(headerOf(accepted, 'vary')).toEqual(['Authorization'])
  })

  test('knows the platform although middleware has put a raw property on the response', async () => {
    const port = await serve([controller(UseGuards(requireKey(keys, null)))], (app) => {
      app.use((_req: unknown, res: object, next: () => void) => {
        Object.assign(res, { raw: {} })
        next()
      })
    })
    expect((await get(port, '/')).status).toBe(401)
    expect((await get(port, '/', [await bearer()])).status).toBe(200)
  })

  test('no filter writes over a refusal, and the connection goes on', async () => {
    const caught: unknown[] = []
    const port = await serve([controller(UseGuards(requireKey(keys, null)))], (app) =>
      app.useGlobalFilters(catchAll(caught)),
    )
    const client = await RawClient.open(port)
    client.write(requestText('/'))
    const refused = await client.read()
    client.write(requestText('/', [await bearer()]))
    expect([refused.status, (await client.read()).status]).toEqual([401, 200])
    expect(headerOf(refused, 'content-type')).toEqual(['application/problem+json'])
    expect(caught).toEqual([])
    client.destroy()
  })

  test('a handler that wants the key of a route without a guard: 500', async () => {
    const caught: unknown[] = []
    const port = await serve([controller()], (app) => app.useGlobalFilters(catchAll(caught)))
    await get(port, '/', [await bearer()])
    expect(caught).toMatchObject([
      { name: 'TypeError', message: expect.stringMatching(/no requireKey guards/) },
    ])
  })
})

/** What docs/runtimes.md advises: parse where NestJS has asked its guards already. */
const parseJson = express.json()
const readBody = {
  async intercept(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp()
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      parseJson(http.getRequest(), http.getResponse(), done)
    })
    return next.handle()
  },
}

describe('requireKey in nestjs', () => {
  test('an interceptor can parse the body after the guard, and only then', async () => {
    class Echo {
      echo(body: object) {
        return body
      }
    }
    const guard = UseGuards(requireKey(keys, null))
    decorate(Echo, 'echo', Post(), guard, UseInterceptors(readBody))
    Body()(Echo.prototype, 'echo', 0)
    Controller()(Echo)
    const setup = { platform: 'express', controllers: [Echo], bodyParser: false } as const
    const port = await served(listenNest(await createNest(setup)))
    const client = await RawClient.open(port)
    const type = 'Content-Type: application/json'
    client.write(requestText('/', [await bearer(), type, 'Content-Length: 7'], 'POST'))
    client.write('{"a":1}')
    expect((await client.read()).body).toBe('{"a":1}')
    client.write(requestText('/', [type, 'Content-Length: 1000000000'], 'POST'))
    expect((await client.read()).status).toBe(401)
    client.destroy()
  })

  test('says so where a route is not one of HTTP', async () => {
    const context = { getType: () => 'rpc' } as unknown as ExecutionContext
    await expect(requireKey(keys, null).canActivate(context)).rejects.toThrow(/HTTP routes only/)
  })

  test('@CurrentKey finds what the middleware for Express has left', async () => {
    const app = await createNest({ platform: 'express', controllers: [controller()] })
    const port = await served(listenNest(app.use(inExpress(keys, null))))
    expect((await get(port, '/')).status).toBe(401)
    expect((await get(port, '/', [await bearer()])).body).toBe('{"workspaceId":"ws_1"}')
  })

  test('@CurrentKey finds what the hook for Fastify has left, before any body', async () => {
    const app = await createNest({ platform: 'fastify', controllers: [controller()] })
    app.getHttpAdapter().getInstance().addHook('onRequest', inFastify(keys, null))
    const port = await served(listenNest(app))
    expect((await get(port, '/', [await bearer()])).body).toBe('{"workspaceId":"ws_1"}')
    const body = ['Content-Type: application/json', 'Content-Length: 1000000000']
    expect((await exchange(port, requestText('/', body, 'POST'))).status).toBe(401)
  })
})
