import { readFileSync } from 'node:fs'
import type { CanActivate, ExecutionContext } from '@nestjs/common'
import { Controller, Get, UseGuards } from '@nestjs/common'
import express from 'express'
import fastify, {
  type FastifyPluginCallback,
  type FastifyRequest,
  type onRequestHookHandler,
} from 'fastify'
import type { Context } from 'hono'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import * as inNest from '../../../adapters/http/nestjs.ts'
import { loader, runSnippet } from '../../house/run-snippet.ts'
import { fencesIn } from '../../house/snippets.ts'
import { ENTRIES } from '../../support/entries.ts'
import {
  listen,
  listenFastify,
  type RunningHost,
  serveHono,
} from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { createNest, listenNest } from '../../support/http/nest-app.ts'
import { serveFetch } from '../../support/http/serve-fetch.ts'

/* The table of "A key or a session" in docs/http.md, on every host. */

/** By its name: the second Hono has the types of the first. */
const load = loader(ENTRIES)

const backend = testKeys()
const { keys } = backend
const COOKIE = 'session=1'
const isMember = (cookie: unknown) => cookie === COOKIE
let ran = 0
const served = () => {
  ran += 1
  return []
}

const honos = ['hono', 'hono-4.12'] as const
type Order = 'the session first' | 'the key first'

function startExpress(order: Order): Promise<RunningHost> {
  const guard = inExpress.requireKey(keys, 'contacts.read')
  const session: express.RequestHandler = (req, res, next) => {
    if (isMember(req.headers.cookie)) next()
    else res.sendStatus(401)
  }
  const app = express()
  const either: express.RequestHandler =
    order === 'the session first'
      ? (req, res, next) => (isMember(req.headers.cookie) ? next() : guard(req, res, next))
      : (req, res, next) =>
          req.headers.authorization ? guard(req, res, next) : session(req, res, next)
  app.get('/contacts', either, (_req, res) => void res.json(served()))
  return listen(app)
}

async function startFastify(order: Order): Promise<RunningHost> {
  const guard = inFastify.requireKey(keys, 'contacts.read')
  const refuse = () => {
    throw Object.assign(new Error('not signed in'), { statusCode: 401 })
  }
  const session = async ({ headers }: FastifyRequest) => isMember(headers.cookie) || refuse()
  const keyIfSent: inFastify.KeyGuard = async (request, reply) =>
    request.raw.headers.authorization ? guard(request, reply) : refuse()
  const app = fastify({ forceCloseConnections: true })
  const { default: auth } = (await load('@fastify/auth')) as { default: FastifyPluginCallback }
  await app.register(auth)
  const { auth: some } = app as unknown as {
    auth(functions: readonly unknown[]): onRequestHookHandler
  }
  const either = some(order === 'the session first' ? [session, guard] : [keyIfSent, session])
  app.get('/contacts', { onRequest: either }, async () => served())
  return listenFastify(app)
}

async function startHono(name: (typeof honos)[number], order: Order): Promise<RunningHost> {
  const { Hono } = (await load(name)) as typeof import('hono')
  const { some } = (await load(`${name}/combine`)) as typeof import('hono/combine')
  const guard = inHono.requireKey(keys, 'contacts.read')
  const app = new Hono()
  if (order === 'the session first') {
    app.use(some((c: Context) => isMember(c.req.header('cookie')), guard))
  } else {
    app.use(async (c, next) => {
      if (c.req.header('authorization')) return guard(c as never, next)
      if (!isMember(c.req.header('cookie'))) return c.text('not signed in', 401)
      await next()
    })
  }
  app.get('/contacts', (c) => c.json(served()))
  return listen(serveHono(app))
}

async function startNest(order: Order): Promise<RunningHost> {
  const guard = inNest.requireKey(keys, 'contacts.read')
  const headersIn = (context: ExecutionContext) => context.switchToHttp().getRequest().headers
  const either: CanActivate = {
    canActivate(context) {
      const { authorization, cookie } = headersIn(context)
      if (order === 'the session first') return isMember(cookie) || guard.canActivate(context)
      return authorization ? guard.canActivate(context) : isMember(cookie)
    },
  }
  class Contacts {
    list() {
      return served()
    }
  }
  const method = Object.getOwnPropertyDescriptor(Contacts.prototype, 'list') ?? {}
  Get('contacts')(Contacts.prototype, 'list', method)
  UseGuards(either)(Contacts)
  Controller()(Contacts)
  return listenNest(await createNest({ platform: 'express', controllers: [Contacts] }))
}

function startFetch(order: Order): Promise<RunningHost> {
  const handler = () => Response.json(served())
  const guarded = inFetch.requireKey(keys, 'contacts.read')(handler)
  const isSignedIn = (request: Request) => isMember(request.headers.get('cookie'))
  const session = (request: Request) =>
    isSignedIn(request) ? handler() : new Response(null, { status: 401 })
  const either = async (request: Request) =>
    order === 'the session first'
      ? isSignedIn(request)
        ? handler()
        : guarded(request)
      : request.headers.has('authorization')
        ? guarded(request)
        : session(request)
  return listen(serveFetch(either))
}

const STARTS: Readonly<Record<string, (order: Order) => Promise<RunningHost>>> = {
  express: startExpress,
  'fastify with @fastify/auth': startFastify,
  ...Object.fromEntries(honos.map((name) => [name, (order: Order) => startHono(name, order)])),
  nestjs: startNest,
  fetch: startFetch,
}

describe.each(Object.keys(STARTS))('a key or a session on %s', (name) => {
  let host: RunningHost
  let good: string
  let revoked: string
  beforeAll(async () => {
    good = `Bearer ${(await issueKey(backend)).secret}`
    const { key, secret } = await issueKey(backend)
    revoked = `Bearer ${secret}`
    await keys.revokeKey({ workspaceId: key.workspaceId, id: key.id, actor: USER })
  })
  afterEach(() => host.close())

  test.each<Order>(['the session first', 'the key first'])('%s', async (order) => {
    host = (await STARTS[name]?.(order)) as RunningHost
    const call = async (headers: Record<string, string>) => {
      ran = 0
      const { status } = await fetch(`http://127.0.0.1:${host.port}/contacts`, { headers })
      return [status, ran]
    }
    expect(await call({ authorization: good })).toEqual([200, 1])
    expect(await call({ cookie: COOKIE })).toEqual([200, 1])
    expect(await call({ authorization: good, cookie: COOKIE })).toEqual([200, 1])
    expect(await call({ authorization: revoked })).toEqual([401, 0])
    // NestJS answers 403 to what a guard of the host's own refuses.
    const isNest = name === 'nestjs' && order === 'the key first'
    expect(await call({})).toEqual([isNest ? 403 : 401, 0])
    const both = await call({ authorization: revoked, cookie: COOKIE })
    expect(both).toEqual(order === 'the session first' ? [200, 1] : [401, 0])
  })
})

describe.each(honos)('the recipe of the page on %s', (name) => {
  const page = fencesIn('docs/http.md', readFileSync('docs/http.md', 'utf8'))
  const recipes = page.filter(({ code }) => code.includes("'hono/combine'"))

  test.each(recipes)('$place', async ({ code }) => {
    const shown: unknown[] = []
    await runSnippet(
      code,
      (from) => load(from.replace(/^hono(?=$|\/)/, name)),
      (actual, expected) => shown.push([actual, expected]),
    )
    expect(shown).toEqual([
      [200, 200],
      [401, 401],
    ])
  })
})
