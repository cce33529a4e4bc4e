import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseChallenge } from '../support/challenge.ts'
import { guardHosts, type RunningHost } from '../support/guard-hosts.ts'
import { issueKey, testKeys } from '../support/keys.ts'
import { exchange, headerOf, type RawResponse, timeless } from '../support/raw-client.ts'
import { get, requestText } from '../support/requests.ts'

interface Case {
  readonly title: string
  /** Header lines; `K` stands for the secret of a valid key. */
  readonly lines: readonly string[]
  readonly code: 'missing' | 'invalid_request' | 'invalid_token' | 'accepted'
}

const spaces = (count: number) => ' '.repeat(count)

const CASES: readonly Case[] = [
  { title: 'no header', lines: [], code: 'missing' },
  { title: 'an empty header', lines: ['Authorization:'], code: 'missing' },
  { title: 'spaces alone', lines: [`Authorization: ${spaces(20)}`], code: 'missing' },
  { title: 'another scheme', lines: ['Authorization: Basic dTpw'], code: 'missing' },
  { title: 'Digest with commas', lines: ['Authorization: Digest a="b", c="d"'], code: 'missing' },
  { title: 'a scheme that only begins so', lines: ['Authorization: BearerX K'], code: 'missing' },
  { title: 'a colon after the scheme', lines: ['Authorization: Bearer: K'], code: 'missing' },
  { title: 'the secret without a scheme', lines: ['Authorization: K'], code: 'missing' },
  {
    title: 'the key in another header',
    lines: ['X-Api-Key: K', 'X-Api-Key-Id: K'],
    code: 'missing',
  },
  { title: 'an identity header', lines: ['X-Workspace-Id: ws_1', '__proto__: x'], code: 'missing' },

  { title: 'the plain form', lines: ['Authorization: Bearer K'], code: 'accepted' },
  { title: 'a lower-case scheme', lines: ['authorization: bearer K'], code: 'accepted' },
  { title: 'an upper-case scheme', lines: ['AUTHORIZATION: BEARER K'], code: 'accepted' },
  { title: 'eight spaces', lines: [`Authorization: Bearer${spaces(8)}K`], code: 'accepted' },
  { title: 'space around the value', lines: ['Authorization:   Bearer K \t '], code: 'accepted' },

  { title: 'nine spaces', lines: [`Authorization: Bearer${spaces(9)}K`], code: 'invalid_request' },
  { title: 'a TAB after the scheme', lines: ['Authorization: Bearer\tK'], code: 'invalid_request' },
  { title: 'a TAB among spaces', lines: ['Authorization: Bearer \tK'], code: 'invalid_request' },
  { title: 'no token', lines: ['Authorization: Bearer'], code: 'invalid_request' },
  {
    title: 'something after the key',
    lines: ['Authorization: Bearer K x'],
    code: 'invalid_request',
  },
  { title: 'a comma after the key', lines: ['Authorization: Bearer K,'], code: 'invalid_request' },
  { title: 'Latin-1 bytes', lines: ['Authorization: Bearer \xe9K'], code: 'invalid_request' },
  { title: 'UTF-8 bytes', lines: ['Authorization: Bearer K\xe2\x80\x8b'], code: 'invalid_request' },
  { title: '8 KB', lines: [`Authorization: Bearer ${'a'.repeat(8_000)}`], code: 'invalid_request' },
  {
    title: '8 KB of schemes',
    lines: [`Authorization: ${'Bearer '.repeat(1_100)}`],
    code: 'invalid_request',
  },
  {
    title: 'two keys joined by a proxy',
    lines: ['Authorization: Bearer K, Bearer K'],
    code: 'invalid_request',
  },
  {
    title: 'a key behind another scheme',
    lines: ['Authorization: Basic eA==, bearer K'],
    code: 'invalid_request',
  },
  {
    title: 'the header twice',
    lines: ['Authorization: Bearer K', 'Authorization: Bearer K'],
    code: 'invalid_request',
  },
  {
    title: 'twice in two cases',
    lines: ['Authorization: Bearer K', 'aUTHORIZATION: Bearer K'],
    code: 'invalid_request',
  },
  {
    title: 'Basic and then the key',
    lines: ['Authorization: Basic eA==', 'Authorization: Bearer K'],
    code: 'invalid_request',
  },
  {
    title: 'the key and then Basic',
    lines: ['Authorization: Bearer K', 'Authorization: Basic eA=='],
    code: 'invalid_request',
  },
  {
    title: 'an empty line and the key',
    lines: ['Authorization:', 'Authorization: Bearer K'],
    code: 'invalid_request',
  },

  { title: 'not our shape', lines: ['Authorization: Bearer abc'], code: 'invalid_token' },
  { title: 'a quoted key', lines: ['Authorization: Bearer "K"'], code: 'invalid_token' },
  {
    title: 'a key cut short',
    lines: ['Authorization: Bearer K'.replace('K', 'svc_live_abc')],
    code: 'invalid_token',
  },
]

const STATUS = { missing: 401, invalid_request: 400, invalid_token: 401, accepted: 200 } as const

describe.each(guardHosts)('requireKey in $name', ({ name, start }) => {
  const backend = testKeys()
  let host: RunningHost
  let secret: string

  beforeAll(async () => {
    host = await start(backend.keys)
    secret = (await issueKey(backend)).secret
  })
  afterAll(() => host.close())
  beforeEach(() => {
    backend.lookups = 0
  })

  const withKey = (lines: readonly string[]) => lines.map((line) => line.replaceAll('K', secret))

  test.each(CASES)('$title: $code', async ({ lines, code }) => {
    const response = await get(host.port, '/contacts', withKey(lines.map(keepNames)))
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

  test('a handler that replaces Vary, and one that throws, still vary by Authorization', async () => {
    const line = `Authorization: Bearer ${secret}`
    const varied = await get(host.port, '/varied', [line])
    expect(headerOf(varied, 'vary').join(', ')).toBe('Origin, Authorization')
    const broken = await get(host.port, '/broken', [line])
    expect(broken.status).toBe(500)
    // A fetch runtime makes its own response where the handler has none.
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

/** `K` stands for the secret in values only. */
function keepNames(line: string): string {
  return line.replace(/^(.*?):/, (name) => name.replaceAll('K', 'k'))
}

function expectRefusal(response: RawResponse, code: string, params: object = {}) {
  expect(headerOf(response, 'content-type')).toEqual(['application/problem+json'])
  expect(headerOf(response, 'cache-control')).toEqual(['no-store'])
  const body = JSON.parse(response.body)
  expect(body).toMatchObject({ status: response.status, code })
  expect(body.type).toMatch(/^urn:miftah:problem:/)
  const [challenge = '', ...more] = headerOf(response, 'www-authenticate')
  expect(more).toEqual([])
  const error = code === 'missing' ? {} : { error: code }
  expect(parseChallenge(challenge)).toEqual({
    scheme: 'Bearer',
    params: { realm: 'api', ...error, ...params },
  })
}
