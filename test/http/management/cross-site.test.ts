import { once } from 'node:events'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { hostForAll } from '../../support/http/host-for.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { BASE, JSON_TYPE, NEW_KEY, send, verdictOf } from '../../support/http/management-call.ts'
import { managementHosts } from '../../support/http/management-hosts.ts'

const ALLOWED = 'https://admin.example'

/** `HOST` stands for the host and port that the client has addressed. */
const CASES: readonly { title: string; lines: readonly string[]; passes: boolean }[] = [
  { title: 'a program that says nothing', lines: [], passes: true },
  { title: 'a page of the same origin', lines: ['Sec-Fetch-Site: same-origin'], passes: true },
  { title: 'the user alone', lines: ['Sec-Fetch-Site: none'], passes: true },
  { title: 'an old browser, same origin', lines: ['Origin: http://HOST'], passes: true },
  { title: 'the same, behind TLS', lines: ['Origin: https://HOST'], passes: true },
  { title: 'an allowed origin', lines: [`Origin: ${ALLOWED}`], passes: true },
  {
    title: 'an allowed origin that is cross-site',
    lines: ['Sec-Fetch-Site: cross-site', `Origin: ${ALLOWED}`],
    passes: true,
  },

  { title: 'another site', lines: ['Sec-Fetch-Site: cross-site'], passes: false },
  { title: 'a sibling subdomain', lines: ['Sec-Fetch-Site: same-site'], passes: false },
  {
    title: 'another site that claims the origin',
    lines: ['Sec-Fetch-Site: cross-site', 'Origin: http://HOST'],
    passes: false,
  },
  { title: 'a sibling by origin', lines: ['Origin: http://evil.HOST'], passes: false },
  { title: 'another port', lines: ['Origin: http://127.0.0.1:1'], passes: false },
  { title: 'another origin', lines: ['Origin: https://evil.example'], passes: false },
  { title: 'a longer origin', lines: [`Origin: ${ALLOWED}.evil.example`], passes: false },
  { title: 'an allowed origin over http', lines: ['Origin: http://admin.example'], passes: false },
  {
    title: 'an allowed origin in capitals',
    lines: ['Origin: HTTPS://ADMIN.EXAMPLE'],
    passes: false,
  },
  { title: 'a sandboxed frame', lines: ['Origin: null'], passes: false },
  { title: 'an empty origin', lines: ['Origin:'], passes: false },
  { title: 'an origin of a file', lines: ['Origin: file://'], passes: false },
  {
    title: 'two origins',
    lines: ['Origin: http://HOST', 'Origin: https://evil.example'],
    passes: false,
  },
  { title: 'an unknown site', lines: ['Sec-Fetch-Site: same-origin-ish'], passes: false },
  {
    title: 'two sites',
    lines: ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
    passes: false,
  },
  {
    title: 'a forwarded host',
    lines: ['Origin: https://evil.example', 'X-Forwarded-Host: evil.example'],
    passes: false,
  },
]

describe.each(managementHosts)('calls from elsewhere to manageKeys in $name', ({ start }) => {
  const backend = testKeys()
  const host = hostForAll(() => start(backend.keys, { allowedOrigins: [ALLOWED] }))
  beforeEach(() => {
    backend.events.length = 0
  })

  const from = (lines: readonly string[]) =>
    lines.map((line) => line.replace('HOST', `127.0.0.1:${host.port}`))

  test.each(CASES)('$title: $passes', async ({ lines, passes }) => {
    const headers = [JSON_TYPE, ...from(lines)]
    const response = await send(host.port, { path: '/keys', headers, body: NEW_KEY })
    expect(response.status).toBe(passes ? 201 : 403)
    expect(backend.events.length).toBe(passes ? 1 : 0)
    if (!passes) expect(verdictOf(response)).toBe('403 forbidden')
  })

  test.each(['GET', 'HEAD'])(
    '%s only reads: the browser shows it to no other site',
    async (method) => {
      const headers = ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example']
      const response = await send(host.port, { path: '/keys', headers, method })
      expect(response.status).toBe(200)
      expect(response.lines.some(([name]) => name.startsWith('access-control'))).toBe(false)
    },
  )

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s from another site: 403 on every route',
    async (method) => {
      const headers = [JSON_TYPE, 'Sec-Fetch-Site: cross-site', 'Origin: https://evil.example']
      for (const path of ['/keys', '/scopes', '/keys/key_1/revoke', '/nothing']) {
        const response = await send(host.port, { path, headers, method, body: {} })
        expect(verdictOf(response), path).toBe('403 forbidden')
      }
    },
  )

  test.each([
    { title: 'another site', origin: 'https://evil.example', status: 403 },
    { title: 'an allowed origin', origin: ALLOWED, status: 405 },
  ])('a preflight of $title gets no CORS headers: $status', async ({ origin, status }) => {
    const headers = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site']
    const preflight = [...headers, 'Access-Control-Request-Method: POST']
    const call = { path: '/keys', method: 'OPTIONS', headers: preflight, session: null }
    const response = await send(host.port, call)
    expect(response.status).toBe(status)
    expect(response.lines.some(([name]) => name.startsWith('access-control'))).toBe(false)
  })

  test('the site is checked before the session', async () => {
    const headers = [JSON_TYPE, 'Sec-Fetch-Site: cross-site']
    const call = { path: '/keys', headers, body: NEW_KEY, session: 'crash' }
    expect(verdictOf(await send(host.port, call))).toBe('403 forbidden')
  })

  // What a form can send without being asked (Fetch §2.2.2), in a browser that says nothing.
  test.each([
    { type: 'application/x-www-form-urlencoded', body: 'name=x&environment=live' },
    { type: 'text/plain', body: JSON.stringify(NEW_KEY) },
    { type: 'multipart/form-data; boundary=b', body: '--b\r\n\r\nx\r\n--b--' },
  ])('a form as $type: 415', async ({ type, body }) => {
    const headers = [`Content-Type: ${type}`]
    const response = await send(host.port, { path: '/keys', headers, body })
    expect(verdictOf(response)).toBe('415 unsupported_media_type')
    expect(backend.events).toEqual([])
  })
})

test.each(['PURGE', 'PROPFIND', 'patch', 'gEt1'])(
  '%s, which no route knows: 403',
  async (method) => {
    const manage = manageKeys(testKeys().keys, { context: () => null })
    const call = (headers: HeadersInit) =>
      manage(new Request('https://own.example/keys', { method, headers }))
    expect((await call({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await call({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(405)
  },
)

test.each(['null', '*', 'admin.example', 'https://admin.example/', 'https://ADMIN.example', ''])(
  'allowedOrigins refuses "%s"',
  (origin) => {
    const options = { allowedOrigins: [origin], context: () => null }
    expect(() => manageKeys(testKeys().keys, options)).toThrow(/"allowedOrigins"/)
  },
)

test.each([
  { origin: 'https://evil.example', status: 403 },
  { origin: 'https://app.example', status: 201 },
])('over HTTP/2 a page of $origin is compared with :authority, not Host: $status', async (page) => {
  const app = fastify({ http2: true })
  const context = () => ({ workspaceId: 'ws_1', user: USER })
  app.register(inFastify(testKeys().keys, { context }), { prefix: BASE })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const session = connect(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': `${BASE}/keys`,
    ':authority': 'app.example',
    host: 'evil.example',
    origin: page.origin,
    'content-type': 'application/json',
  })
  stream.end(JSON.stringify(NEW_KEY))
  const [head] = await once(stream.resume(), 'response')
  expect(head[':status']).toBe(page.status)
  session.destroy()
  await app.close()
})
