import { RateLimiterMemory } from 'rate-limiter-flexible'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { flexibleLimiter } from '../../../adapters/rate-limit/index.ts'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { defineResources } from '../../../src/index.ts'
import { type GuardHost, guardHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll, served } from '../../support/http/host-for.ts'
import { issueKey, testKeys, USER } from '../../support/http/keys.ts'
import { exchange, headerOf, type RawResponse } from '../../support/http/raw-client.ts'
import { get, requestText } from '../../support/http/requests.ts'
import { FORMAT, importInput, OLD_SECRET } from '../../support/lifecycle/import.ts'
import { ACTOR, keyInput, withoutIds } from '../../support/world.ts'

/*
 * One table of requests with the verdict that every guard gives. What a guard decides is in test/core/http and in the
 * vectors of credentials; this is what a host makes of requests and answers.
 */

const LONG = 'a'.repeat(8_000)

/** What a client behind no proxy may claim. */
const CLAIMS = [
  'X-Forwarded-For: 127.0.0.1',
  'X-Forwarded-Host: localhost',
  'X-Forwarded-Proto: https',
  'X-Forwarded-User: admin',
  'Forwarded: for=127.0.0.1;host=localhost;proto=https',
  'X-Real-IP: 127.0.0.1',
  'X-Original-URL: /open',
  'X-Rewrite-URL: /open',
  'X-HTTP-Method-Override: OPTIONS',
  'X-Method-Override: OPTIONS',
  'Proxy-Authorization: Bearer SENDER',
  'X-Authorization: Bearer SENDER',
  'Cookie: authorization=Bearer SENDER; Authorization=SENDER',
]

/** `FREE` and the like stand for secrets, `B(…)` for base64 of a text. The verdict is a status and a code. */
const VERDICTS: readonly (readonly [target: string, lines: readonly string[], verdict: string])[] =
  [
    ['/contacts', [], '401 missing'],
    ['/contacts', ['Authorization: Bearer FREE'], '200 accepted'],
    ['/contacts', ['aUTHORIZATION: Bearer FREE'], '200 accepted'],
    ['/contacts', ['X-Api-Key: FREE', '__proto__: x'], '401 missing'],
    [
      '/contacts',
      ['Authorization: Bearer FREE', 'authorization: Bearer FREE'],
      '400 invalid_request',
    ],
    ['/contacts', [`Authorization: Bearer ${LONG}`], '400 invalid_request'],
    ['/contacts', ['Authorization: Bearer nonsense'], '401 invalid_token'],
    ['/contacts', ['Authorization: Bearer REVOKED'], '401 invalid_token'],
    ['/contacts', ['Authorization: Bearer SENDER'], '403 insufficient_scope'],
    ['/any', ['Authorization: Bearer SENDER', 'X-API-Key: other'], '200 accepted'],
    ['/contacts', ['Authorization: Bearer UNPAID'], '403 plan_required'],

    ['/any', CLAIMS, '401 missing'],
    ['/any', [...CLAIMS, 'Authorization: Bearer SENDER'], '200 accepted'],
    ['/contacts', [...CLAIMS, 'Authorization: Bearer SENDER'], '403 insufficient_scope'],
    ['/any?access_token=FREE', [], '401 missing'],
    ['/any?api_key=FREE&key=FREE&token=FREE', [], '401 missing'],
    ['/any?authorization=Bearer+FREE', [], '401 missing'],

    ['/placed?api_key=FREE', [], '401 missing'],
    ['/placed', ['Authorization: Bearer FREE'], '200 accepted'],
    ['/placed', ['x-api-key:   FREE  '], '200 accepted'],
    ['/placed', ['Authorization: Basic B(FREE:)'], '200 accepted'],
    ['/placed', ['X-API-Key: OLD'], '200 accepted'],
    ['/placed', ['X-API-Key: old_stranger'], '401 invalid_token'],
    ['/placed', ['Authorization: Bearer FREE', 'X-API-Key: FREE'], '400 invalid_request'],
    ['/placed', ['Authorization: Digest x, Bearer FREE', 'X-API-Key: FREE'], '400 invalid_request'],
    ['/placed', ['X-API-Key: FREE', 'x-api-key: FREE'], '400 invalid_request'],

    ['/scoped', ['Authorization: Bearer FREE'], '200 accepted'],
    ['/scoped', ['Authorization: Bearer SENDER'], '403 insufficient_scope'],

    ['/named?project=p_1&project=p_2', ['Authorization: Bearer BOUND'], '200 accepted'],
    ['/named?project=p_1&project=p_3', ['Authorization: Bearer BOUND'], '403 resource_not_allowed'],
    ['/any', ['Authorization: Bearer BOUND'], '403 resource_not_allowed'],
    ['/routed?project=p_1', ['Authorization: Bearer BOUND'], '200 accepted'],
    ['/routed?project=p_3', ['Authorization: Bearer BOUND'], '403 resource_not_allowed'],
    ['/routedthrows', ['Authorization: Bearer BOUND'], '503 rule_failed'],
    ['/unguarded', ['Authorization: Bearer FREE'], '200 accepted'],
    ['/addressed?address=198.51.100.7', ['Authorization: Bearer NEAR'], '200 accepted'],
    ['/addressed', ['Authorization: Bearer NEAR'], '403 network_not_allowed'],

    ['/refusedinclear?tls', ['Authorization: Bearer FREE'], '200 accepted'],
    ['/refusedinclear', ['Authorization: Bearer FREE'], '403 https_required'],
  ]

