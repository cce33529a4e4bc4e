import 'reflect-metadata'
import { Controller, Get, Module, UseGuards } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { AuthenticatedKey } from 'miftah'
import { CurrentKey, manageKeys, requireKey } from 'miftah/nestjs'
import { address, closeOnSignal, contextOf, keys } from './api-keys.ts'

@Controller('api/public/v1')
class PublicApi {
  @Get('contacts')
  @UseGuards(requireKey(keys, 'contacts.read'))
  contacts(@CurrentKey() key: AuthenticatedKey) {
    return { workspace: key.workspaceId }
  }
}

@Module({ controllers: [PublicApi] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false })
app.use(
  manageKeys(keys, {
    basePath: '/api/settings',
    context: (request) => contextOf(request.headers.cookie),
  }),
)
await app.listen(address.port, address.host)
console.log(`Listening on ${await app.getUrl()}`)
closeOnSignal(() => app.close())
