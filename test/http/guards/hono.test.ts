import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { describe, expect, test } from 'vitest'
import { requireKey as inFetch } from '../../../adapters/http/fetch.ts'
import { requireKey } from '../../../adapters/http/hono.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { upgradeResponse } from '../../support/http/requests.ts'

const backend = testKeys()
const { keys } = backend

const withKey = async () => ({
  headers: { Authorization: `Bearer ${(await issueKey(backend)).secret}` },
})

describe('requireKey in hono', () => {
  test('guards a whole application, unknown paths included', async () => {
    const app = new Hono().use(requireKey(keys, null))
    expect((await app.request('/nowhere')).status).toBe(401)
    const lost = await app.request('/nowhere', await withKey())
    expect([lost.status, lost.headers.get('vary')]).toEqual([404, 'Authorization'])
  })

  test('keeps what the host has set before, on refusals too, but for what it says itself', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.header('Cache-Control', 'public, max-age=600')
      c.header('Vary', 'Origin')
      c.header('Set-Cookie', 'a=1', { append: true })
      c.header('Set-Cookie', 'b=2', { append: true })
      c.header('X-Request-Id', '7')
      await next()
    })
    app.use(requireKey(keys, null))
    const { status, headers } = await app.request('/')
    expect(status).toBe(401)
    expect(headers.get('vary')).toBe('Origin, Authorization')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(headers.get('x-request-id')).toBe('7')
  })

  test('behind a CORS layer a page can read why it was refused', async () => {
    const app = new Hono().use(cors({ origin: 'https://app.example' }), requireKey(keys, null))
    const origin = { Origin: 'https://app.example' }
    const refused = await app.request('/', { headers: origin })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(refused.headers.get('vary')).toMatch(/Authorization/)
    const headers = { ...origin, 'Access-Control-Request-Method': 'GET' }
    expect((await app.request('/', { method: 'OPTIONS', headers })).status).toBe(204)
  })
})

/** What a host makes of the response of a handler. */
const HOSTS: Readonly<Record<string, (handler: () => Response) => Promise<Response>>> = {
  hono: async (handler) =>
    new Hono().get('/', requireKey(keys, null), handler).request('/', await withKey()),
  fetch: async (handler) =>
    inFetch(keys, null)(handler)(new Request('https://host.example/', await withKey())),
}

describe.each(Object.entries(HOSTS))('of a handler behind requireKey in %s', (_, visit) => {
  test.each([
    ['that can be completed', () => new Response('x', { headers: { Vary: 'Origin' } }), 'Origin, '],
    ['that cannot be changed', () => Response.redirect('https://host.example/x', 303), ''],
  ])('a response %s varies', async (__, handler, others) => {
    const made = handler()
    const response = await visit(() => made)
    expect([response.status, response.headers.get('location')]).toEqual([
      ...[made.status, made.headers.get('location')],
    ])
    expect(response.headers.get('vary')).toBe(`${others}Authorization`)
  })

  test('a WebSocket handshake is passed on as it is', async () => {
    const upgrade = upgradeResponse()
    expect(await visit(() => upgrade)).toBe(upgrade)
    expect(upgrade.headers.has('vary')).toBe(false)
  })
})

test('a runtime gets the very response of the handler where it can be completed', async () => {
  const made = new Response('x')
  expect(await HOSTS['fetch']?.(() => made)).toBe(made)
})
