import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal, STATUS } from '../../support/http/expect-refusal.ts'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { exchange, headerOf, timeless } from '../../support/http/raw-client.ts'
import { get, requestText } from '../../support/http/requests.ts'

/** What the vectors in `docs/vectors` do not say, because it is not about the value; `K` is a key. */
const CASES = [
  { title: 'the key in another header', lines: ['X-Api-Key: K', 'Api-Key: K'], code: 'missing' },
  { title: 'an identity header', lines: ['X-Workspace-Id: ws_1', '__proto__: x'], code: 'missing' },
  { title: 'the name in lower case', lines: ['authorization: Bearer K'], code: 'accepted' },
  { title: 'the name in upper case', lines: ['AUTHORIZATION: Bearer K'], code: 'accepted' },
  {
    title: 'twice in two cases',
    lines: ['Authorization: Bearer K', 'aUTHORIZATION: Bearer K'],
    code: 'invalid_request',
  },
  { title: '8 KB', lines: [`Authorization: Bearer ${'a'.repeat(8_000)}`], code: 'invalid_request' },
  {
    title: '8 KB of schemes',
    lines: [`Authorization: ${'Bearer '.repeat(1_100)}`],
    code: 'invalid_request',
  },
] as const

describe.each(guardHosts)('requireKey in $name', ({ name, start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys))
  let secret: string

  beforeAll(async () => {
    secret = (await issueKey(backend)).secret
  })
  beforeEach(() => {
    backend.lookups = 0
  })

  const withKey = (lines: readonly string[]) => lines.map((line) => line.replace(/K$/, secret))

  test.each(CASES)('$title: $code', async ({ lines, code }) => {
    const response = await get(host.port, '/contacts', withKey(lines))
    expect(response.status).toBe(STATUS[code])
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
    if (code !== 'accepted') expectRefusal(response, code)
    expect(backend.lookups).toBe(code === 'accepted' ? 1 : 0)
    expect(response.body).not.toContain(secret)
  })

  test('malformed, unknown and revoked keys get the same bytes', async () => {
    const { key, secret: revoked } = await issueKey(backend)
    await backend.keys.revokeKey({ workspaceId: key.workspaceId, id: key.id, actor: key.creator })
    const stranger = await issueKey(testKeys())
    const answers = []
    for (const token of ['nonsense', stranger.secret, revoked]) {
      answers.push(await get(host.port, '/contacts', [`Authorization: Bearer ${token}`]))
    }
    const [malformed, ...others] = answers.map(timeless)
    expect(others).toEqual([malformed, malformed])
    expect(backend.lookups).toBe(2)
  })

  test('a key without the scope: 403 that names the scope', async () => {
    const other = await issueKey(backend, 'messages.send')
    const line = `Authorization: Bearer ${other.secret}`
    const response = await get(host.port, '/contacts', [line])
    expect(response.status).toBe(403)
    expectRefusal(response, 'insufficient_scope', { scope: 'contacts.read' })
    expect((await get(host.port, '/any', [line])).status).toBe(200)
  })

  test('a workspace without the API: 403 without a challenge', async () => {
    backend.plans.set('ws_1', { publicApi: false, activeKeyLimit: 0 })
    const response = await get(host.port, '/contacts', [`Authorization: Bearer ${secret}`])
    backend.plans.clear()
    expect(response.status).toBe(403)
    expect(JSON.parse(response.body)).toMatchObject({ code: 'plan_required', status: 403 })
    expect(headerOf(response, 'www-authenticate')).toEqual([])
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
  })

  test('an outage: 503 with Retry-After, and then the key works again', async () => {
    backend.outage = true
    const down = await get(host.port, '/contacts', [`Authorization: Bearer ${secret}`])
    backend.outage = false
    expect(down.status).toBe(503)
    expect(headerOf(down, 'retry-after')).toEqual(['1'])
    expect(headerOf(down, 'vary')).toEqual(['Authorization'])
    expect(headerOf(down, 'www-authenticate')).toEqual([])
    expect(JSON.parse(down.body)).toMatchObject({ code: 'storage_unavailable', status: 503 })
    expect(down.body).not.toContain('refused')
    const up = await get(host.port, '/contacts', [`Authorization: Bearer ${secret}`])
    expect(up.status).toBe(200)
  })

  test('the handler gets the frozen key, whatever the headers claim', async () => {
    const claims = ['X-Workspace-Id: ws_2', 'X-Api-Key-Id: key_2', 'Api-Key: {}']
    const line = `Authorization: Bearer ${secret}`
    const response = await get(host.port, '/contacts', [...claims, line])
    const seen = JSON.parse(response.body)
    expect(seen).toMatchObject({ workspaceId: 'ws_1', frozen: true })
    expect(seen.fields).not.toContain('hash')
    expect(seen.fields).not.toContain('secret')
  })

  test('Vary of the host stays beside that of the guard, on acceptances and refusals', async () => {
    const varied = async (lines: readonly string[]) => {
      const response = await get(host.port, '/varied', lines)
      return [response.status, headerOf(response, 'vary').join(', ')]
    }
    expect(await varied([`Authorization: Bearer ${secret}`])).toEqual([
      200,
      'Origin, Authorization',
    ])
    if (name === 'fetch') return
    expect(await varied([])).toEqual([401, 'Origin, Authorization'])
  })

  test('a handler that throws is answered by the host, without the key', async () => {
    const broken = await get(host.port, '/broken', [`Authorization: Bearer ${secret}`])
    expect(broken.status).toBe(500)
    // A fetch runtime makes its own response when the handler has none.
    if (name !== 'fetch') expect(headerOf(broken, 'vary')).toEqual(['Authorization'])
    expect(broken.body).not.toContain(secret)
  })

  test('HEAD is answered like GET, without a body', async () => {
    const refused = await exchange(host.port, requestText('/contacts', [], 'HEAD'))
    expect([refused.status, refused.body]).toEqual([401, ''])
    expect(headerOf(refused, 'www-authenticate')).toEqual(['Bearer realm="api"'])
    const line = `Authorization: Bearer ${secret}`
    const accepted = await exchange(host.port, requestText('/contacts', [line], 'HEAD'))
    expect([accepted.status, accepted.body]).toEqual([200, ''])
    expect(headerOf(accepted, 'vary')).toEqual(['Authorization'])
  })

  test('a preflight is neither checked nor let through, and gets no CORS headers', async () => {
    const preflight = ['Origin: https://app.example', 'Access-Control-Request-Method: GET']
    const response = await exchange(host.port, requestText('/contacts', preflight, 'OPTIONS'))
    expect([response.status, response.body]).toEqual([204, ''])
    expect(response.lines.some(([name]) => name.startsWith('access-control'))).toBe(false)
    expect(headerOf(response, 'vary')).toEqual(['Authorization'])
  })

  test.each([
    { title: 'no preflight at all', lines: [] },
    {
      title: 'a preflight with a bad key',
      lines: ['Access-Control-Request-Method: GET', 'Authorization: Bearer x'],
    },
  ])('OPTIONS with $title needs a key', async ({ lines }) => {
    const response = await exchange(host.port, requestText('/contacts', lines, 'OPTIONS'))
    expect(response.status).toBe(401)
  })
})
