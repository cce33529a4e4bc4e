import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiKeyEvent, defineResources } from '../../../src/index.ts'
import { restrictedHosts } from '../../support/http/guard-hosts.ts'
import { BY_REQUEST_NAMES } from '../../support/http/guarded-routes.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { testKeys } from '../../support/http/keys.ts'
import { verdictOf } from '../../support/http/management-call.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'
import { keyInput } from '../../support/world.ts'

const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])

describe.each(restrictedHosts)('restricted keys in $name', ({ start }) => {
  const backend = testKeys({ resources, storageTimeoutMs: 60_000 })
  const secrets: Record<string, string> = {}
  const host = hostForAll(() => start(backend.keys))

  const create = async (name: string, fields: object) => {
    const { key, secret } = await backend.keys.createKey(keyInput({ name, ...fields }))
    secrets[name] = secret
    secrets[`${name}_id`] = key.id
  }
  const ask = (target: string, key: string) =>
    get(host.port, target, [`Authorization: Bearer ${secrets[key]}`])
  const types = () => backend.events.map((event: ApiKeyEvent) => event.type)

  beforeAll(async () => {
    await create('free', {})
    await create('bound', { resources: { project: ['p_1', 'p_2'] } })
    await create('near', { networks: ['198.51.100.0/24', '2001:db8::/32'] })
  })
  beforeEach(() => {
    backend.events.length = 0
  })

  test.each([
    '/named?project=p_1',
    '/named?project=p_1&project=p_2',
    '/later?project=p_2',
    '/none',
    '/handler',
    '/routed?project=p_1',
    '/unscoped?project=p_2',
    '/routednone',
    '/routedhandler',
  ])('%s: accepted', async (target) => {
    const response = await ask(target, 'bound')
    expect(response.status).toBe(200)
    expect(JSON.parse(response.body)).toMatchObject({ keyId: secrets['bound_id'] })
    expect(types()).toEqual([])
  })

  test.each([
    '/named?project=p_3',
    '/named?project=p_1&project=p_3',
    '/named?project=P_1',
    '/named',
    '/later?project=p_3',
    '/forgot',
    '/routed?project=p_3',
    '/routed',
    '/unscoped?project=p_3',
    '/routedforgot',
  ])('%s: 403 that names neither a scope nor the list', async (target) => {
    const response = await ask(target, 'bound')
    expect(response.status).toBe(403)
    expect(headerOf(response, 'www-authenticate')).toEqual([
      'Bearer realm="api", error="insufficient_scope"',
    ])
    expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
    expect(JSON.parse(response.body)).toMatchObject({ status: 403, code: 'resource_not_allowed' })
    expect(response.body).not.toMatch(/p_\d|project|key_/)
    expect(backend.events).toMatchObject([
      { type: 'authentication.denied', reason: 'resource_not_allowed', keyId: secrets['bound_id'] },
    ])
  })

  test.each(['/throws', '/routedthrows'])('%s: 503, and reported', async (target) => {
    const response = await ask(target, 'bound')
    expect(response.status).toBe(503)
    expect(JSON.parse(response.body)).toMatchObject({
      code: 'rule_failed',
      detail: 'What this route asks of API keys cannot be checked right now.',
    })
    expect(headerOf(response, 'retry-after')).toEqual(['1'])
    expect(response.body).not.toContain('database')
    expect(backend.events).toMatchObject([{ type: 'outage', operation: 'resource' }])
  })

  test('a route without a guard of its own has no key to work with', async () => {
    const response = await ask('/unguarded', 'bound')
    expect(response.status).toBe(500)
    expect(response.body).not.toContain(secrets['bound_id'])
    expect((await ask('/unguarded', 'free')).status).toBe(200)
  })

  test('an inner refusal counts as a denial, and the outer guard counts the use', async () => {
    const usesOf = async () => {
      await backend.keys.flush()
      const id = String(secrets['bound_id'])
      return (await backend.keys.getKey({ workspaceId: 'ws_1', id })).uses
    }
    const before = await usesOf()
    await ask('/routed?project=p_3', 'bound')
    await ask('/routed?project=p_1', 'bound')
    await ask('/named?project=p_3', 'bound')
    expect((await usesOf()) - before).toBe(2)
  })

  test('an unrestricted key passes everywhere, and no function is called', async () => {
    for (const name of BY_REQUEST_NAMES) {
      const { status } = await ask(`/${name}`, 'free')
      expect([name, status]).toEqual([name, 200])
    }
    expect(types()).toEqual([])
  })

  test('from an address in its networks: accepted', async () => {
    expect((await ask('/addressed?address=198.51.100.7', 'near')).status).toBe(200)
  })

  test.each(['/addressed?address=203.0.113.9', '/addressed', '/forgot', '/routed?project=p_1'])(
    '%s: 403 with the realm alone, without the list',
    async (target) => {
      const response = await ask(target, 'near')
      expect(response.status).toBe(403)
      expect(headerOf(response, 'www-authenticate')).toEqual(['Bearer realm="api"'])
      expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
      expect(JSON.parse(response.body)).toMatchObject({ status: 403, code: 'network_not_allowed' })
      expect(response.body).not.toMatch(/198\.51|2001|key_/)
      expect(backend.events).toMatchObject([{ reason: 'network_not_allowed' }])
    },
  )

  test('an address that cannot be found out: 503, and reported', async () => {
    const response = await ask('/unreachable', 'near')
    expect(verdictOf(response)).toBe('503 rule_failed')
    expect(backend.events).toMatchObject([{ type: 'outage', operation: 'clientAddress' }])
  })
})