const CHALLENGES: Readonly<Record<string, string>> = {
  missing: 'Bearer realm="api"',
  invalid_request: 'Bearer realm="api", error="invalid_request"',
  invalid_token: 'Bearer realm="api", error="invalid_token"',
  insufficient_scope: 'Bearer realm="api", error="insufficient_scope", scope="contacts.read"',
  resource_not_allowed: 'Bearer realm="api", error="insufficient_scope"',
  network_not_allowed: 'Bearer realm="api"',
}

/** Keys whose storage answers later, and keys from memory, whose verdicts come without a promise. */
const WORLDS = {
  'asked later': {},
  'asked at once': { storage: memoryStorage(), entitlementsTtlMs: 60_000 },
}

const HOSTS = guardHosts.flatMap((host) =>
  Object.entries(WORLDS).map(([when, options]) => ({ ...host, when, options })),
)

async function openWorld(options: Parameters<typeof testKeys>[0]) {
  const resources = defineResources([{ type: 'project', label: { en: 'Projects' } }])
  const world = testKeys({ resources, formats: [FORMAT], storageTimeoutMs: 60_000, ...options })
  world.plans.set('ws_3', { publicApi: false, activeKeyLimit: 0 })
  const create = (fields: Parameters<typeof keyInput>[0]) => world.keys.createKey(keyInput(fields))
  const revoked = await create({})
  await world.keys.revokeKey({ workspaceId: 'ws_1', id: revoked.key.id, actor: USER })
  await world.keys.importKeys([importInput()], { actor: ACTOR })
  world.plans.set('ws_3', { publicApi: true, activeKeyLimit: null })
  const secrets: Record<string, string> = {
    FREE: (await create({})).secret,
    SENDER: (await create({ scopes: ['messages.send'] })).secret,
    BOUND: (await create({ resources: { project: ['p_1', 'p_2'] } })).secret,
    NEAR: (await create({ networks: ['198.51.100.0/24'] })).secret,
    UNPAID: (await create({ workspaceId: 'ws_3' })).secret,
    REVOKED: revoked.secret,
    OLD: OLD_SECRET,
  }
  world.plans.set('ws_3', { publicApi: false, activeKeyLimit: 0 })
  const filled = (text: string) =>
    text
      .replace(/\b[A-Z]{3,8}\b/g, (name) => secrets[name] ?? name)
      .replace(/B\((.*)\)/, (_, plain: string) => Buffer.from(plain).toString('base64'))
  return { world, secrets, filled }
}

