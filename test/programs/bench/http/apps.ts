import { hash } from 'node:crypto'
import type { Server } from 'node:http'
import express, { type RequestHandler } from 'express'
import fastify, { type FastifyInstance, type onRequestHookHandler } from 'fastify'
import type { ApiKeys } from 'miftah'
import { requireKey as requireKeyExpress } from 'miftah/express'
import { requireKey as requireKeyFastify } from 'miftah/fastify'
import type { MemoryFloor } from '../floors/memory-floor.ts'
import type { HttpPeers, Peer } from '../peers.ts'
import { SCOPE } from '../sections/keys.ts'

/** What the apps are guarded with. */
export interface Guards {
  readonly keys: ApiKeys
  readonly floor: MemoryFloor
  /** The secrets of all keys; the first is the constant that some hooks compare with. */
  readonly secrets: readonly string[]
  readonly peers: HttpPeers
  readonly betterAuth: Peer
}

/** An app by its name, listening on a port of its own. */
export type Apps = Readonly<Record<string, () => Promise<Server>>>

const BODY = { workspace: 'ws_1' }
const UNAUTHORIZED = { error: 'unauthorized' }

/** One Express app for each way to guard its only route. */
export function expressApps({ keys, floor, secrets, peers, betterAuth }: Guards): Apps {
  const constant = `Bearer ${secrets[0]}`
  const accepted = new Set(secrets.map((secret) => hash('sha256', secret)))
  const checked = (check: (header: string) => Promise<unknown>): RequestHandler => {
    return async (req, res, next) => {
      if (await check(req.headers.authorization ?? '')) next()
      else res.status(401).json(UNAUTHORIZED)
    }
  }
  return {
    bare: () => expressApp(),
    constant: () =>
      expressApp((req, res, next) => {
        if (req.headers.authorization === constant) next()
        else res.status(401).json(UNAUTHORIZED)
      }),
    floor: () => expressApp(checked((header) => floor.authenticate(header, SCOPE))),
    miftah: () => expressApp(requireKeyExpress(keys, SCOPE)),
    passport: () => expressApp(peers.passportGuard((key) => accepted.has(hash('sha256', key)))),
    'better-auth': () =>
      expressApp(checked(async (header) => betterAuth.verify(header.slice('Bearer '.length)))),
  }
}

/** One Fastify app for each way to guard its only route. */
export function fastifyApps({ keys, floor, secrets, peers, betterAuth }: Guards): Apps {
  const constant = `Bearer ${secrets[0]}`
  const checked = (check: (header: string) => Promise<unknown>): onRequestHookHandler => {
    return async (request, reply) => {
      if (await check(request.headers.authorization ?? '')) return
      return reply.code(401).send(UNAUTHORIZED)
    }
  }
  return {
    bare: () => fastifyApp(),
    constant: () =>
      fastifyApp((request, reply, done) => {
        if (request.headers.authorization === constant) done()
        else reply.code(401).send(UNAUTHORIZED)
      }),
    floor: () => fastifyApp(checked((header) => floor.authenticate(header, SCOPE))),
    miftah: () => fastifyApp(requireKeyFastify(keys, SCOPE)),
    'bearer-auth, 1 key': () =>
      fastifyApp(null, (app) => peers.guardFastify(app, secrets.slice(0, 1))),
    'bearer-auth, 1,000 keys': () => fastifyApp(null, (app) => peers.guardFastify(app, secrets)),
    'better-auth': () =>
      fastifyApp(checked(async (header) => betterAuth.verify(header.slice('Bearer '.length)))),
  }
}

/** A hand-written check of a header. */
interface Checker {
  authenticate(header: string, scope: string): Promise<unknown>
}

/** The Fastify app without a guard. */
export function bareFastifyApp(): Promise<Server> {
  return fastifyApp()
}

/** The same app, guarded by miftah. */
export function guardedFastifyApp(keys: ApiKeys): Promise<Server> {
  return fastifyApp(requireKeyFastify(keys, SCOPE))
}

/** The same app, guarded by hand. */
export function checkedFastifyApp(check: Checker): Promise<Server> {
  return fastifyApp(async (request, reply) => {
    if (await check.authenticate(request.headers.authorization ?? '', SCOPE)) return
    return reply.code(401).send(UNAUTHORIZED)
  })
}

async function expressApp(guard?: RequestHandler): Promise<Server> {
  const app = express()
  if (guard) app.get('/contacts', guard, (_req, res) => void res.json(BODY))
  else app.get('/contacts', (_req, res) => void res.json(BODY))
  const server = app.listen(0, '127.0.0.1')
  // A connection waits for its turn longer than the five seconds after which Node would close it.
  server.keepAliveTimeout = 0
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

async function fastifyApp(
  onRequest: onRequestHookHandler | null = null,
  plug: (app: FastifyInstance) => unknown = () => {},
): Promise<Server> {
  const app = fastify()
  await plug(app)
  app.get('/contacts', onRequest === null ? {} : { onRequest }, async () => BODY)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}
