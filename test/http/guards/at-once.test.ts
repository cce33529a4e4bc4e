import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { requireKey } from '../../../adapters/http/fastify.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, type DefaultScope, plans } from '../../../src/index.ts'
import { expectRefusal } from '../../support/http/expect-refusal.ts'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { USER } from '../../support/http/keys.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'

/*
 * Guards whose verdicts come without a promise, as they do from memory and from the cache. Everywhere
 * else the storage answers later.
 */

function openKeys() {
  const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
  const issue = (scope: DefaultScope) => {
    const input = { workspaceId: 'ws_1', creator: USER, name: 'CRM sync', scopes: [scope] }
    return keys.createKey({ ...input, environment: 'live' })
  }
  return { keys, issue }
}

describe.each(guardHosts)('requireKey in $name', ({ start }) => {
  const { keys, issue } = openKeys()
  const host = hostForAll(() => start(keys))

  const send = (secret: string) =>
    get(host.port, '/contacts', secret === '' ? [] : [`Authorization: Bearer ${secret}`])

  test('lets a key through, until it is revoked', async () => {
    const { key, secret } = await issue('contacts.read')
    for (let time = 0; time < 2; time += 1) {
      const response = await send(secret)
      expect(response.status).toBe(200)
      expect(headerOf(response, 'vary')).toEqual(['Authorization'])
      expect(JSON.parse(response.body)).toMatchObject({ keyId: key.id, frozen: true })
    }
    await keys.revokeKey({ workspaceId: 'ws_1', id: key.id, actor: USER })
    const revoked = await send(secret)
    expect(revoked.status).toBe(401)
    expectRefusal(revoked, 'invalid_token')
  })

  test('refuses without a key and without the scope', async () => {
    const missing = await send('')
    expect(missing.status).toBe(401)
    expectRefusal(missing, 'missing')
    const { secret } = await issue('messages.send')
    const response = await send(secret)
    expect(response.status).toBe(403)
    expectRefusal(response, 'insufficient_scope', { scope: 'contacts.read' })
  })

  test('answers 503 once the keys are closed', async () => {
    const { secret } = await issue('contacts.read')
    await keys.close()
    expect((await send(secret)).status).toBe(503)
  })
})

test('a hook of the host awaits the guard of Fastify', async () => {
  const { keys, issue } = openKeys()
  const { secret } = await issue('contacts.read')
  const guard = requireKey(keys, 'contacts.read')
  const app = fastify()
  app.addHook('onRequest', async (request, reply) => {
    await guard(request, reply)
    if (reply.sent) return reply
    request.headers['x-key'] = request.apiKey?.workspaceId
    return undefined
  })
  app.get('/', async ({ headers }) => headers['x-key'])
  const accepted = await app.inject({ url: '/', headers: { authorization: `Bearer ${secret}` } })
  expect([accepted.statusCode, accepted.body]).toEqual([200, 'ws_1'])
  expect((await app.inject({ url: '/' })).statusCode).toBe(401)
  await app.close()
})
