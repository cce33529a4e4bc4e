import type { AddressInfo, Server } from 'node:net'
import express, { type RequestHandler } from 'express'
import fastify, { type onRequestHookHandler } from 'fastify'
import { requireKey as requireKeyExpress } from 'miftah/express'
import { requireKey as requireKeyFastify } from 'miftah/fastify'
import { memoryStorage } from 'miftah/memory'
import { apiKeys, betterAuth, issueKeys, SCOPE } from './keys.ts'
import { MemoryFloor } from './memory.ts'

/** One app with one guarded route, in a process of its own: `http-app.ts <kind as JSON>`. */
export interface AppKind {
  readonly framework: 'express' | 'fastify'
  readonly guard: 'bare' | 'by hand' | 'miftah' | 'better-auth'
}

/** What the app tells its parent once it listens. */
export interface Started {
  readonly port: number
  readonly secrets: readonly string[]
}

const BODY = { workspace: 'ws_1' }
const { framework, guard }: AppKind = JSON.parse(process.argv[2] ?? '{}')
const keys = apiKeys(memoryStorage())
const headers = await issueKeys(keys)
const floor = new MemoryFloor(headers)
const peer = guard === 'better-auth' ? await betterAuth(null) : null
const secrets = peer?.secrets ?? headers.map((header) => header.slice('Bearer '.length))

const check = (header = '') =>
  peer ? peer.verify(header.slice('Bearer '.length)) : floor.accepts(header)

const server = framework === 'express' ? await expressApp() : await fastifyApp()
process.send?.({ port: (server.address() as AddressInfo).port, secrets } satisfies Started)
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())

async function expressApp(): Promise<Server> {
  const byHand: RequestHandler = async (req, res, next) => {
    if (await check(req.headers.authorization)) next()
    else res.status(401).json({ error: 'unauthorized' })
  }
  const app = express()
  if (guard !== 'bare') app.use(guard === 'miftah' ? requireKeyExpress(keys, SCOPE) : byHand)
  app.get('/contacts', (_req, res) => void res.json(BODY))
  const server = app.listen(0, '127.0.0.1')
  // A connection waits for its turn longer than the five seconds after which Node would close it.
  server.keepAliveTimeout = 0
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

async function fastifyApp(): Promise<Server> {
  const byHand: onRequestHookHandler = async (request, reply) => {
    if (await check(request.headers.authorization)) return
    return reply.code(401).send({ error: 'unauthorized' })
  }
  const app = fastify()
  const onRequest = guard === 'miftah' ? requireKeyFastify(keys, SCOPE) : byHand
  app.get('/contacts', guard === 'bare' ? {} : { onRequest }, async () => BODY)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}
