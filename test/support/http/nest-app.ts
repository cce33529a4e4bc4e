import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  All,
  Controller,
  type ExecutionContext,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type Type,
  UseGuards,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { CurrentKey, requireKey, requireScope } from '../../../adapters/http/nestjs.ts'
import type { ApiKeys, AuthenticatedKey } from '../../../src/index.ts'
import type { RunningHost } from './guard-hosts.ts'
import { answerTo, ROUTES } from './guarded-routes.ts'

/** What NestJS runs on. */
export type Platform = 'express' | 'fastify'

/** What the classes of a test application are, and how it is made. */
export interface NestSetup {
  readonly platform: Platform
  readonly controllers?: readonly Type[]
  /** Whether NestJS parses bodies, as it does by default, before guards and handlers. */
  readonly bodyParser?: boolean
  /** The root module's own `configure`. */
  readonly configure?: (consumer: MiddlewareConsumer) => void
}

/** An application that does not listen yet. */
export async function createNest(setup: NestSetup): Promise<INestApplication> {
  const { platform, controllers = [], bodyParser = true, configure = () => {} } = setup
  // Decorators are applied by calls: their syntax needs a compiler option that is off here.
  class TestModule {
    configure(consumer: MiddlewareConsumer) {
      configure(consumer)
    }
  }
  Module({ controllers: [...controllers] })(TestModule)
  const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter()
  // An application that cannot start would end the process of the tests.
  const options = { bodyParser, logger: false, abortOnError: false } as const
  const app = await NestFactory.create(TestModule, adapter, options)
  if (platform === 'fastify' && !bodyParser) leaveBodies(app as NestFastifyApplication)
  return app
}

/** Fastify itself parses JSON, whatever NestJS does. */
function leaveBodies(app: NestFastifyApplication): void {
  const instance = app.getHttpAdapter().getInstance()
  instance.removeAllContentTypeParsers()
  instance.addContentTypeParser('*', (_request: unknown, payload: IncomingMessage, done: Done) =>
    done(null, payload),
  )
}

type Done = (error: Error | null, body?: unknown) => void

/** Puts an application on a free port; closing ends idle and busy connections alike. */
export async function listenNest(app: INestApplication): Promise<RunningHost> {
  await app.listen(0, '127.0.0.1')
  const server: Server = app.getHttpServer()
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: async () => {
      server.closeAllConnections()
      await app.close()
    },
  }
}

/** Applies decorators to a method, the topmost first. */
export function decorate(type: Type, method: string, ...decorators: MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, method)
  if (descriptor === undefined) throw new Error(`no method ${method}`)
  for (const decorator of decorators.reverse()) decorator(type.prototype, method, descriptor)
}

const varyByOrigin = {
  canActivate(context: ExecutionContext) {
    context.switchToHttp().getResponse().header('Vary', 'Origin')
    return true
  },
}

/** A controller with the guarded routes of a test host. */
export function guardedController(keys: ApiKeys): Type {
  class Guarded {}
  const methods = Guarded.prototype as Record<string, unknown>
  for (const [name, route] of Object.entries(ROUTES)) {
    const { key, scope, varies } = route
    methods[name] = (apiKey: AuthenticatedKey) => answerTo(route, apiKey)
    const guards = [
      ...(varies ? [varyByOrigin] : []),
      ...(key ? [requireKey(keys, ...key)] : []),
      ...(scope ? [requireScope(keys, ...scope)] : []),
    ]
    decorate(Guarded as Type, name, All(name), UseGuards(...guards))
    CurrentKey()(Guarded.prototype, name, 0)
  }
  Controller()(Guarded)
  return Guarded
}
