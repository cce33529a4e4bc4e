import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKeys } from 'miftah'
import { flexibleLimiter } from 'miftah/rate-limit'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { createApp } from './app.ts'
import { banner } from './banner.ts'
import { entitlementsOf } from './demo-data.ts'
import { addDemoKeys } from './demo-keys.ts'
import { hostsIn } from './own-hosts.ts'
import { openStorage } from './storage.ts'

/** Starts the host as the environment says and prints where it is; gives what stops it. */
export async function startHost(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const port = portOf(env['PORT'] ?? '3000')
  const { storage, place, close } = await openStorage(env)
  try {
    // Without a limiter: the history of the demo leaves the first minute to the visitor.
    const demo = createApiKeys({ storage, entitlements: entitlementsOf })
    if (env['MIFTAH_EMPTY'] === undefined) await addDemoKeys(demo)
    await demo.close()
    // Small, so that a visitor meets it: a report counts as 20 calls, and some calls stand beside three reports.
    const limiter = flexibleLimiter(new RateLimiterMemory({ points: 79, duration: 60 }))
    const keys = createApiKeys({ storage, entitlements: entitlementsOf, limiter })
    const server = createServer(createApp(keys, hostsIn(env['MIFTAH_HOSTS'])))
    server.listen(port, env['HOST'] ?? '127.0.0.1')
    await once(server, 'listening')
    console.log(banner(addressOf(server), place))
    // In this order no counted use is lost: requests end, counts are written, files close.
    return async () => {
      await ended(server)
      await keys.close()
      await close()
    }
  } catch (error) {
    await close()
    throw error
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new Error(`PORT must be a number from 0 to 65535, and is "${text}".`)
}

function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

async function ended(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 2_000).unref()
  await closed
}
