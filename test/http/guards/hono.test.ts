import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { describe, expect, test } from 'vitest'
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

  const upgrade = upgradeResponse()
  test.each<[string, () => Response, number, string | null]>([
    [
      'it makes itself',
      () => new Response('x', { headers: { Vary: 'Origin' } }),
      200,
      'Origin, Authorization',
    ],
    [
      'with headers that cannot be changed',
      () => Response.redirect('https://host.example/x', 303),
      303,
      'Authorization',
    ],
    [
      'that Hono makes when it throws',
      () => {
        throw new Error('the handler failed')
      },
      500,
      'Authorization',
    ],
    ['to a WebSocket handshake', () => upgrade, 101, null],
  ])('of a handler, a response %s', async (_, handler, status, vary) => {
    const app = new Hono().onError((_error, c) => c.text('down', 500))
    const response = await app
      .get('/', requireKey(keys, null), handler)
      .request('/', await withKey())
    expect([response.status, response.headers.get('vary')]).toEqual([status, vary])
    if (status === 101) expect(response).toBe(upgrade)
  })
})
