import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import {
  type EndpointOptions,
  type ForwardAuthOptions,
  forwardAuth,
  type IntrospectKeysOptions,
  introspectKeys,
  revokeBySecret,
} from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import type { ApiKeys, DefaultScope } from '../../../src/index.ts'
import { chosen } from './chosen-hosts.ts'
import { listen, type RunningHost, serveHono } from './guard-hosts.ts'
import type { Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'

/** How a test wants the endpoints; the functions get the request of any host. */
export interface EndpointSetup {
  readonly introspection?: IntrospectKeysOptions<unknown>
  readonly revocation?: EndpointOptions
  readonly forwarding?: ForwardAuthOptions<DefaultScope, unknown>
}

/** A host of `/introspect`, `/revoke` and `/auth`. */
export interface EndpointHost {
  readonly name: string
  /** Whether something reads bodies before the endpoints see them. */
  readonly parsesFirst: boolean
  start(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost>
}

export const INTROSPECTION: IntrospectKeysOptions<unknown> = { authorize }

export const FORWARDING: ForwardAuthOptions<DefaultScope, unknown> = {
  proxy: 'nginx',
  requirement: (_method, path) => (path === '/contacts' ? 'contacts.read' : undefined),
}

export const endpointHosts = chosen<EndpointHost>([
  { name: 'fetch', parsesFirst: false, start: startFetch },
  { name: 'express', parsesFirst: false, start: startExpress() },
  {
    name: 'express behind express.urlencoded()',
    parsesFirst: true,
    start: startExpress(express.urlencoded({ extended: true }), express.json(), express.text()),
  },
  { name: 'fastify', parsesFirst: false, start: startFastify },
  { name: 'hono', parsesFirst: false, start: startHono },
  { name: 'nestjs on express', parsesFirst: false, start: startNest('express') },
  { name: 'nestjs on fastify', parsesFirst: false, start: startNest('fastify') },
])

/** The resource servers of the tests, by their credential. */
function authorize(request: unknown) {
  const credential = headerIn(request, 'authorization')
  if (credential === 'Bearer rs-any') return 'any'
  if (credential === 'Bearer rs-throws') throw new Error('the directory is gone')
  const [, workspaceId] = /^Bearer rs-(ws_\d)$/.exec(credential ?? '') ?? []
  return workspaceId === undefined ? null : { workspaceId }
}

/** A header of the request of any host. */
export function headerIn(request: unknown, name: string): string | undefined {
  const { headers, req } = request as {
    readonly headers: Headers | Readonly<Record<string, string | undefined>>
    readonly req?: { readonly header?: (name: string) => string | undefined }
  }
  if (req?.header !== undefined) return req.header(name)
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name]
}

function startFetch(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost> {
  const routes: Readonly<Record<string, (request: Request) => Promise<Response>>> = {
    '/introspect': introspectKeys(keys, setup.introspection ?? INTROSPECTION),
    '/revoke': revokeBySecret(keys, setup.revocation),
    '/auth': forwardAuth(keys, setup.forwarding ?? FORWARDING),
  }
  return listen(
    serveFetch(async (request) => {
      const route = routes[new URL(request.url).pathname]
      return route === undefined ? new Response(null, { status: 404 }) : route(request)
    }),
  )
}

type Start = EndpointHost['start']

function startExpress(...parsers: readonly express.RequestHandler[]): Start {
  return (keys, setup) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.use('/introspect', inExpress.introspectKeys(keys, setup.introspection ?? INTROSPECTION))
    app.use('/revoke', inExpress.revokeBySecret(keys, setup.revocation))
    app.use('/auth', inExpress.forwardAuth(keys, setup.forwarding ?? FORWARDING))
    return listen(app)
  }
}

async function startFastify(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost> {
  const app = fastify({ forceCloseConnections: true })
  const introspection = inFastify.introspectKeys(keys, setup.introspection ?? INTROSPECTION)
  app.register(introspection, { prefix: '/introspect' })
  app.register(inFastify.revokeBySecret(keys, setup.revocation), { prefix: '/revoke' })
  const forwarding = inFastify.forwardAuth(keys, setup.forwarding ?? FORWARDING)
  app.register(forwarding, { prefix: '/auth' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
}

function startHono(keys: ApiKeys, setup: EndpointSetup): Promise<RunningHost> {
  const app = new Hono()
  app.all('/introspect', inHono.introspectKeys(keys, setup.introspection ?? INTROSPECTION))
  app.all('/revoke', inHono.revokeBySecret(keys, setup.revocation))
  app.all('/auth', inHono.forwardAuth(keys, setup.forwarding ?? FORWARDING))
  return listen(serveHono(app))
}

function startNest(platform: Platform): Start {
  return async (keys, setup) => {
    // Loaded where it is asked for: NestJS takes longer than the others together.
    const { createNest, listenNest } = await import('./nest-app.ts')
    const inNest = await import('../../../adapters/http/nestjs.ts')
    const app = await createNest({ platform })
    app.use('/introspect', inNest.introspectKeys(keys, setup.introspection ?? INTROSPECTION))
    app.use('/revoke', inNest.revokeBySecret(keys, setup.revocation))
    app.use('/auth', inNest.forwardAuth(keys, setup.forwarding ?? FORWARDING))
    return listenNest(app)
  }
}

/** One answer: its status, its headers without what changes by the second, and its bytes. */
export interface EndpointAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** POSTs a form, as a text or by its parameters. */
export async function postForm(
  url: string,
  form: string | Uint8Array<ArrayBuffer> | readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<EndpointAnswer> {
  const isRaw = typeof form === 'string' || form instanceof Uint8Array
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      // A server may close the connection on which it has refused a body.
      ...(form.length > 60_000 && { connection: 'close' }),
      ...headers,
    },
    body: isRaw ? form : new URLSearchParams(form.map(([name, value]) => [name, value])),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** An answer as it went over the wire, without its date. */
export function bytesOf({ status, headers, text }: EndpointAnswer): string {
  return JSON.stringify([status, [...headers].filter(([name]) => name !== 'date'), text])
}