describe.each(HOSTS)('a guard in $name, $when', ({ name, start, when, options }) => {
  let opened: Awaited<ReturnType<typeof openWorld>>
  const host = hostForAll(async () => {
    opened = await openWorld(options)
    return start(opened.world.keys)
  })
  beforeEach(() => {
    opened.world.lookups = 0
    opened.world.events.length = 0
  })

  const ask = (target: string, lines: readonly string[] = [], method = 'GET') =>
    exchange(host.port, requestText(opened.filled(target), lines.map(opened.filled), method))
  const bearer = (key: string) => [`Authorization: Bearer ${key}`]

  // What a plan says is remembered there.
  const verdicts = VERDICTS.filter(
    ([, lines]) => when === 'asked later' || !lines.join().endsWith('UNPAID'),
  )
  test.each(verdicts)('%s %j: %s', async (target, lines, verdict) => {
    const response = await ask(target, lines)
    const { code = 'accepted', frozen } = JSON.parse(response.body)
    expect(`${response.status} ${code}`).toBe(verdict)
    const places = target.startsWith('/placed') ? 'Authorization, X-API-Key' : 'Authorization'
    expect(headerOf(response, 'vary')).toEqual([places])
    for (const secret of Object.values(opened.secrets)) expect(response.body).not.toContain(secret)
    expect(withoutIds(response.body)).not.toMatch(/p_\d|198\.51|database/)
    if (code === 'accepted') expect(frozen).toBe(true)
    else expectRefusal(response, code, target)
    const unread = ['missing', 'invalid_request', 'https_required'].includes(code)
    if (unread || when === 'asked at once') expect(opened.world.lookups).toBe(0)
    else if (!/nonsense|old_stranger/.test(lines.join())) expect(opened.world.lookups).toBe(1)
  })

  function expectRefusal(response: RawResponse, code: string, target: string) {
    expect(headerOf(response, 'content-type')).toEqual(['application/problem+json'])
    expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
    expect(headerOf(response, 'retry-after')).toEqual(response.status === 503 ? ['1'] : [])
    const challenges = headerOf(response, 'www-authenticate')
    if (target.startsWith('/placed')) expect(challenges).toHaveLength(1)
    else expect(challenges).toEqual([CHALLENGES[code] ?? []].flat())
  }

  test('the handler gets the key without what is secret, whatever the headers claim', async () => {
    const claims = ['X-Workspace-Id: ws_2', 'X-Api-Key-Id: key_2', 'Api-Key: {}']
    const seen = JSON.parse((await ask('/contacts', [...claims, ...bearer('FREE')])).body)
    expect(seen.workspaceId).toBe('ws_1')
    expect(seen.fields).not.toEqual(expect.arrayContaining(['hash']))
    expect(seen.fields).not.toEqual(expect.arrayContaining(['secret']))
  })

  test('a key in a form body opens nothing', async () => {
    const form = `access_token=${opened.secrets['FREE']}`
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const lines = [type, `Content-Length: ${form.length}`]
    const response = await exchange(host.port, requestText('/any', lines, 'POST') + form)
    expect([response.status, opened.world.lookups]).toEqual([401, 0])
  })

  test('HEAD is answered like GET, without a body', async () => {
    const refused = await ask('/contacts', [], 'HEAD')
    expect([refused.status, refused.body]).toEqual([401, ''])
    expect(headerOf(refused, 'www-authenticate')).toEqual([CHALLENGES['missing']])
    const accepted = await ask('/contacts', bearer('FREE'), 'HEAD')
    expect([accepted.status, accepted.body]).toEqual([200, ''])
    expect(headerOf(accepted, 'vary')).toEqual(['Authorization'])
  })

  test.each([
    ['/contacts', ['Origin: https://app.example', 'Access-Control-Request-Method: GET'], 204],
    ['/contacts', [], 401],
    ['/placed', ['Access-Control-Request-Method: GET', 'X-API-Key: nonsense'], 401],
  ])('OPTIONS %s with %j: %i, without CORS headers', async (target, lines, status) => {
    const response = await ask(target, lines, 'OPTIONS')
    expect(response.status).toBe(status)
    expect(response.lines.some(([line]) => line.startsWith('access-control'))).toBe(false)
    expect(headerOf(response, 'vary').join()).toContain('Authorization')
  })

  test('Vary of the host stays beside that of the guard, on acceptances and refusals', async () => {
    // A fetch runtime makes its own response when the handler has none.
    for (const lines of name === 'fetch' ? [bearer('FREE')] : [bearer('FREE'), []]) {
      const response = await ask('/varied', lines)
      expect(headerOf(response, 'vary').join(', ')).toBe('Origin, Authorization')
    }
  })

  test('a handler that throws is answered by the host, without the key', async () => {
    const broken = await ask('/broken', bearer('FREE'))
    expect(broken.status).toBe(500)
    if (name !== 'fetch') expect(headerOf(broken, 'vary')).toEqual(['Authorization'])
    expect(broken.body).not.toContain(opened.secrets['FREE'])
  })

  test('onDenied replaces body and headers, and Vary stays', async () => {
    const response = await ask('/denied')
    expect([response.status, response.body]).toEqual([401, 'refused: missing'])
    expect(headerOf(response, 'x-reason')).toEqual(['missing'])
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
    expect((await ask('/denied', bearer('FREE'))).status).toBe(200)
  })

  test.each([
    ['/open', 'FREE'],
    ['/unguarded', 'BOUND'],
  ])('%s, where a guard is missing, has no key to work with', async (target, key) => {
    const response = await ask(target, bearer(key))
    expect(response.status).toBe(500)
    expect(response.body).not.toContain('key_')
  })

  test('a guard behind a guard counts no second use, and a refusal is an event', async () => {
    const { keys, events } = opened.world
    const { key, secret } = await keys.createKey(keyInput({ resources: { project: ['p_1'] } }))
    for (const target of ['/routed?project=p_3', '/routed?project=p_1', '/named?project=p_3']) {
      await ask(target, bearer(secret))
    }
    await keys.flush()
    expect((await keys.getKey({ workspaceId: 'ws_1', id: key.id })).uses).toBe(2)
    const denial = { type: 'authentication.denied', reason: 'resource_not_allowed', keyId: key.id }
    const denials = events.filter(({ type }) => type === 'authentication.denied')
    expect(denials).toMatchObject([denial, denial])
  })
})

