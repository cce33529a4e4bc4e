import express from 'express'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { KeyListAnswer } from '../../../adapters/client/index.ts'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inHono } from '../../../adapters/http/hono.ts'
import type { ContextAnswer } from '../../../adapters/http/management.ts'
import { listen, serveHono } from '../../support/http/guard-hosts.ts'
import { testKeys } from '../../support/http/keys.ts'

// As docs/admin-views.md has it: staff name the workspace in the path, and may list and revoke.

const STAFF = { id: 'staff:7', name: 'Sara (support)' }
const OF_CUSTOMER = {
  workspaceId: 'ws_2',
  creator: { id: 'u_2', name: 'Huda' },
  name: 'CRM sync',
  environment: 'live',
  scopes: ['contacts.read'],
} as const
const MOUNT = '/admin/workspaces/:workspaceId/api-keys'

function staffContext(cookie: string | undefined, workspaceId: unknown): ContextAnswer {
  if (cookie !== 'staff=7' || typeof workspaceId !== 'string') return null
  return { workspaceId, user: STAFF, allowedOperations: ['revokeKey'] }
}

type Keys = ReturnType<typeof testKeys>['keys']

const HOSTS = {
  express: (keys: Keys) => {
    const app = express()
    const context = (request: express.Request) =>
      staffContext(request.headers.cookie, request.params['workspaceId'])
    app.use(MOUNT, inExpress(keys, { context }))
    return listen(app)
  },
  hono: (keys: Keys) => {
    const app = new Hono()
    app.all(
      `${MOUNT}/*`,
      inHono(keys, {
        context: (c) => staffContext(c.req.header('cookie'), c.req.param('workspaceId')),
      }),
    )
    return listen(serveHono(app))
  },
}

describe.each(Object.entries(HOSTS))('%s', (_, start) => {
  test('staff list and revoke the keys of the workspace in the path, and nothing else', async () => {
    const { keys } = testKeys()
    const { key } = await keys.createKey(OF_CUSTOMER)
    const host = await start(keys)
    const call = (path: string, workspaceId = 'ws_2', init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${host.port}/admin/workspaces/${workspaceId}/api-keys${path}`, {
        ...init,
        headers: { cookie: 'staff=7', 'content-type': 'application/json' },
      })
    try {
      const list = (await (await call('/keys')).json()) as KeyListAnswer
      expect(list.keys.map(({ id }) => id)).toEqual([key.id])
      expect(await (await call('/keys', 'ws_1')).json()).toMatchObject({ keys: [] })
      const change = { method: 'POST', body: '{}' }
      expect((await call(`/keys/${key.id}/rotate`, 'ws_2', change)).status).toBe(403)
      expect((await call(`/keys/${key.id}/revoke`, 'ws_1', change)).status).toBe(404)
      expect((await call(`/keys/${key.id}/revoke`, 'ws_2', change)).status).toBe(200)
    } finally {
      await host.close()
    }
    const { events } = await keys.listEvents({ workspaceId: 'ws_2' })
    expect(events.at(-1)).toMatchObject({ type: 'api_key.revoked', actor: STAFF })
  })
})
