import 'reflect-metadata'
import { Body, Controller, Get, Module, Post, UseGuards } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { CurrentKey, manageKeys, requireKey } from 'miftah/nestjs'
import { contextOf, keys } from './keys.js'

const context = (req) => contextOf(req.headers.cookie)

class PublicApi {
  contacts(key) {
    return { workspace: key.workspaceId }
  }
  echo(body) {
    return body
  }
  broken() {
    throw new Error('the handler failed')
  }
}

/** What `@Decorator()` above a method does, for a file that nothing compiles. */
function decorate(name, ...decorators) {
  const property = Object.getOwnPropertyDescriptor(PublicApi.prototype, name)
  for (const decorator of decorators) decorator(PublicApi.prototype, name, property)
}

decorate('contacts', Get('contacts'), UseGuards(requireKey(keys, 'contacts.read')))
CurrentKey()(PublicApi.prototype, 'contacts', 0)
decorate('echo', Post('echo'), UseGuards(requireKey(keys, null)))
Body()(PublicApi.prototype, 'echo', 0)
decorate('broken', Get('broken'), UseGuards(requireKey(keys, null)))
Controller('api/public/v1')(PublicApi)

class AppModule {
  configure(consumer) {
    consumer.apply(manageKeys(keys, { basePath: '/api/parsed', context })).forRoutes('*')
  }
}
Module({ controllers: [PublicApi] })(AppModule)

const platform = process.argv[2]
const { ExpressAdapter, FastifyAdapter } = await import(`@nestjs/platform-${platform}`)
const adapter = platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter()
const app = await NestFactory.create(AppModule, adapter, { logger: false })
app.use(manageKeys(keys, { basePath: '/api/settings', context }))
await app.listen(0, '127.0.0.1')
console.log(app.getHttpServer().address().port)