describe.each(guardHosts)('a guard in $name', ({ start }: GuardHost) => {
  // rate-limiter-flexible counts by the wall clock, which stands still.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  const callsTo = async (options: Parameters<typeof testKeys>[0], times: number) => {
    const world = testKeys(options)
    const port = await served(start(world.keys))
    const line = `Authorization: Bearer ${(await issueKey(world)).secret}`
    const answers: RawResponse[] = []
    for (let at = 0; at < times; at += 1) answers.push(await get(port, '/contacts', [line]))
    return answers
  }

  test('tells what a limiter leaves; one call too many gets 429 and the time to return', async () => {
    const store = new RateLimiterMemory({ points: 2, duration: 3_600 })
    const limiter = flexibleLimiter(store, { name: 'hourly' })
    const answers = await callsTo({ limiter }, 3)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers.map((answer) => headerOf(answer, 'ratelimit'))).toEqual([
      ['"hourly";r=1;t=3600'],
      ['"hourly";r=0;t=3600'],
      ['"hourly";r=0;t=3600'],
    ])
    const refused = answers[2] ?? expect.fail('no answer')
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate_limited' })
    expect(headerOf(refused, 'www-authenticate')).toEqual([])
    expect(headerOf(refused, 'vary')).toEqual(['Authorization'])
    expect(headerOf(refused, 'retry-after')).toEqual(['3600'])
    expect(headerOf(refused, 'ratelimit-policy')).toEqual(['"hourly";q=2;w=3600'])
  })

  test('answers an outage with 503 and Retry-After, and then the key works again', async () => {
    const world = testKeys()
    const port = await served(start(world.keys))
    const line = `Authorization: Bearer ${(await issueKey(world)).secret}`
    const ask = () => get(port, '/contacts', [line])
    world.outage = true
    const down = await ask()
    world.outage = false
    const up = await ask()
    await world.keys.close()
    const closed = await ask()
    expect([down.status, up.status, closed.status]).toEqual([503, 200, 503])
    expect(JSON.parse(down.body).code).toBe('storage_unavailable')
    expect(down.body).not.toContain('refused')
    expect(headerOf(down, 'retry-after')).toEqual(['1'])
    expect(headerOf(down, 'vary')).toEqual(['Authorization'])
    expect(headerOf(down, 'www-authenticate')).toEqual([])
  })
})
