import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { beforeEach, describe, expect, test } from 'vitest'
import { manageKeys as inExpress } from '../../../adapters/http/express.ts'
import { manageKeys as inFastify } from '../../../adapters/http/fastify.ts'
import { manageKeys } from '../../../adapters/http/fetch.ts'
import { manageKeys as inHono } from '../../../adapters/http/hono.ts'
import { manageKeys as inNest } from '../../../adapters/http/nestjs.ts'
import type { ApiKeys } from '../../../src/index.ts'
import { mintSecret } from '../../../src/secret/mint.ts'
import {
  listen,
  listenFastify,
  type RunningHost,
  serveHono,
} from '../../support/http/guard-hosts.ts'
import { served } from '../../support/http/host-for.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { createNest, listenNest } from '../../support/http/nest-app.ts'
import { linesOfTest } from '../../support/http/plain-host.ts'
import { serveFetch } from '../../support/http/serve-fetch.ts'

let keys: ApiKeys
const context = () => ({ workspaceId: 'ws_1', user: USER })
const ROOT = /mounted at the root.*app\.use\("\/api\/settings", manageKeys\(…\)\).*"basePath"/

let printed: readonly string[]
beforeEach(() => {
  keys = testKeys().keys
  printed = linesOfTest()
})

const get = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`)

describe('a call that finds none of the routes', () => {
  const nest = async () => {
    const app = await createNest({ platform: 'express' })
    return listenNest(app.use(inNest(keys, { basePath: '/settings', context })))
  }
  const settings = '/api/settings'
  const below = `${settings}/api-keys/keys`

  test.each<[string, string, string, () => Promise<RunningHost>]>([
    [
      'fetch without its basePath',
      `${settings}/keys`,
      '',
      () => listen(serveFetch(manageKeys(keys, { context }))),
    ],
    [
      'express below a prefix that pages do not know of',
      below,
      settings,
      () => listen(express().use(settings, inExpress(keys, { context }))),
    ],
    [
      'express with another basePath',
      `${settings}/keys`,
      '/settings',
      () => listen(express().use(inExpress(keys, { basePath: '/settings', context }))),
    ],
    [
      'fastify',
      below,
      settings,
      () => listenFastify(fastify().register(inFastify(keys, { context }), { prefix: settings })),
    ],
    [
      'hono at the root',
      `${settings}/keys`,
      '',
      () => listen(serveHono(new Hono().use(inHono(keys, { context })))),
    ],
    ['nestjs without its global prefix', `${settings}/keys`, '/settings', nest],
  ])('%s says so once', async (_, path, place, start) => {
    const port = await served(start())
    for (const again of [path, path, `${path}/more`]) {
      expect((await get(port, again)).status).toBe(404)
    }
    const said = `^miftah: manageKeys has no route "${path}"\\. Its routes are below "${place}": /keys, .*/scopes`
    expect(printed).toEqual([expect.stringMatching(new RegExp(said))])
  })

  test('is nothing to say once a call has found its route', async () => {
    const port = await served(listen(express().use('/api', inExpress(keys, { context }))))
    expect((await get(port, '/api/keys')).status).toBe(200)
    expect((await get(port, '/api/settings/keys')).status).toBe(404)
    expect(printed).toEqual([])
  })

  test('is shown without a secret and in one line', async () => {
    const secret = mintSecret('svc', 'live')
    const handler = manageKeys(keys, { context })
    await handler(new Request(`https://a.example/${secret}/%0A`))
    expect(printed.join()).not.toContain(secret)
    expect(printed.join()).not.toContain('\n')
  })
})

describe('at the root, where the routes would take those of others', () => {
  test('express throws at the mount', () => {
    const root = () => inExpress(keys, { context })
    expect(() => express().use(root())).toThrow(ROOT)
    expect(() => express().use('/', root())).toThrow(TypeError)
    expect(() => express().use(['/api', '/'], root())).toThrow(TypeError)
    expect(() => express().use('/api', root())).not.toThrow()
    const elsewhere = inExpress(keys, { basePath: '/api', context })
    expect(() => express().use(elsewhere)).not.toThrow()
  })

  test('express throws at the first call where it does not say where it mounts', async () => {
    const errors: unknown[] = []
    const router = express.Router().use(inExpress(keys, { context }))
    const app = express().use('/api', router).use(router)
    app.use(((error, _req, res, _next) => {
      errors.push(error)
      res.sendStatus(500)
    }) as express.ErrorRequestHandler)
    const port = await served(listen(app))
    expect((await get(port, '/api/keys')).status).toBe(200)
    expect((await get(port, '/keys')).status).toBe(500)
    expect(errors).toMatchObject([{ name: 'TypeError', message: expect.stringMatching(ROOT) }])
  })

  test('with a basePath express passes on what is elsewhere, as it does below a path', async () => {
    const app = express().use(inExpress(keys, { basePath: '/api/مفاتيح', context }))
    app.get('/contacts', (_req, res) => void res.json([]))
    const port = await served(listen(app))
    expect((await get(port, '/contacts')).status).toBe(200)
    expect((await get(port, '/api/مفاتيح/keys')).status).toBe(200)
    expect((await get(port, '/api/مفاتيح/nothing')).headers.get('content-type')).toBe(
      'application/problem+json',
    )
    expect(printed).toEqual([])
  })

  test('hono passes on what matches no route', async () => {
    const app = new Hono().use(inHono(keys, { context })).get('/contacts', (c) => c.json([]))
    expect((await app.request('/contacts')).status).toBe(200)
    expect((await app.request('/keys')).status).toBe(200)
    expect((await app.request('/nothing')).status).toBe(404)
    expect(printed).toEqual([])
  })
})
