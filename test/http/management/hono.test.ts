import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { manageKeys } from '../../../adapters/http/hono.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { NEW_KEY } from '../../support/http/management-call.ts'

const { keys } = testKeys()
const context = () => ({ workspaceId: 'ws_1', user: USER })

const create = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(NEW_KEY),
}

describe('manageKeys in hono', () => {
  test('knows its paths below parameters, base paths and other applications', async () => {
    const settings = new Hono().all('/settings/*', manageKeys(keys, { context }))
    const app = new Hono().basePath('/w').route('/:workspace', settings)
    const response = await app.request('/w/ws_1/settings/keys', create)
    expect(response.headers.get('location')).toMatch(/^\/w\/ws_1\/settings\/keys\/key_/)
    expect((await app.request('/w/ws_1/settings/nothing')).status).toBe(404)
  })

  test('its context can read the parameters of its path', async () => {
    const routes = manageKeys(keys, {
      context: (c) => ({ workspaceId: c.req.param('workspace') ?? '', user: USER }),
    })
    const app = new Hono().all('/w/:workspace/*', routes)
    const response = await app.request('/w/ws_8/keys', create)
    expect((await response.json()).key.workspaceId).toBe('ws_8')
  })

  test('lives at the root, too', async () => {
    const app = new Hono().all('/*', manageKeys(keys, { context }))
    expect((await app.request('/keys')).status).toBe(200)
    expect((await app.request('/')).status).toBe(404)
  })

  test.each(['/settings/keys', '/settings/*/more', '/:w?/*', '/:w{[a-z]+}/*'])(
    'does not serve on %s',
    async (path) => {
      const thrown: unknown[] = []
      const app = new Hono().onError((error, c) => {
        thrown.push(error)
        return c.text('', 500)
      })
      app.all(path, manageKeys(keys, { context }))
      const target = path
        .replace('/:w?', '')
        .replace(/:[^/]+/, 'w')
        .replaceAll('*', 'keys')
      expect((await app.request(target)).status).toBe(500)
      expect(thrown).toMatchObject([{ message: expect.stringMatching(/mount it on a path like/) }])
    },
  )

  test('a body that was read past c.req is the host’s fault', async () => {
    const errors: unknown[] = []
    const app = new Hono().use(async (c, next) => {
      await c.req.raw.text()
      await next()
    })
    app.all('/*', manageKeys(keys, { context, onError: (error) => errors.push(error) }))
    expect((await app.request('/keys', create)).status).toBe(500)
    expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
  })
})
