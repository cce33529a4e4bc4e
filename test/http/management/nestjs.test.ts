import type { IncomingMessage } from 'node:http'
import { Controller, Get, Inject, type MiddlewareConsumer, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { describe, expect, test } from 'vitest'
import { manageKeys } from '../../../adapters/http/nestjs.ts'
import { testKeys, USER } from '../../support/http/keys.ts'
import { BASE, jsonOf, NEW_KEY, post, send, verdictOf } from '../../support/http/management-call.ts'
import { createNest, decorate, listenNest, type Platform } from '../../support/http/nest-app.ts'

const { keys } = testKeys()
const context = () => ({ workspaceId: 'ws_1', user: USER })

/** The host's own pages, beside the routes of management. */
class Pages {
  settings() {
    return 'the host'
  }
}
decorate(Pages, 'settings', Get(['api/settingsmore', 'api/other']))
Controller()(Pages)

describe.each<Platform>(['express', 'fastify'])('manageKeys in nestjs on %s', (platform) => {
  test('leaves all other paths to the host', async () => {
    const app = await createNest({ platform, controllers: [Pages] })
    const host = await listenNest(app.use(manageKeys(keys, { basePath: BASE, context })))
    for (const path of ['more', '/../other']) {
      const answer = await fetch(`http://127.0.0.1:${host.port}${BASE}${path}`)
      expect([answer.status, await answer.text()]).toEqual([200, 'the host'])
    }
    expect((await send(host.port, { path: '/keys' })).status).toBe(200)
    await host.close()
  })

  test('knows its paths where it is mounted on a path, and below a global prefix', async () => {
    const middleware = manageKeys(keys, { basePath: BASE, context })
    const configure = (consumer: MiddlewareConsumer) =>
      void consumer.apply(middleware).forRoutes('settings/*path')
    const app = await createNest({ platform, configure })
    const prefixed = await listenNest(app.setGlobalPrefix('api'))
    expect((await post(prefixed.port, '/keys', NEW_KEY)).status).toBe(201)
    await prefixed.close()
    const mounted = await listenNest((await createNest({ platform })).use(BASE, middleware))
    const { key } = jsonOf(await post(mounted.port, '/keys', NEW_KEY))
    expect((await post(mounted.port, `/keys/${key.id}/revoke`)).status).toBe(200)
    await mounted.close()
  })
})

describe('manageKeys in nestjs', () => {
  test('its context can use what the module has injected', async () => {
    class Sessions {
      of = () => ({ workspaceId: 'ws_9', user: USER })
    }
    class AppModule {
      readonly #sessions: Sessions
      constructor(sessions: Sessions) {
        this.#sessions = sessions
      }
      configure(consumer: MiddlewareConsumer) {
        const options = { basePath: BASE, context: () => this.#sessions.of() }
        consumer.apply(manageKeys(keys, options)).forRoutes('{*path}')
      }
    }
    Inject(Sessions)(AppModule, undefined, 0)
    Module({ providers: [Sessions] })(AppModule)
    const host = await listenNest(await NestFactory.create(AppModule, { logger: false }))
    expect(jsonOf(await post(host.port, '/keys', NEW_KEY)).key.workspaceId).toBe('ws_9')
    await host.close()
  })

  test('a body that something has swallowed is the host’s fault', async () => {
    const errors: unknown[] = []
    const app = await createNest({ platform: 'express', bodyParser: false })
    app.use((req: IncomingMessage, _res: unknown, next: () => void) => {
      req.resume().on('end', next)
    })
    const onError = (error: unknown) => void errors.push(error)
    const host = await listenNest(app.use(manageKeys(keys, { basePath: BASE, context, onError })))
    expect(verdictOf(await post(host.port, '/keys', NEW_KEY))).toBe('500 internal_error')
    expect(errors).toMatchObject([{ message: expect.stringMatching(/read before/) }])
    await host.close()
  })
})
