import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKeys } from 'miftah'
import { createApp } from './app.ts'
import { banner } from './banner.ts'
import { entitlementsOf } from './demo-data.ts'
import { openStorage } from './storage.ts'

const { storage, place, close } = await openStorage(process.env)
const keys = createApiKeys({ storage, entitlements: entitlementsOf })
const server = createServer(createApp(keys))

server.listen(Number(process.env['PORT'] ?? 3000), process.env['HOST'] ?? '127.0.0.1')
await once(server, 'listening')
const { address, port } = server.address() as AddressInfo
console.log(banner(`http://${address.includes(':') ? `[${address}]` : address}:${port}`, place))

/** In this order no counted use is lost: requests end, then counts are written, then files close. */
async function stop(): Promise<void> {
  server.close()
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 2_000).unref()
  await once(server, 'close')
  await keys.close()
  await close()
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.log('\nWriting the last counts and stopping.')
    stop().catch((error: unknown) => {
      console.error(error)
      process.exitCode = 1
    })
  })
}
