import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastifyRateLimit from '@fastify/rate-limit'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { requireKey as requireKeyInExpress } from '../../adapters/http/express.ts'
import { requireKey as requireKeyInFastify } from '../../adapters/http/fastify.ts'
import { issueKey, testKeys } from '../support/http/keys.ts'
import { get } from '../support/http/requests.ts'

/** The statuses of calls with one key, of which two are within the limit, and of one without. */
async function statusesOf(port: number, secret: string): Promise<number[]> {
  const statuses: number[] = []
  for (let call = 0; call < 3; call += 1) {
    const { status } = await get(port, '/contacts', [`Authorization: Bearer ${secret}`])
    statuses.push(status)
  }
  statuses.push((await get(port, '/contacts', [])).status)
  return statuses
}

test('express-rate-limit behind the guard counts by workspace', async () => {
  const backend = testKeys()
  const { secret } = await issueKey(backend)
  const app = express()
  app.use(requireKeyInExpress(backend.keys, null))
  app.use(
    rateLimit({
      windowMs: 60_000,
      limit: 2,
      keyGenerator: (req) => req.apiKey?.workspaceId ?? 'none',
    }),
  )
  app.get('/contacts', (_req, res) => void res.json([]))
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  const { port } = server.address() as AddressInfo
  expect(await statusesOf(port, secret)).toEqual([200, 200, 429, 401])
  server.close()
})

test('@fastify/rate-limit behind the guard counts by workspace', async () => {
  const backend = testKeys()
  const { secret } = await issueKey(backend)
  const app = fastify()
  app.addHook('onRequest', requireKeyInFastify(backend.keys, null))
  await app.register(fastifyRateLimit, {
    max: 2,
    timeWindow: 60_000,
    hook: 'preHandler',
    keyGenerator: (request) => request.apiKey?.workspaceId ?? 'none',
  })
  app.get('/contacts', async () => [])
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  expect(await statusesOf(port, secret)).toEqual([200, 200, 429, 401])
  await app.close()
})
