import type { ServerResponse } from 'node:http'
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  UseGuards,
} from '@nestjs/common'
import express from 'express'
import fastify from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as inExpress from '../../adapters/http/express.ts'
import * as inFastify from '../../adapters/http/fastify.ts'
import * as inNest from '../../adapters/http/nestjs.ts'
import { listen, listenFastify, type RunningHost } from '../support/http/guard-hosts.ts'
import { served } from '../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../support/http/keys.ts'
import { BASE } from '../support/http/management-call.ts'
import { createNest, decorate, listenNest, type Platform } from '../support/http/nest-app.ts'
import { settled } from '../support/world.ts'

/* Something else of the host answers, before miftah is called or while it decides: nothing more is written. */

/** What is mounted, and a request to it. What an entry makes is for its host alone. */
interface Mounted {
  readonly guards?: readonly never[]
  readonly endpoint?: never
  readonly path?: string
  readonly init?: RequestInit
}

/** Is given the way to answer in front of what is mounted, and may do so later. */
type Other = (answer: () => void) => void
const before: Other = (answer) => answer()

/** Visits a host that also has a handler, and what it reaches when it should not: that, or an error. */
type Visit = (
  mounted: Mounted,
  other: Other,
) => Promise<{ status: number; body: string; reached: unknown[] }>

async function visited(host: RunningHost, { path = '/', init = {} }: Mounted, reached: unknown[]) {
  const response = await fetch(`http://127.0.0.1:${await served(host)}${path}`, init)
  const body = await response.text()
  await settled(5)
  return { status: response.status, body, reached }
}

const onExpress: Visit = async (mounted, other) => {
  const reached: unknown[] = []
  const app = express().use((_req, res, next) => {
    other(() => void res.status(408).end('other'))
    next()
  })
  if (mounted.endpoint) app.use(BASE, mounted.endpoint)
  for (const guard of mounted.guards ?? []) app.use(guard)
  app.use(() => void reached.push('handler'))
  app.use(((error, _req, _res, _next) => reached.push(error)) as express.ErrorRequestHandler)
  return visited(await listen(app), mounted, reached)
}

const onFastify: Visit = async (mounted, other) => {
  const reached: unknown[] = []
  const stream = { write: (line: string) => reached.push(line) }
  const app = fastify({ logger: { level: 'warn', stream }, forceCloseConnections: true })
  const guards: readonly ((...given: object[]) => unknown)[] = mounted.guards ?? []
  app.addHook('onRequest', async (request, reply) => {
    other(() => void reply.code(408).send('other'))
    // As a hook does that calls the guard itself.
    if (reply.sent) for (const guard of guards) await guard(request, reply)
  })
  if (mounted.endpoint) app.register(mounted.endpoint, { prefix: BASE })
  app.get('/', { onRequest: guards as never[] }, async () => reached.push('handler'))
  return visited(await listenFastify(app), mounted, reached)
}

const onNest =
  (platform: Platform): Visit =>
  async (mounted, other) => {
    const reached: unknown[] = []
    class Handler {
      handle() {
        return reached.push('handler')
      }
    }
    const something = {
      async canActivate(context: ExecutionContext) {
        const response = context.switchToHttp().getResponse()
        other(() => void response.status(408).send('other'))
        await new Promise(setImmediate)
        return true
      },
    }
    decorate(Handler, 'handle', Get(), UseGuards(something, ...(mounted.guards ?? [])))
    Controller()(Handler)
    class Filter {
      catch(error: unknown, host: ArgumentsHost) {
        reached.push(error)
        host.switchToHttp().getResponse().status(418).send('the filter')
      }
    }
    Catch()(Filter)
    const app = await createNest({ platform, controllers: [Handler] })
    app.useGlobalFilters(new Filter())
    if (mounted.endpoint) {
      app.use((_req: unknown, res: ServerResponse, next: () => void) => {
        other(() => void res.writeHead(408).end('other'))
        next()
      })
      app.use(mounted.endpoint)
    }
    return visited(await listenNest(app), mounted, reached)
  }

/** What the entries have alike. */
type Entry = Readonly<
  Record<'requireKey' | 'requireScope' | 'manageKeys', (...given: readonly unknown[]) => never>
>

const HOSTS = [
  { name: 'express', visit: onExpress, entry: inExpress },
  { name: 'fastify', visit: onFastify, entry: inFastify },
  { name: 'nestjs on express', visit: onNest('express'), entry: inNest },
  { name: 'nestjs on fastify', visit: onNest('fastify'), entry: inNest },
].map(({ entry, ...host }) => ({ ...host, entry: entry as unknown as Entry }))

const backend = testKeys()
const { keys } = backend
const OTHER = { status: 408, body: 'other', reached: [] }

describe.each(HOSTS)('in $name', ({ entry, visit }) => {
  const { requireKey, requireScope, manageKeys } = entry
  let late = () => {}
  const meanwhile: Other = (answer) => {
    late = answer
  }
  const answerNow = async () => {
    late()
    await new Promise(setImmediate)
  }
  let init: RequestInit
  beforeEach(async () => {
    backend.lookups = 0
    init = { headers: { authorization: `Bearer ${(await issueKey(backend)).secret}` } }
  })
  afterEach(() => {
    late = () => {}
    backend.beforeLookup = async () => {}
  })

  test('before a guard, and during its look-up', async () => {
    const guards = [requireKey(keys, null)]
    expect(await visit({ guards, init }, before)).toEqual(OTHER)
    expect(backend.lookups).toBe(0)
    backend.beforeLookup = answerNow
    for (const scope of [null, 'messages.send']) {
      expect(await visit({ guards: [requireKey(keys, scope)], init }, meanwhile)).toEqual(OTHER)
    }
  })

  test('while onDenied of requireScope runs', async () => {
    const scope = requireScope(keys, 'messages.send', { onDenied: answerNow })
    const guards = [requireKey(keys, null), scope]
    expect(await visit({ guards, init }, meanwhile)).toEqual(OTHER)
  })

  test('before the management routes, and while they ask for the session', async () => {
    const asked: unknown[] = []
    const context = (_request: unknown, operation: unknown) => {
      asked.push(operation)
      late()
      return { workspaceId: 'ws_1', user: USER }
    }
    const basePath = entry === (inNest as unknown) ? { basePath: BASE } : {}
    const endpoint = manageKeys(keys, { context, ...basePath })
    const mounted = { endpoint, path: `${BASE}/keys` }
    expect(await visit(mounted, before)).toEqual(OTHER)
    expect(asked).toEqual([])
    expect(await visit(mounted, meanwhile)).toEqual(OTHER)
    expect(asked).toEqual(['listKeys'])
  })
})
