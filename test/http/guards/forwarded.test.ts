import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { requireKey as requireKeyExpress } from '../../../adapters/http/express.ts'
import { requireKey as requireKeyFastify } from '../../../adapters/http/fastify.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import { keyInput } from '../../support/world.ts'

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

/** Which proxies a host trusts; the test's own connection comes from loopback. */
type Trust = string | boolean

const HOSTS: Readonly<Record<string, (keys: ApiKeys, trust: Trust) => Promise<number>>> = {
  Express: async (keys, trust) => {
    const app = express().set('trust proxy', trust)
    const guard = requireKeyExpress(keys, null, { clientAddress: (req) => req.ip ?? null })
    app.get('/', guard, (_req, res) => void res.json({}))
    const server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    return (server.address() as AddressInfo).port
  },
  Fastify: async (keys, trust) => {
    const app = fastify({ trustProxy: trust })
    const onRequest = requireKeyFastify(keys, null, { clientAddress: (request) => request.ip })
    app.get('/', { onRequest }, async () => ({}))
    closing.push(() => app.close())
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },
}

describe.each(Object.entries(HOSTS))('a forged X-Forwarded-For in %s', (_, start) => {
  async function statusOf(trust: Trust, forwarded: string): Promise<number> {
    const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.enterprise })
    const { secret } = await keys.createKey(
      keyInput({ creator: { id: 'u_1', name: 'Noura' }, networks: ['198.51.100.0/24'] }),
    )
    const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': forwarded }
    return (await fetch(`http://127.0.0.1:${await start(keys, trust)}`, { headers })).status
  }

  test.each([
    ['a host that trusts no proxy', false, '198.51.100.7', 403],
    ['the caller that a trusted proxy appends', '127.0.0.1', '203.0.113.9, 198.51.100.7', 200],
    ['what a client wrote in front of it', '127.0.0.1', '198.51.100.7, 203.0.113.9', 403],
    ['two addresses in one line of a client', '127.0.0.1', '198.51.100.7 198.51.100.7', 403],
    ['an address with a port', '127.0.0.1', '198.51.100.7:443', 200],
    ['the attack on a host that trusts everybody', true, '198.51.100.7, 203.0.113.9', 200],
  ] as const)('%s', async (_what, trust, forwarded, status) => {
    expect(await statusOf(trust, forwarded)).toBe(status)
  })
})
