import express from 'express'
import fastify from 'fastify'
import { Hono, type MiddlewareHandler } from 'hono'
import * as inExpress from '../../../adapters/http/express.ts'
import * as inFastify from '../../../adapters/http/fastify.ts'
import * as inFetch from '../../../adapters/http/fetch.ts'
import * as inHono from '../../../adapters/http/hono.ts'
import { listen, listenFastify, type RunningHost, serveHono } from './guard-hosts.ts'
import type { Platform } from './nest-app.ts'
import { serveFetch } from './serve-fetch.ts'

/** What the entries of all hosts export alike; what each makes is for its host alone. */
type Entry = Readonly<Record<'manageKeys' | EndpointName, (...given: readonly unknown[]) => never>>
type EndpointName = 'introspectKeys' | 'revokeBySecret' | 'forwardAuth'

/** Something that a test host has below a path. */
export interface Mount {
  readonly path: string
  /** Whether it has routes of its own below the path; some hosts must say there where that is. */
  readonly isTree?: true
  make(entry: Entry, at: { readonly basePath?: string }): never
}

/** Serves what is mounted. */
export type Serve = (mounts: readonly Mount[]) => Promise<RunningHost>

const entryOf = (module: object) => module as unknown as Entry

/** Express, behind middleware. */
export function onExpress(...before: readonly express.RequestHandler[]): Serve {
  return (mounts) => {
    const app = express()
    for (const middleware of before) app.use(middleware)
    for (const { path, make } of mounts) app.use(path, make(entryOf(inExpress), {}))
    return listen(app)
  }
}

export const onFastify: Serve = (mounts) => {
  const app = fastify({ forceCloseConnections: true })
  for (const { path, make } of mounts) {
    app.register(make(entryOf(inFastify), {}), { prefix: path })
  }
  return listenFastify(app)
}

export const onFetch: Serve = (mounts) => {
  const entry = entryOf(inFetch)
  const routes = mounts.map(({ path, isTree = false, make }) => ({
    isAt: (pathname: string) => pathname === path || (isTree && pathname.startsWith(`${path}/`)),
    handle: make(entry, isTree ? { basePath: path } : {}) as (
      request: Request,
    ) => Promise<Response>,
  }))
  return listen(
    serveFetch(async (request) => {
      const { pathname } = new URL(request.url)
      const found = routes.find(({ isAt }) => isAt(pathname))
      return found ? found.handle(request) : new Response(null, { status: 404 })
    }),
  )
}

/** Hono, behind middleware. */
export function onHono(...before: readonly MiddlewareHandler[]): Serve {
  return (mounts) => {
    const app = new Hono()
    for (const middleware of before) app.use(middleware)
    for (const { path, isTree, make } of mounts) {
      app.all(isTree ? `${path}/*` : path, make(entryOf(inHono), {}))
    }
    return listen(serveHono(app))
  }
}

/** NestJS, with middleware of the application or, as `asModule`, of a module. */
export function onNest(platform: Platform, { asModule = false } = {}): Serve {
  return async (mounts) => {
    // Loaded where it is asked for: NestJS takes longer than the others together.
    const { createNest, listenNest } = await import('./nest-app.ts')
    const entry = entryOf(await import('../../../adapters/http/nestjs.ts'))
    const made = mounts.map(({ path, isTree, make }) =>
      isTree
        ? { path: '/', pattern: `${path}{/*path}`, handle: make(entry, { basePath: path }) }
        : { path, pattern: path, handle: make(entry, {}) },
    )
    const app = await createNest({
      platform,
      configure: (consumer) => {
        if (!asModule) return
        for (const { pattern, handle } of made) consumer.apply(handle).forRoutes(pattern)
      },
    })
    if (!asModule) for (const { path, handle } of made) app.use(path, handle)
    return listenNest(app)
  }
}
